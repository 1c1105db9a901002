package gate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	rowstat "github.com/amgpu/amgpu/report/stat"
)

// Parameters of measurement.md 4.1.
const (
	alpha        = 0.05
	leastPhi     = 0.01
	leastLaunch  = 5
	holmMost     = 50 // larger families: Benjamini-Hochberg
	launchMethod = "mann-whitney"
	occasionRule = "prediction"
)

// test is the statistics of one comparison, in logarithms with the sign turned so
// that larger is worse.
type test struct {
	ok            bool
	delta, lo, hi float64
	bounded       bool // lo and hi are finite
	regress       float64
	improve       float64
	least         float64 // the smallest p this many values can give
	overlap       bool    // some new value is not worse than some old one
	t             float64 // threshold
	worse         float64 // +1 if larger is worse, else -1
	launches      int     // of the smaller side
	bimodal       bool
	mixed         bool      // devices of different models took turns
	phi           float64   // noise floor
	x, y          []float64 // the values behind it, baseline first; nil for occasions
}

// compareLaunches tests the launch medians of both sides (measurement.md 4.2).
// phi is the noise floor, level the alpha of one look.
func compareLaunches(base, fresh []float64, worse, phi, level float64) test {
	x, y := logs(base, worse), logs(fresh, worse)
	t := test{ok: true, worse: worse, launches: min(len(x), len(y)), least: rowstat.LeastP(len(x), len(y)), x: x, y: y, phi: phi}
	ratio, _ := rowstat.Ratio(exps(y), exps(x))
	t.delta = math.Log(ratio.Value)
	diffs := make([]float64, 0, len(x)*len(y))
	for _, b := range y {
		for _, a := range x {
			diffs = append(diffs, b-a)
		}
	}
	slices.Sort(diffs)
	if k := rowstat.UK(len(x), len(y), level); k > 0 {
		t.lo, t.hi, t.bounded = diffs[k-1], diffs[len(diffs)-k], true
	}
	floor := math.Log1p(phi)
	t.regress = rowstat.MannWhitney(shifted(y, -floor), x).Greater
	t.improve = rowstat.MannWhitney(shifted(y, floor), x).Less
	t.overlap = diffs[0] <= 0 && diffs[len(diffs)-1] >= 0
	return t
}

// compareOccasions asks whether the new occasion could be one more of the
// baseline's: mean +- t s sqrt(1+1/n) over the occasions' medians (G8). s is never
// less than what the launches of an occasion allow, so that few occasions that
// happen to agree do not promise more than was measured.
func compareOccasions(base []float64, fresh, within, worse, phi, level float64) test {
	x, y := logs(base, worse), worse*math.Log(fresh)
	n := float64(len(x))
	t := test{ok: true, worse: worse, launches: len(x)}
	mean, variance := stat.MeanVariance(x, nil)
	scale := max(math.Sqrt(variance), within) * math.Sqrt(1+1/n)
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}
	t.delta = y - mean
	half := student.Quantile(1-level/2) * scale
	t.lo, t.hi, t.bounded = t.delta-half, t.delta+half, true
	floor := math.Log1p(phi)
	t.regress, t.improve = tail(student, t.delta-floor, scale), tail(student, -t.delta-floor, scale)
	t.overlap = y <= slices.Max(x) && y >= slices.Min(x)
	return t
}

// tail is P(T >= distance/scale).
func tail(student distuv.StudentsT, distance, scale float64) float64 {
	switch {
	case scale > 0:
		return student.Survival(distance / scale)
	case distance > 0:
		return 0
	}
	return 1
}

// decide turns a test and its adjusted p-values into a verdict. family is the
// number of comparisons, correction how p-values were adjusted for it.
func decide(t test, regress, improve, level float64, family int, correction string) (v Verdict, code, reason string) {
	// Two groups of launches that overlap with the other side may be two states of the
	// machine; unless the whole interval is beyond the threshold, they decide nothing.
	mixture := t.bimodal && t.overlap && !(t.lo >= t.t) && !(t.hi <= -t.t)
	// Under Benjamini-Hochberg several small p-values help each other; a lone one is
	// where Holm's would be. A joint permutation test has no such bound.
	unattainable := float64(family)*t.least > level && (correction == holm || correction == benjamini && math.Abs(t.delta) >= t.t)
	more := "more launches"
	if t.x == nil { // one value for each occasion
		more = "more results in the baseline"
	}
	switch {
	case regress <= level && t.delta >= t.t:
		if mixture {
			return Inconclusive, "bimodal", "the launches fall into two groups that overlap with the other side"
		}
		return Regressed, "", "worse by more than the threshold" + t.decidedBy(regress, level)
	case improve <= level && t.delta <= -t.t:
		if mixture {
			return Inconclusive, "bimodal", "the launches fall into two groups that overlap with the other side"
		}
		return Improved, "", "better by more than the threshold" + t.decidedBy(improve, level)
	case t.bounded && -t.t < t.lo && t.hi < t.t:
		return Same, "", "the whole interval lies within the threshold"
	case !t.bounded:
		return Inconclusive, "too_few_launches", fmt.Sprintf("%d launches give no interval; use --launches 7", t.launches)
	case unattainable:
		return Inconclusive, "min_p_unattainable", fmt.Sprintf("among %d comparisons a single one of %d launches cannot be significant; use --launches 10 or compare fewer rows", family, t.launches)
	case t.mixed:
		return Inconclusive, "bimodal", "devices of different models took turns: measure with --subsets first, or the devices alone with `amgpu run`"
	case t.bimodal:
		return Inconclusive, "bimodal", "the launches fall into two groups"
	case t.hi-t.lo > 2*t.t:
		return Inconclusive, "noisy", "the interval is wider than the threshold on both sides; use " + more + " or a quieter machine"
	}
	return Inconclusive, "near_threshold", "neither the same nor different beyond the threshold; use " + more
}

// decidedBy says which test gave a change its verdict: the one-sided one against the
// noise floor, not the two-sided interval that is printed beside it. That asks for
// half the level on each side, so it may contain 0 where the test is significant.
func (t test) decidedBy(p, level float64) string {
	out := fmt.Sprintf(": decided by the one-sided test (p %s)", pValue(p))
	switch {
	case !t.bounded:
		return out + "; so few launches give no two-sided interval"
	case t.lo <= 0 && t.hi >= 0:
		return out + fmt.Sprintf("; the two-sided %.3g %% interval contains 0 and is not what decides", 100*(1-level))
	}
	return out
}

func logs(xs []float64, sign float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = sign * math.Log(x)
	}
	return out
}

func exps(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = math.Exp(x)
	}
	return out
}

func shifted(xs []float64, by float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = x + by
	}
	return out
}

// effect is the test's result as a relative change of the metric.
func (t test) effect() *Effect {
	change := func(d float64) float64 { return math.Expm1(t.worse * d) }
	e := &Effect{Value: change(t.delta), Unit: "relative"}
	if t.bounded {
		lo, hi := change(t.lo), change(t.hi)
		if !math.IsInf(lo, 0) && !math.IsInf(hi, 0) {
			e.Low, e.High = new(min(lo, hi)), new(max(lo, hi))
		}
	}
	return e
}
