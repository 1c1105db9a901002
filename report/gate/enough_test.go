package gate

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// Nothing found among too few results shows nothing, and the row says so with what it
// takes.
func TestHistoryOfTooFew(t *testing.T) {
	for n, want := range map[int]string{
		1: "too few results to tell: 1; a change of the level needs 4, a drift 8",
		2: "too few results to tell: 2; a change of the level needs 4, a drift 8",
		3: "too few results to tell: 3; a change of the level needs 4, a drift 8",
		4: "no change of the level; too few results to tell a drift: 4; it needs 8",
		7: "no change of the level; too few results to tell a drift: 7; it needs 8",
		8: "no change of the level",
	} {
		var all []*result.Result
		for day := range n {
			all = append(all, made(day+1, as, "a/b"))
		}
		h, err := Trace(all, Options{})
		if err != nil {
			t.Fatal(err)
		}
		few := 0
		if n < 4 {
			few = len(h.Rows)
		}
		if got := h.Rows[0].Outcome(); got != want || h.TooFew() != few {
			t.Errorf("%d results: %q, %d rows of too few", n, got, h.TooFew())
		}
		raw, err := RenderHistory(h, "text")
		if err != nil || !strings.Contains(string(raw), want) || strings.Contains(string(raw), fmt.Sprintf("too few results to tell: %d of 2 rows", few)) != (few > 0) {
			t.Errorf("%d results: %s %v", n, raw, err)
		}
	}
}

// The numbers named are those that can do: the clearest change and drift of so many
// results are found, those of one less are not.
func TestWhatAHistoryNeeds(t *testing.T) {
	step := func(n int) []float64 {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = 1 + math.Floor(2*float64(i)/float64(n))
		}
		return xs
	}
	rise := func(n int) []float64 {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = math.Pow(1.05, float64(i))
		}
		return xs
	}
	for name, c := range map[string]struct {
		least int
		found func(n int) bool
	}{
		"change": {leastForChange, func(n int) bool { return len(ChangePoints(step(n), historyWindow, historyP, 0.05)) > 0 }},
		"drift":  {leastForDrift, func(n int) bool { return driftOf(rise(n), nil, historyP, 0.05) != nil }},
	} {
		if !c.found(c.least) || c.found(c.least-1) {
			t.Errorf("%s: of %d results %t, of %d %t", name, c.least, c.found(c.least), c.least-1, c.found(c.least-1))
		}
	}
}

// Copies of a result count once wherever they lie, also beside others of the same time.
func TestHistoryCountsCopiesOnce(t *testing.T) {
	a, b := made(1, as, "a/b"), made(1, slower(1.01), "a/b")
	h, err := Trace([]*result.Result{a, b, a, b}, Options{})
	if err != nil || h.Results != 2 {
		t.Errorf("%d results, %v", h.Results, err)
	}
}

// Of a commit the table shows what tells it from others, in whole letters.
func TestHistoryOfLongCommits(t *testing.T) {
	s := Series{Points: make([]HistoryItem, 9), Changes: []Change{{Index: 5, Commit: "0123456789a\u00e9cdef", Verdict: Regressed}}}
	raw, err := RenderHistory(&History{Rows: []Series{s}}, "text")
	if err != nil || !strings.Contains(string(raw), " 0123456789a\u00e9 ") {
		t.Errorf("%s %v", raw, err)
	}
}
