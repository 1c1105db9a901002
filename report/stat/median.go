package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/amgpu/amgpu/report/result"
)

// Median returns the middle of xs, or the mean of the two middle values; NaN for
// none. xs is not changed.
func Median(xs []float64) float64 {
	return medianSorted(sorted(xs))
}

func sorted(xs []float64) []float64 {
	s := slices.Clone(xs)
	slices.Sort(s)
	return s
}

func medianSorted(s []float64) float64 {
	n := len(s)
	switch {
	case n == 0:
		return math.NaN()
	case n%2 == 1:
		return s[n/2]
	}
	return s[n/2-1]/2 + s[n/2]/2
}

// MedianRanks returns the 1-based ranks of the order statistics that bound the
// median of n values, and the coverage: with B ~ Binomial(n, 1/2),
// P(lo <= B < hi). They are the narrowest with coverage of at least 95 %, the
// lower ones of two equals. ok is false for n <= 5, where there are none.
func MedianRanks(n int) (lo, hi int, coverage float64, ok bool) { return medianRanks(n, level) }

func medianRanks(n int, level float64) (lo, hi int, coverage float64, ok bool) {
	b := distuv.Binomial{N: float64(n), P: 0.5}
	// The central choice covers most at each width, and coverage grows with it.
	for width := 1; width < n; width++ {
		lo = (n - width + 1) / 2
		hi = lo + width
		coverage = b.CDF(float64(hi-1)) - b.CDF(float64(lo-1))
		if coverage >= level {
			return lo, hi, coverage, true
		}
	}
	return 0, 0, 0, false
}

// MedianInterval is the median of xs with its order-statistic interval. ok is
// false without values.
func MedianInterval(xs []float64) (m result.Median, ok bool) {
	if len(xs) == 0 {
		return m, false
	}
	s := sorted(xs)
	m.Median = medianSorted(s)
	if lo, hi, _, ok := MedianRanks(len(s)); ok {
		m.Low, m.High = &s[lo-1], &s[hi-1]
	}
	return m, true
}
