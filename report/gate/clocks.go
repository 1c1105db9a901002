package gate

import (
	"math"
	"slices"

	"github.com/amgpu/amgpu/report/stat"
)

// clockShare is the difference of clocks above which times are confirmed by cycles.
const clockShare = 0.01

// cycles tests the clock cycles of a row where the clocks of the sides are known and
// differ (G6). An efficiency is a ratio of two times of one occasion and has none.
func (g *gate) cycles(r *Row, sides []*side, fresh *side) {
	if r.Metric != Time {
		return
	}
	var before []float64
	for _, s := range sides {
		if len(s.row.Clocks) == 0 {
			return
		}
		before = append(before, stat.Median(s.row.Clocks))
	}
	after := fresh.row.Clocks
	if len(after) == 0 {
		return
	}
	r.clocks = math.Abs(stat.Median(after)/stat.Median(before) - 1)
	if r.clocks <= clockShare {
		return
	}
	t, _, _ := g.test(r, sides, fresh, 1, func(s *side) []float64 {
		out := slices.Clone(s.row.Times)
		for i := range out {
			out[i] *= s.row.Clocks[i]
		}
		return out
	})
	t.t, t.bimodal, t.mixed = r.test.t, r.test.bimodal, r.test.mixed
	r.cycles = &t
}
