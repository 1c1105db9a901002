package stat

import (
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// rankSums is the exact distribution of the sum of n of the doubled midranks:
// ways[i] choices have the sum least + i*step.
type rankSums struct {
	ways        []float64
	least, step int
}

// permutation are the probabilities of the observed sum of n of the doubled ranks.
func permutation(double []int, n, observed int) PValues {
	d := known.of(double, n)
	// The mean of the doubled rank sum is n(N+1); distances in whole numbers.
	mean := n * (len(double) + 1)
	var less, greater, two, total float64
	for i, w := range d.ways {
		s := d.least + i*d.step
		total += w
		if s <= observed {
			less += w
		}
		if s >= observed {
			greater += w
		}
		if abs(s-mean) >= abs(observed-mean) {
			two += w
		}
	}
	return PValues{Less: less / total, TwoSided: two / total, Greater: greater / total}
}

// countSums counts, by dynamic programming over the values in ascending order, the
// choices of n of them by their sum. Of k chosen among the first j values only sums
// between those of the k smallest and the k largest occur, and only such k matter
// as the values left can complete to n.
func countSums(sorted []int, n int) rankSums {
	step := 0
	for _, r := range sorted {
		step = gcd(step, r-sorted[0])
	}
	step = max(step, 1) // all alike
	// Ranks in steps above the smallest, and the sums of the first j of them.
	rank, first := make([]int, len(sorted)), make([]int, len(sorted)+1)
	for j, r := range sorted {
		rank[j] = (r - sorted[0]) / step
		first[j+1] = first[j] + rank[j]
	}
	// ways[k][i] choices of k have the sum first[k] + i.
	ways, rest := make([][]float64, n+1), len(sorted)-n
	for k := range ways {
		ways[k] = make([]float64, first[rest+k]-first[rest]-first[k]+1)
	}
	ways[0][0] = 1
	for j, r := range rank {
		for k := min(n, j+1); k >= max(1, j+1-rest); k-- {
			from := ways[k-1][:first[j]-first[j-k+1]-first[k-1]+1]
			floats.Add(ways[k][r-rank[k-1]:][:len(from)], from)
		}
	}
	return rankSums{ways[n], n*sorted[0] + first[n]*step, step}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// distributions keeps those counted, as the rows of a result mostly have the same
// numbers of launches and no ties. It may be used by several goroutines.
type distributions struct {
	mu   sync.Mutex
	kept map[string]rankSums
}

var known = distributions{kept: map[string]rankSums{}}

// mostKept bounds the memory: up to 50 values a side, each takes at most 40 kB.
const mostKept = 128

// of returns the distribution of the sum of n of the doubled ranks, which depends
// on n and on which values are tied only.
func (d *distributions) of(double []int, n int) rankSums {
	sorted := slices.Sorted(slices.Values(double))
	key := []byte{byte(n)}
	for _, r := range sorted { // at most twice 2*exactLimit
		key = append(key, byte(r))
	}
	d.mu.Lock()
	found, ok := d.kept[string(key)]
	d.mu.Unlock()
	if ok {
		return found
	}
	counted := countSums(sorted, n)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.kept) >= mostKept {
		clear(d.kept)
	}
	d.kept[string(key)] = counted
	return counted
}

func abs(x int) int { return max(x, -x) }
