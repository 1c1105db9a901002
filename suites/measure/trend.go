package measure

import (
	"math"
	"slices"

	"github.com/amgpu/amgpu/report/stat"
)

// MannKendall is the two-sided p-value of the Mann-Kendall test for a trend,
// with the normal approximation, continuity correction and correction for ties
// (Mann 1945, Kendall 1975).
func MannKendall(x []float64) float64 {
	n := len(x)
	s := 0
	for i := range x {
		for j := i + 1; j < n; j++ {
			switch {
			case x[j] > x[i]:
				s++
			case x[j] < x[i]:
				s--
			}
		}
	}
	term := func(k int) float64 { return float64(k) * float64(k-1) * float64(2*k+5) }
	variance := term(n)
	sorted := slices.Sorted(slices.Values(x))
	for i := 0; i < n; {
		j := i
		for j < n && sorted[j] == sorted[i] {
			j++
		}
		variance -= term(j - i)
		i = j
	}
	if variance <= 0 || s == 0 {
		return 1
	}
	z := (math.Abs(float64(s)) - 1) / math.Sqrt(variance/18)
	return math.Erfc(z / math.Sqrt2)
}

// precise tells whether the order-statistic 95 % interval of the median has a
// half-width of at most h of the median. Up to 5 samples have no such
// interval.
func precise(samples []float64, h float64) bool {
	m, ok := stat.MedianInterval(samples)
	return ok && m.Low != nil && (*m.High-*m.Low)/2 <= h*m.Median
}
