package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactLimit is the sample size up to which the exact null distributions are
// used; beyond it the normal approximation differs by less than one rank in k.
const exactLimit = 50

// uTail returns P(U <= u) for u = 0, 1, ... up to half of nm, under the null
// hypothesis without ties: the Gaussian binomial coefficients over C(n+m, n).
func uTail(n, m int) []float64 {
	half := n*m/2 + 1
	count := make([]float64, half)
	count[0] = 1
	// Product over i of (1 - q^(n+i)) / (1 - q^i), as power series.
	for i := 1; i <= m; i++ {
		for u := half - 1; u >= n+i; u-- {
			count[u] -= count[u-n-i]
		}
		for u := i; u < half; u++ {
			count[u] += count[u-i]
		}
	}
	total := math.Exp(lchoose(n+m, n))
	sum := 0.0
	for u := range count {
		sum += count[u]
		count[u] = sum / total
	}
	return count
}

func lchoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// UK is k of the Hodges-Lehmann interval of n against m values: the largest k
// with P(U <= k-1) <= alpha/2; 0 means that no interval is attainable.
func UK(n, m int, alpha float64) int {
	if max(n, m) > exactLimit {
		sigma := math.Sqrt(float64(n) * float64(m) * float64(n+m+1) / 12)
		z := distuv.UnitNormal.Quantile(1 - alpha/2)
		return max(0, int(math.Floor(float64(n)*float64(m)/2-z*sigma+0.5)))
	}
	k := 0
	for _, p := range uTail(n, m) {
		if p > alpha/2 {
			break
		}
		k++
	}
	return k
}

// PValues of a Mann-Whitney test of a against b: Less is P(rank sum of a <= the
// observed one), Greater the other side, TwoSided the probability of a rank sum
// at least as far from its mean. All are NaN if a side is empty.
type PValues struct {
	Less, TwoSided, Greater float64
	U                       float64 // pairs with a > b, ties half
}

// MannWhitney compares a with b. Up to exactLimit values a side it uses the exact
// permutation distribution of the midrank sum, so ties are no approximation;
// beyond, the normal one with tie and continuity correction.
func MannWhitney(a, b []float64) PValues {
	n, m := len(a), len(b)
	if n == 0 || m == 0 {
		return PValues{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	}
	double, ties := midranks(append(slices.Clone(a), b...))
	r := 0
	for _, x := range double[:n] {
		r += x
	}
	u := float64(r)/2 - float64(n)*float64(n+1)/2
	if max(n, m) <= exactLimit {
		p := permutation(double, n, r)
		p.U = u
		return p
	}
	mean, total := float64(n)*float64(m)/2, float64(n+m)
	sigma := math.Sqrt(float64(n) * float64(m) / 12 * (total + 1 - ties/(total*(total-1))))
	if sigma == 0 { // all values alike
		return PValues{1, 1, 1, u}
	}
	less := distuv.UnitNormal.CDF((u - mean + 0.5) / sigma)
	greater := distuv.UnitNormal.Survival((u - mean - 0.5) / sigma)
	return PValues{less, min(1, 2*min(less, greater)), greater, u}
}

// midranks returns twice the rank of each value, ties sharing their mean, and the
// sum of t^3 - t over groups of ties.
func midranks(xs []float64) (double []int, ties float64) {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case xs[a] < xs[b]:
			return -1
		case xs[a] > xs[b]:
			return 1
		}
		return 0
	})
	double = make([]int, len(xs))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && xs[order[to]] == xs[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			double[i] = from + 1 + to // twice the mean of from+1..to
		}
		t := float64(to - from)
		ties += t*t*t - t
		from = to
	}
	return double, ties
}
