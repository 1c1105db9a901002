package stat

import (
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// hidden is the share of the median sample's time in which a device copied while
// it computed, the mean over devices and the median over launches (A5). nil where
// no launch has spans of both kinds.
func (c *cell) hidden() *float64 {
	var shares []float64
	for _, l := range c.launches {
		if share, ok := hiddenShare(l.trial); ok {
			shares = append(shares, share)
		}
	}
	if len(shares) == 0 {
		return nil
	}
	m := Median(shares)
	return &m
}

func hiddenShare(t *result.Trial) (share float64, ok bool) {
	kinds := map[string]map[int][]result.Span{"compute": {}, "transfer": {}}
	end := 0.0
	for _, s := range t.Spans {
		if of := kinds[s.Kind]; of != nil && s.End >= s.Start {
			of[s.Device] = append(of[s.Device], s)
			end = max(end, s.End)
		}
	}
	if len(kinds["compute"]) == 0 || len(kinds["transfer"]) == 0 || !(end > 0) {
		return 0, false
	}
	for d, copies := range kinds["transfer"] {
		share += overlap(union(copies), union(kinds["compute"][d])) / end / float64(t.Count)
	}
	return share, true
}

// union merges spans that touch.
func union(spans []result.Span) []result.Span {
	slices.SortFunc(spans, func(a, b result.Span) int {
		switch {
		case a.Start < b.Start:
			return -1
		case a.Start > b.Start:
			return 1
		}
		return 0
	})
	var out []result.Span
	for _, s := range spans {
		if n := len(out); n > 0 && s.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return out
}

// overlap is the time that two unions have in common.
func overlap(a, b []result.Span) float64 {
	sum := 0.0
	for len(a) > 0 && len(b) > 0 {
		sum += max(0, min(a[0].End, b[0].End)-max(a[0].Start, b[0].Start))
		if a[0].End < b[0].End {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return sum
}
