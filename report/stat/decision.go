package stat

import (
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/amgpu/amgpu/report/result"
)

// DecisionOf describes the times of calls, in seconds; nil without any.
func DecisionOf(times []float64) *result.Decision {
	if len(times) == 0 {
		return nil
	}
	s := sorted(times)
	out := &result.Decision{Calls: len(s), Median: medianSorted(s), P99: quantileSorted(s, .99)}
	if lo, hi, ok := quantileRanks(len(s), .99); ok {
		out.Low, out.High = &s[lo-1], &s[hi-1]
	}
	return out
}

// quantileRanks are the 1-based ranks of the order statistics that bound the p quantile
// of n values, with equal tails: with B ~ Binomial(n, p), P(B < lo) and P(B >= hi) are at most
// 2.5 %. ok is false where there are none: p = .99 needs 368 values.
func quantileRanks(n int, p float64) (lo, hi int, ok bool) {
	b := distuv.Binomial{N: float64(n), P: p}
	const tail = (1 - level) / 2
	for hi = n; hi > 1 && 1-b.CDF(float64(hi-2)) <= tail; hi-- {
	}
	for lo = 1; lo < n && b.CDF(float64(lo)) <= tail; lo++ {
	}
	return lo, hi, 1-b.CDF(float64(hi-1)) <= tail && b.CDF(float64(lo-1)) <= tail
}
