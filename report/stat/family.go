package stat

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/amgpu/amgpu/report/result"
)

// Holm adjusts p-values so that the chance of any false alarm in the family is at
// most that of one test (Holm 1979). The order is that of ps.
func Holm(ps []float64) []float64 {
	order := byValue(ps)
	out := make([]float64, len(ps))
	last := 0.0
	for rank, i := range order {
		last = max(last, min(1, float64(len(ps)-rank)*ps[i]))
		out[i] = last
	}
	return out
}

// BenjaminiHochberg adjusts p-values so that the expected share of false alarms
// among all alarms is bounded (Benjamini and Hochberg 1995).
func BenjaminiHochberg(ps []float64) []float64 {
	order := byValue(ps)
	out := make([]float64, len(ps))
	last := 1.0
	for rank := len(order) - 1; rank >= 0; rank-- {
		i := order[rank]
		last = min(last, float64(len(ps))*ps[i]/float64(rank+1))
		out[i] = last
	}
	return out
}

// byValue lists the indexes of ps from the smallest value up.
func byValue(ps []float64) []int {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case ps[a] < ps[b]:
			return -1
		case ps[a] > ps[b]:
			return 1
		}
		return 0
	})
	return order
}

// LeastP is the smallest one-sided p-value that n against m launches can give:
// 1/C(n+m, n) (measurement.md G5).
func LeastP(n, m int) float64 { return math.Exp(-lchoose(n+m, n)) }

// LargestFamily is how many comparisons of n against m launches may be made until
// none of them can be significant at alpha after Holm's correction.
func LargestFamily(n, m int, alpha float64) int {
	return int(math.Floor(alpha/LeastP(n, m) + 1e-9))
}

// Fieller is the ratio of the mean of num to that of den with its interval
// (measurement.md 5.4), for normal values; Student's t on the smaller sample. The
// interval is unbounded, null, where the mean of den is not far enough from 0. ok
// is false with fewer than two values on a side.
func Fieller(num, den []float64) (v result.Value, ok bool) {
	if len(num) < 2 || len(den) < 2 {
		return v, false
	}
	a, va := stat.MeanVariance(den, nil)
	b, vb := stat.MeanVariance(num, nil)
	va, vb = va/float64(len(den)), vb/float64(len(num))
	r := b / a
	v.Value = r
	t := student(min(len(num), len(den)) - 1)
	g := t * t * va / (a * a)
	if !(g < 1) {
		return v, true
	}
	half := t / math.Abs(a) * math.Sqrt(vb+r*r*va-g*vb)
	lo, hi := (r-half)/(1-g), (r+half)/(1-g)
	v.Low, v.High = &lo, &hi
	return v, true
}

// MedianRatio is the ratio of medians with a percentile interval from resampling
// both sides (secondary: Ratio is what decides). ok is false if a side is empty.
func MedianRatio(num, den []float64) (v result.Value, ok bool) {
	if len(num) == 0 || len(den) == 0 {
		return v, false
	}
	v.Value = Median(num) / Median(den)
	if len(num) < 2 || len(den) < 2 {
		return v, true
	}
	source := rand.NewPCG(resampleSeed, uint64(len(num)))
	a, b := newResampler(num, source), newResampler(den, source)
	ratios := make([]float64, resamples)
	for i := range ratios {
		ratios[i] = a.median() / b.median()
	}
	lo, hi := percentiles(ratios)
	v.Low, v.High = &lo, &hi
	return v, true
}
