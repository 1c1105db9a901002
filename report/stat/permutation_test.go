package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// TestPermutation compares the distribution of rank sums with every choice made one
// by one, with and without ties, from several goroutines at once.
func TestPermutation(t *testing.T) {
	var all sync.WaitGroup
	for seed := range uint64(300) {
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, 1))
			n, m := 1+random.IntN(6), 1+random.IntN(6)
			values := make([]float64, n+m)
			for i := range values {
				values[i] = float64(random.IntN(1 + int(seed%20)))
			}
			double, _ := midranks(values)
			observed := 0
			for _, r := range double[:n] {
				observed += r
			}
			if got, want := permutation(double, n, observed), choices(double, n, observed); got != want {
				t.Errorf("seed %d: %d of ranks %v: %+v, one by one %+v", seed, n, double, got, want)
			}
		})
	}
	all.Wait()
	if kept := len(known.kept); kept == 0 || kept > mostKept {
		t.Errorf("%d distributions kept", kept)
	}
}

func choices(double []int, n, observed int) PValues {
	mean := n * (len(double) + 1)
	var less, greater, two, total float64
	for set := range 1 << len(double) {
		size, s := 0, 0
		for i, r := range double {
			if set>>i&1 == 1 {
				size, s = size+1, s+r
			}
		}
		if size != n {
			continue
		}
		total++
		if s <= observed {
			less++
		}
		if s >= observed {
			greater++
		}
		if abs(s-mean) >= abs(observed-mean) {
			two++
		}
	}
	return PValues{Less: less / total, TwoSided: two / total, Greater: greater / total}
}

// Without ties the counts are the Gaussian binomials, at the largest sizes as well;
// with ties they still add up to all choices and are symmetric under exchange of sides.
func TestCountSums(t *testing.T) {
	for _, c := range []struct{ n, m int }{{7, 7}, {20, 31}, {50, 50}, {50, 1}, {1, 50}} {
		ranks := make([]int, c.n+c.m)
		for i := range ranks {
			ranks[i] = 2 * (i + 1)
		}
		d := countSums(ranks, c.n)
		if len(d.ways) != c.n*c.m+1 || d.least != c.n*(c.n+1) || d.step != 2 {
			t.Errorf("%+v: %d sums from %d in steps of %d", c, len(d.ways), d.least, d.step)
		}
		total, sum := math.Exp(lchoose(c.n+c.m, c.n)), 0.0
		for u, p := range uTail(c.n, c.m) {
			sum += d.ways[u]
			near(t, "P(U <= u)", sum/total, p, 1e-9)
		}
		tied, _ := midranks(slices.Concat(make([]float64, c.n), []float64{1, 1, 2}, make([]float64, c.m-1)))
		slices.Sort(tied)
		one, other := countSums(tied, c.n), countSums(tied, len(tied)-c.n)
		slices.Reverse(other.ways)
		if !slices.EqualFunc(one.ways, other.ways, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*b }) {
			t.Errorf("%+v: the other side of ties has other counts", c)
		}
	}
}

func BenchmarkMannWhitney(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	for name, digits := range map[string]float64{"untied": 1e12, "ties": 100} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				x, y := make([]float64, 50), make([]float64, 50)
				for i := range x {
					x[i], y[i] = math.Floor(random.Float64()*digits), math.Floor(random.Float64()*digits)
				}
				MannWhitney(x, y)
			}
		})
	}
}
