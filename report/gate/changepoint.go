package gate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Parameters of the search for change points (measurement.md G9).
const (
	historyWindow = 50
	historyP      = 0.001
)

// ChangePoints finds the indexes at which the level of xs changes: the energy
// statistic of Matteson and James (arXiv 1306.4933) proposes the best split, a
// Welch t-test of the neighbouring segments decides, as Hunter does it (Fleming et
// al., arXiv 2301.03034). Windows overlap by half; the first pass is ten times as
// lenient, the second drops the weakest points until all reach p and change the
// mean by the share magnitude.
func ChangePoints(xs []float64, window int, p, magnitude float64) []int {
	if window < 4 {
		return nil
	}
	var found []int
	for start := 0; start < len(xs); {
		end := min(start+window, len(xs))
		last := 0
		for _, i := range split(xs[start:end], min(10*p, 0.5)) {
			last = start + i
			if !slices.Contains(found, last) {
				found = append(found, last)
			}
		}
		start = max(last, start+window/2)
	}
	slices.Sort(found)
	return prune(xs, found, p, magnitude)
}

// split divides a window as long as the best split of any segment is significant.
func split(xs []float64, p float64) []int {
	var cuts []int
	for {
		best, at := 0.0, -1
		ends := append(append([]int{0}, cuts...), len(xs))
		for i := 1; i < len(ends); i++ {
			if k, q := bestSplit(xs[ends[i-1]:ends[i]]); k > 0 && q > best {
				best, at = q, ends[i-1]+k
			}
		}
		if at < 0 {
			return cuts
		}
		next := append(slices.Clone(cuts), at)
		slices.Sort(next)
		k := slices.Index(next, at)
		if segmentP(xs, next, k) > p {
			return cuts
		}
		cuts = next
	}
}

// bestSplit is the split with the largest energy statistic; 0 if there is none
// with two values on each side.
func bestSplit(xs []float64) (at int, q float64) {
	n := len(xs)
	if n < 4 {
		return 0, 0
	}
	// left and right are the sums of distances within the two sides, cross between.
	var left, right, cross float64
	for i := range xs {
		for j := range i {
			right += math.Abs(xs[i] - xs[j])
		}
	}
	for k := 1; k <= n-2; k++ { // xs[k-1] moves to the left
		var toLeft, toRight float64
		for j, x := range xs {
			d := math.Abs(xs[k-1] - x)
			if j < k-1 {
				toLeft += d
			} else {
				toRight += d
			}
		}
		left, right, cross = left+toLeft, right-toRight, cross-toLeft+toRight
		if k < 2 {
			continue
		}
		a, b := float64(k), float64(n-k)
		energy := 2*cross/(a*b) - 2*left/(a*(a-1)) - 2*right/(b*(b-1))
		if v := a * b / (a + b) * energy; v > q {
			at, q = k, v
		}
	}
	return at, q
}

// segmentP is the p-value of the test of the segments on both sides of cuts[k].
func segmentP(xs []float64, cuts []int, k int) float64 {
	before, after := around(xs, cuts, k)
	return welch(before, after)
}

func around(xs []float64, cuts []int, k int) (before, after []float64) {
	from, to := 0, len(xs)
	if k > 0 {
		from = cuts[k-1]
	}
	if k+1 < len(cuts) {
		to = cuts[k+1]
	}
	return xs[from:cuts[k]], xs[cuts[k]:to]
}

// welch is the two-sided p-value of equal means, variances not assumed equal; 1
// with fewer than two values on a side.
func welch(a, b []float64) float64 {
	if len(a) < 2 || len(b) < 2 {
		return 1
	}
	ma, va := stat.MeanVariance(a, nil)
	mb, vb := stat.MeanVariance(b, nil)
	va, vb = va/float64(len(a)), vb/float64(len(b))
	if va+vb == 0 {
		if ma == mb {
			return 1
		}
		return 0
	}
	df := (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(math.Abs(ma-mb)/math.Sqrt(va+vb))
}

// prune drops the weakest cut until all are significant, then the smallest until
// all are large enough; the segments grow with each cut that goes.
func prune(xs []float64, cuts []int, p, magnitude float64) []int {
	for len(cuts) > 0 {
		weakest, smallest := 0, 0
		worst, least := -1.0, math.Inf(1)
		for k := range cuts {
			if v := segmentP(xs, cuts, k); v > worst {
				weakest, worst = k, v
			}
			if v := math.Abs(change(xs, cuts, k)); v < least {
				smallest, least = k, v
			}
		}
		switch {
		case worst > p:
			cuts = slices.Delete(cuts, weakest, weakest+1)
		case least < magnitude:
			cuts = slices.Delete(cuts, smallest, smallest+1)
		default:
			return cuts
		}
	}
	return cuts
}

// change is the relative change of the mean at cuts[k].
func change(xs []float64, cuts []int, k int) float64 {
	before, after := around(xs, cuts, k)
	return stat.Mean(after, nil)/stat.Mean(before, nil) - 1
}
