package engine

import (
	"math"
	"testing"
)

// TestChain: without tails the length is the sum of the longest of each phase; what one
// device has in a tail and another one in the next phase counts once.
func TestChain(t *testing.T) {
	type work struct{ phase, tail float64 }
	for name, c := range map[string]struct {
		phases [][]work
		copies float64
		want   float64
	}{
		"no tails":                     {[][]work{{{1, 0}, {3, 0}}, {{4, 0}, {2, 0}}}, 0.5, 3.5 + 4.5},
		"tail beside the next phase":   {[][]work{{{1, 5}, {1, 0}}, {{1, 0}, {6, 0}}}, 0, 1 + 6},
		"tail before the next phase":   {[][]work{{{1, 5}, {1, 0}}, {{2, 0}, {3, 0}}}, 0, 1 + 5 + 2},
		"copies hidden behind tails":   {[][]work{{{1, 5}, {1, 5}}, {{1, 0}, {1, 0}}}, 4, 1 + 5 + 1 + 4},
		"copies longer than the tails": {[][]work{{{1, 2}, {1, 2}}, {{1, 0}, {1, 0}}}, 4, 1 + 4 + 1 + 4},
		"tails at the end":             {[][]work{{{1, 2}, {3, 1}}}, 0, 4},
		"a device without work":        {[][]work{{{2, 0}}, {{0, 0}, {3, 0}}}, 0, 5},
	} {
		chain := newChain(2)
		for _, p := range c.phases {
			for i, w := range p {
				chain.add(i, w.phase, w.tail)
			}
			chain.phase(c.copies)
		}
		if got := chain.length(); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
