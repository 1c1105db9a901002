package gate

import (
	"math"
	"math/rand/v2"
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
	worse := westfallYoung(tests, func(t test) (from, to []float64) { return t.x, shifted(t.y, -floor) })
	better := westfallYoung(tests, func(t test) (from, to []float64) { return shifted(t.y, floor), t.x })
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

// mostPermutations bounds the exchanges that are tried: all of up to 7 + 7 launches,
// of more a random choice that counts the observed one (Phipson and Smyth 2010).
const mostPermutations = 10000

// westfallYoung is the step-down maxT test (Westfall and Young 1993, algorithm 2.8):
// the adjusted one-sided p-value of every row, for the hypothesis that the values of
// "to" are no larger than those of "from". Launches are exchanged between the sides
// in all rows at once, so that what rows have in common stays, and the largest
// statistic over the rows is compared. It assumes that without a change the launches
// of both sides are exchangeable, nothing about their distribution.
//
// The statistic is Student's t with a pooled variance, which over exchanges is a
// monotonic function of the sum of the exchanged side's centred values over the root
// of their sum of squares.
func westfallYoung(tests []test, sides func(test) (from, to []float64)) []float64 {
	rows := len(tests)
	var n, total int
	var z []float64 // by row: "to", then "from", centred and scaled
	for _, t := range tests {
		from, to := sides(t)
		n, total = len(to), len(to)+len(from)
		z = append(z, standardised(to, from)...)
	}
	picks := exchanges(total, n)
	order := make([]int, rows)
	observed := make([]float64, rows)
	for r := range rows {
		order[r] = r
		observed[r] = pick(z[r*total:(r+1)*total], picks[0])
	}
	slices.SortStableFunc(order, func(a, b int) int { return -compareFloats(observed[a], observed[b]) })
	beaten := make([]int, rows)
	for _, p := range picks {
		largest := math.Inf(-1)
		for k := rows - 1; k >= 0; k-- {
			r := order[k]
			largest = max(largest, pick(z[r*total:(r+1)*total], p))
			if largest >= observed[r]-1e-12 {
				beaten[k]++
			}
		}
	}
	out := make([]float64, rows)
	last := 0.0
	for k, r := range order {
		last = max(last, float64(beaten[k])/float64(len(picks)))
		out[r] = last
	}
	return out
}

func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// standardised joins both sides with mean 0 and sum of squares 1; equal values are
// all 0.
func standardised(to, from []float64) []float64 {
	out := slices.Concat(to, from)
	mean := 0.0
	for _, v := range out {
		mean += v / float64(len(out))
	}
	square := 0.0
	for i := range out {
		out[i] -= mean
		square += out[i] * out[i]
	}
	for i := range out {
		if out[i] /= math.Sqrt(square); square < 1e-30 {
			out[i] = 0
		}
	}
	return out
}

func pick(z []float64, at []uint16) float64 {
	sum := 0.0
	for _, i := range at {
		sum += z[i]
	}
	return sum
}

// exchanges lists choices of n out of total, first 0..n-1: all of them, or so many
// at random.
func exchanges(total, n int) [][]uint16 {
	first := make([]uint16, n)
	for i := range first {
		first[i] = uint16(i)
	}
	out := [][]uint16{first}
	if 1/rowstat.LeastP(n, total-n) > mostPermutations {
		r := rand.New(rand.NewPCG(0x616d677075, uint64(total))) // the same every time
		for len(out) < mostPermutations {
			all := r.Perm(total)[:n]
			slices.Sort(all)
			next := make([]uint16, n)
			for i, v := range all {
				next[i] = uint16(v)
			}
			out = append(out, next)
		}
		return out
	}
	for at := slices.Clone(first); ; {
		i := n - 1
		for i >= 0 && int(at[i]) == total-n+i {
			i--
		}
		if i < 0 {
			return out
		}
		at[i]++
		for k := i + 1; k < n; k++ {
			at[k] = at[k-1] + 1
		}
		out = append(out, slices.Clone(at))
	}
}
