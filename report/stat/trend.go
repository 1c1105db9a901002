package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/amgpu/amgpu/report/result"
)

// MannKendall is the two-sided p-value of the Mann-Kendall test for a trend, with the
// normal approximation, continuity correction and correction for ties (Mann 1945,
// Kendall 1975). Of several parts only values of the same part are compared with each
// other (Hirsch, Slack and Smith 1982): a step between parts is no trend.
func MannKendall(parts ...[]float64) float64 {
	s, variance := 0, 0.0
	for _, x := range parts {
		for i := range x {
			for j := i + 1; j < len(x); j++ {
				switch {
				case x[j] > x[i]:
					s++
				case x[j] < x[i]:
					s--
				}
			}
		}
		variance += kendallVariance(x)
	}
	if variance <= 0 || s == 0 {
		return 1
	}
	z := (math.Abs(float64(s)) - 1) / math.Sqrt(variance)
	return math.Erfc(z / math.Sqrt2)
}

// kendallVariance is the variance of Kendall's S without a trend, corrected for ties.
func kendallVariance(x []float64) float64 {
	term := func(k int) float64 { return float64(k) * float64(k-1) * float64(2*k+5) }
	variance := term(len(x))
	sorted := slices.Sorted(slices.Values(x))
	for i := 0; i < len(x); {
		j := i
		for j < len(x) && sorted[j] == sorted[i] {
			j++
		}
		variance -= term(j - i)
		i = j
	}
	return variance / 18
}

// SenSlope is the slope of a trend per step of the index, the median over all pairs of
// values of the same part (Sen 1968; Hirsch, Slack and Smith 1982), with the 95 %
// interval from the ranks of the slopes (Gilbert 1987, 16.4); without one where
// there are too few pairs. NaN without a pair.
func SenSlope(parts ...[]float64) result.Value {
	var slopes []float64
	variance := 0.0
	for _, x := range parts {
		for i := range x {
			for j := i + 1; j < len(x); j++ {
				slopes = append(slopes, (x[j]-x[i])/float64(j-i))
			}
		}
		variance += kendallVariance(x)
	}
	if len(slopes) == 0 {
		return result.Value{Value: math.NaN()}
	}
	slices.Sort(slopes)
	v := result.Value{Value: Median(slopes)}
	n, c := float64(len(slopes)), distuv.UnitNormal.Quantile(.975)*math.Sqrt(max(variance, 0))
	if low, high := int(math.Floor((n-c)/2))-1, int(math.Ceil((n+c)/2)); low >= 0 && high < len(slopes) {
		v.Low, v.High = new(slopes[low]), new(slopes[high])
	}
	return v
}
