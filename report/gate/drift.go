package gate

import (
	"fmt"
	"math"
	"time"

	"github.com/amgpu/amgpu/report/stat"
)

// Drift is a slow change of the level from the first result of a row to its last,
// beside the steps in Changes.
type Drift struct {
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Effect  Effect    `json:"effect"` // last level against first, of the trend
	PValue  float64   `json:"p"`
	Verdict Verdict   `json:"verdict"` // regressed, improved
	Reason  string    `json:"reason"`
}

// driftOf finds a drift in values of one row with steps at cuts; nil: there is none.
// Three things make one: a trend within the levels between the steps (Mann-Kendall,
// below p), whose line (Sen's slope of the logarithms) changes by at least the share
// magnitude from its first point to its last, and that straight lines describe better
// than one more step in each level does, so that a step that was too small or too noisy
// to be found is not called a drift.
func driftOf(xs []float64, cuts []int, p, magnitude float64) *Drift {
	var levels [][]float64
	from, steps := 0, 0.0
	for _, to := range append(append([]int{}, cuts...), len(xs)) {
		level := make([]float64, 0, to-from)
		for _, x := range xs[from:to] {
			if !(x > 0) {
				return nil // no logarithm
			}
			level = append(level, math.Log(x))
		}
		levels, steps, from = append(levels, level), steps+max(0, float64(to-from-1)), to
	}
	found := stat.MannKendall(levels...)
	if !(found < p) {
		return nil
	}
	slope := stat.SenSlope(levels...)
	total := func(v float64) float64 { return math.Expm1(v * steps) }
	d := &Drift{PValue: found, Verdict: Regressed, Effect: Effect{Value: total(slope.Value), Unit: "relative"},
		Reason: fmt.Sprintf("a slow drift over %d results (Mann-Kendall p %.2g)", len(xs), found)}
	if slope.Low != nil && slope.High != nil {
		d.Effect.Low, d.Effect.High = new(total(*slope.Low)), new(total(*slope.High))
	}
	if d.Effect.Value < 0 {
		d.Verdict = Improved
	}
	if math.Abs(d.Effect.Value) < magnitude || !straighter(levels) {
		return nil
	}
	return d
}

// straighter says whether a least-squares line for each level leaves less than the best
// split of each level into two means.
func straighter(levels [][]float64) bool {
	var line, step float64
	for _, x := range levels {
		line, step = line+aroundLine(x), step+aroundStep(x)
	}
	return line < step
}

// aroundLine is the sum of squares around the line of least squares.
func aroundLine(x []float64) float64 {
	if len(x) < 3 {
		return 0
	}
	var mean, across, along float64
	middle := float64(len(x)-1) / 2
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for i, v := range x {
		across += (float64(i) - middle) * (v - mean)
		along += (float64(i) - middle) * (float64(i) - middle)
	}
	return max(0, squares(x)-across*across/along)
}

// aroundStep is the least sum of squares around the means of two parts.
func aroundStep(x []float64) float64 {
	least := squares(x)
	for k := 1; k < len(x); k++ {
		least = min(least, squares(x[:k])+squares(x[k:]))
	}
	return least
}

// squares is the sum of squares around the mean.
func squares(x []float64) (sum float64) {
	var mean float64
	for i, v := range x { // Welford
		d := v - mean
		mean += d / float64(i+1)
		sum += d * (v - mean)
	}
	return sum
}
