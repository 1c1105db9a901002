package stat

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/amgpu/amgpu/report/result"
)

// leastForT is from how many launches on Student's interval is given: with two its
// factor is 12.7, and it says nothing.
const leastForT = 3

// TRatio estimates num/den from so few values that no distribution-free interval exists:
// the mean of log ratios with Student's interval. Paired values give L differences and
// L-1 degrees of freedom (4.30 standard errors at 3); others Welch's form (Welch,
// Biometrika 34, 1947). It assumes what few values cannot show, that the logarithms are normal between
// launches, so that no verdict may rest on it; the value says by Method which it is. ok is false
// for fewer than 3 values on a side, and where they do not scatter at all.
func TRatio(num, den []float64, paired bool) (v result.Value, ok bool) {
	if len(num) < leastForT || len(den) < leastForT || paired && len(num) != len(den) {
		return v, false
	}
	var centre, variance, freedom float64
	if paired {
		d := make([]float64, len(num))
		for i := range d {
			d[i] = math.Log(num[i] / den[i])
		}
		n := float64(len(d))
		mean, s2 := stat.MeanVariance(d, nil)
		centre, variance, freedom = mean, s2/n, n-1
	} else {
		n, m := float64(len(num)), float64(len(den))
		my, sy := stat.MeanVariance(sortedLogs(num), nil)
		mx, sx := stat.MeanVariance(sortedLogs(den), nil)
		a, b := sy/n, sx/m
		centre, variance = my-mx, a+b
		freedom = variance * variance / (a*a/(n-1) + b*b/(m-1))
	}
	if !(variance > 0) {
		return v, false
	}
	half := distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile((1+level)/2) * math.Sqrt(variance)
	low, high := math.Exp(centre-half), math.Exp(centre+half)
	return result.Value{Value: math.Exp(centre), Low: &low, High: &high, Method: result.StudentT}, true
}
