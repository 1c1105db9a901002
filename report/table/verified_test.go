package table

import (
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// The heading says what outputs were compared with: a reference, other counts, nothing.
func TestVerified(t *testing.T) {
	for name, c := range map[string]struct {
		counts []int
		edit   func(*result.Trial)
		want   string
	}{
		"reference":     {[]int{1, 2}, func(x *result.Trial) { x.Verified, x.Check.Checked = true, 10 }, "verified"},
		"partly":        {[]int{1, 2}, func(x *result.Trial) { x.Verified = x.Count == 1 }, "partly verified"},
		"one count":     {[]int{1}, func(*result.Trial) {}, "unchecked"},
		"counts":        {[]int{1, 2}, func(*result.Trial) {}, "compared between counts only"},
		"other problem": {[]int{1, 2}, func(x *result.Trial) { x.Total = int64(x.Count) }, "unchecked"},
		"other split":   {[]int{1, 2}, func(x *result.Trial) { x.CountDependent = true }, "unchecked"},
		"no digest":     {[]int{1, 2}, func(x *result.Trial) { x.Digest = "" }, "unchecked"},
		"one alone":     {[]int{1, 2, 3}, func(x *result.Trial) { x.Total = int64(x.Count / 3) }, "unchecked"},
		"no check":      {[]int{1, 2}, func(x *result.Trial) { x.Check = nil }, "not verified"},
		"failed check":  {[]int{1, 2}, func(x *result.Trial) { x.Check.Checked = 10 }, "not verified"},
	} {
		res := &result.Result{}
		var rows []result.Summary
		for _, count := range c.counts {
			x := result.Trial{Key: result.Key{Workload: "own/x"}, Count: count, Digest: "d", Total: 9, Samples: []float64{1}, Check: &result.Check{Class: "D0"}}
			c.edit(&x)
			res.Trials = append(res.Trials, x)
			rows = append(rows, result.Summary{Key: x.Key, Count: count, Verified: x.Verified, Rate: &result.Value{Value: 1}})
		}
		if got := verified(index(res), rows); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if got := verified(index(&result.Result{}), nil); got != "not verified" {
		t.Errorf("no rows: %s", got)
	}
}
