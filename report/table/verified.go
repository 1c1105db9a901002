package table

import (
	"github.com/amgpu/amgpu/report/result"
)

// verified says in the words of a heading what the outputs of a series' rows were
// compared with.
func verified(in trials, rows []result.Summary) string {
	yes, all, unchecked, agree := 0, 0, 0, 0
	for i := range rows {
		r := &rows[i]
		if r.Rate == nil && r.Seconds == nil {
			continue
		}
		all++
		if r.Verified {
			yes++
			continue
		}
		without, compared := unreferenced(in, r)
		if without {
			unchecked++
		}
		if compared {
			agree++
		}
	}
	switch {
	case yes == all && all > 0:
		return "verified"
	case yes > 0:
		return "partly verified"
	case all == 0 || unchecked < all:
		return "not verified"
	case agree == all:
		return "compared between counts only"
	}
	return "unchecked"
}

// unreferenced says whether the launches of a row had nothing to be compared with, and
// whether another count then computed the same outputs of the same problem.
func unreferenced(in trials, r *result.Summary) (without, compared bool) {
	for _, t := range in.of[r.Key] {
		if t.Count != r.Count || len(t.Samples) == 0 {
			continue
		}
		if !t.Unchecked() {
			return false, false
		}
		without = true
		compared = compared || in.compared(t)
	}
	return without, compared
}
