package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/amgpu/amgpu/report/result"
)

// Ratio estimates num/den from two independent sets of positive values:
// Hodges-Lehmann on logarithms, with the interval from inverting the
// Mann-Whitney test (measurement.md 5.2). ok is false if a side is empty.
func Ratio(num, den []float64) (v result.Value, ok bool) {
	n, m := len(den), len(num)
	if n == 0 || m == 0 {
		return v, false
	}
	x, y := sortedLogs(den), sortedLogs(num)
	pairs := n * m
	d := func(k int) float64 { return kthDifference(y, x, k) }
	if pairs%2 == 1 {
		v.Value = math.Exp(d(pairs/2 + 1))
	} else {
		v.Value = math.Exp(d(pairs/2)/2 + d(pairs/2+1)/2)
	}
	if k := UK(n, m, 1-level); k > 0 {
		lo, hi := math.Exp(d(k)), math.Exp(d(pairs+1-k))
		v.Low, v.High = &lo, &hi
	}
	return v, true
}

func sortedLogs(xs []float64) []float64 {
	s := make([]float64, len(xs))
	for i, x := range xs {
		s[i] = math.Log(x)
	}
	slices.Sort(s)
	return s
}

// kthDifference is the k-th smallest (from 1) of all y[j]-x[i], both sorted. It
// bisects over the floating-point numbers themselves, so it is exact and needs
// 64 linear passes instead of a list of all differences.
func kthDifference(y, x []float64, k int) float64 {
	lo := orderOf(y[0] - x[len(x)-1])
	hi := orderOf(y[len(y)-1] - x[0])
	for lo < hi {
		mid := lo + (hi-lo)/2
		if countAtMost(y, x, floatOf(mid)) >= k {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return floatOf(lo)
}

// countAtMost counts the pairs with y[j]-x[i] <= limit; rounding is monotone, so
// one pointer per side is enough.
func countAtMost(y, x []float64, limit float64) int {
	count, j := 0, 0
	for i := range x {
		for j < len(y) && y[j]-x[i] <= limit {
			j++
		}
		count += j
	}
	return count
}

// orderOf maps floats to integers in the same order.
func orderOf(f float64) uint64 {
	b := math.Float64bits(f)
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

func floatOf(o uint64) float64 {
	if o>>63 == 1 {
		return math.Float64frombits(o &^ (1 << 63))
	}
	return math.Float64frombits(^o)
}

// PairedRatio estimates num/den from values paired by block: the median of the
// Walsh averages of the log ratios, with the interval from inverting the exact
// Wilcoxon signed rank test (measurement.md 5.3). ok is false for fewer than 6
// pairs, which carry no 95 % interval, or unequal lengths.
func PairedRatio(num, den []float64) (v result.Value, ok bool) {
	n := len(num)
	if n < 6 || n != len(den) {
		return v, false
	}
	walsh := make([]float64, 0, n*(n+1)/2)
	for a := range num {
		da := math.Log(num[a] / den[a])
		for b := a; b < n; b++ {
			walsh = append(walsh, da/2+math.Log(num[b]/den[b])/2)
		}
	}
	slices.Sort(walsh)
	v.Value = math.Exp(medianSorted(walsh))
	if k := WilcoxonK(n, 1-level); k > 0 {
		lo, hi := math.Exp(walsh[k-1]), math.Exp(walsh[len(walsh)-k])
		v.Low, v.High = &lo, &hi
	}
	return v, true
}

// WilcoxonK is the largest k with P(W <= k-1) <= alpha/2 for the signed rank sum
// of n pairs; 0: no interval attainable.
func WilcoxonK(n int, alpha float64) int {
	top := n * (n + 1) / 2
	if n > 2*exactLimit {
		sigma := math.Sqrt(float64(top) * float64(2*n+1) / 12)
		z := distuv.UnitNormal.Quantile(1 - alpha/2)
		return max(0, int(math.Floor(float64(top)/2-z*sigma+0.5)))
	}
	ways := make([]float64, top+1)
	ways[0] = 1
	for r := 1; r <= n; r++ {
		for w := top; w >= r; w-- {
			ways[w] += ways[w-r]
		}
	}
	k, sum := 0, 0.0
	for _, w := range ways {
		if sum += w; sum/math.Exp2(float64(n)) > alpha/2 {
			break
		}
		k++
	}
	return k
}
