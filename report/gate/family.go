package gate

import (
	"cmp"
	"math"
	"slices"

	rowstat "github.com/amgpu/amgpu/report/stat"
)

// Corrections for the number of comparisons.
const (
	holm      = "holm"
	benjamini = "benjamini-hochberg"
	joint     = "benjamini-hochberg+westfall-young"
)

// correct adjusts the p-values of a family in both directions: Holm up to 50
// comparisons, above that Benjamini-Hochberg and, where all rows have equally many
// launches, half of the level each for it and for Westfall and Young's step-down
// test. The latter finds a single slow row, which rank tests of few launches cannot:
// among 100 rows of 7 launches they need sides that do not overlap at all.
func correct(tests []test) (regress, improve []float64, correction string) {
	for _, t := range tests {
		regress, improve = append(regress, t.regress), append(improve, t.improve)
	}
	if len(tests) <= holmMost {
		return rowstat.Holm(regress), rowstat.Holm(improve), holm
	}
	regress, improve = rowstat.BenjaminiHochberg(regress), rowstat.BenjaminiHochberg(improve)
	if !permutable(tests) {
		return regress, improve, benjamini
	}
	floor := math.Log1p(tests[0].phi)
	of, and := len(tests[0].x), len(tests[0].y)
	all := exchangesOf(of+and, and)
	worse := westfallYoung(all, tests, func(t test) (from, to []float64) { return t.x, shifted(t.y, -floor) })
	if of != and {
		all = exchangesOf(of+and, of)
	}
	better := westfallYoung(all, tests, func(t test) (from, to []float64) { return shifted(t.y, floor), t.x })
	for i := range tests {
		regress[i] = min(1, 2*min(regress[i], worse[i]))
		improve[i] = min(1, 2*min(improve[i], better[i]))
	}
	return regress, improve, joint
}

// permutable tells whether launches can be exchanged between the sides in all rows
// at once.
func permutable(tests []test) bool {
	for _, t := range tests {
		if len(t.x) == 0 || len(t.x) != len(tests[0].x) || len(t.y) != len(tests[0].y) {
			return false
		}
	}
	return true
}

// westfallYoung is the step-down maxT test (Westfall and Young 1993, algorithm 2.8):
// the adjusted one-sided p-value of every row, for the hypothesis that the values of
// "to" are no larger than those of "from"; all are the exchanges of as many launches.
// Launches are exchanged between the sides in all rows at once, so that what rows have
// in common stays, and the largest statistic over the rows is compared. It assumes that
// without a change the launches of both sides are exchangeable, nothing about their
// distribution.
//
// The statistic is Student's t with a pooled variance, which over exchanges is a
// monotonic function of the sum of the exchanged side's centred values over the root
// of their sum of squares.
func westfallYoung(all *exchanged, tests []test, sides func(test) (from, to []float64)) []float64 {
	rows := len(tests)
	var z [][]int64 // by row: "to", then "from", centred and scaled
	n := 0
	for _, t := range tests {
		from, to := sides(t)
		n = len(to)
		z = append(z, standardised(to, from))
	}
	order := make([]int, rows)
	observed := make([]int64, rows)
	for r := range rows {
		order[r] = r
		for _, v := range z[r][:n] {
			observed[r] += v
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(observed[b], observed[a]) })
	// The largest statistic of each exchange over the rows from the last to this one.
	largest := slices.Repeat([]int64{math.MinInt64 / 2}, all.number)
	beaten := make([]int64, rows)
	for k := rows - 1; k >= 0; k-- {
		r := order[k]
		short := observed[r] - rounding - 1 // what does not reach the observed one, but for rounding
		var count int64
		for p, v := range all.sums(z[r]) {
			v = max(v, largest[p])
			largest[p] = v
			count += int64(uint64(short-v) >> 63) // v > short, without a branch that nobody can predict
		}
		beaten[k] = count
	}
	out := make([]float64, rows)
	last := 0.0
	for k, r := range order {
		last = max(last, float64(beaten[k])/float64(all.number))
		out[r] = last
	}
	return out
}

// fixedPoint is the unit of the statistics as whole numbers: sums of those do not hang on
// their order. rounding is by how much equal ones may differ.
const (
	fixedPoint = 1 << 50
	rounding   = fixedPoint / 1_000_000_000_000
)

// standardised joins both sides with mean 0 and sum of squares 1 (fixedPoint); equal
// values are all 0.
func standardised(to, from []float64) []int64 {
	both := slices.Concat(to, from)
	mean := 0.0
	for _, v := range both {
		mean += v / float64(len(both))
	}
	square := 0.0
	for i := range both {
		both[i] -= mean
		square += both[i] * both[i]
	}
	out := make([]int64, len(both))
	if square < 1e-30 {
		return out
	}
	for i, v := range both {
		out[i] = int64(math.Round(fixedPoint * v / math.Sqrt(square)))
	}
	return out
}
