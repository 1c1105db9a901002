package enumerative

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
)

// sampledSubsets bounds the subsets whose contributions are computed again.
const sampledSubsets = 1 << 20

// Verify computes chunks again, adds all partials up exactly and compares every device's
// total; a sum over whole Grassmannians must be the number that Pieri's rule and the hook
// formula give, without localisation.
func (schubert) Verify(c *suites.Check) (suites.Outcome, error) {
	x, err := intersect(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	words, err := c.Out.Words("partials", 0, 2*x.chunks)
	if err != nil {
		return suites.Outcome{}, err
	}
	sampled := x.chunks
	if !c.Full || x.size > 1<<26 {
		sampled = min(max(sampledSubsets/x.stride, 8), x.chunks)
	}
	units := suites.SampleIndices(c.Build.Seed, schubertNumber, 0, x.chunks, int(sampled))
	units = append(units, (x.size-1)/x.stride) // the last one with subsets
	for _, s := range c.Program.Shares {
		if s.Len() > 0 {
			units = append(units, s.Lo, s.Hi-1)
		}
	}
	tally := suites.Spread(int64(len(units)), func(lo, hi int64, t *suites.Tally) {
		for _, u := range units[lo:hi] {
			first := min(u*x.stride, x.size)
			want := x.sum(first, min(first+x.stride, x.size))
			t.Bits("partials", 2*u, words[2*u], uint32(want&0xFFFF))
			t.Bits("partials", 2*u+1, words[2*u+1], uint32(want>>16))
		}
	})
	var low, high uint64
	for i, w := range words {
		if i%2 == 0 {
			low += uint64(w)
		} else {
			high += uint64(w)
		}
	}
	for d := range c.Program.Shares {
		got, err := c.Out.LocalWords("total", d, 0, 2)
		if err != nil {
			return suites.Outcome{}, err
		}
		tally.Bits("total", 0, got[0], uint32(low))
		tally.Bits("total", 1, got[1], uint32(high))
	}
	value := (low + high<<16) % prime
	self := fmt.Sprintf("sum over %d of %d subsets, %d", x.size, x.subsets, value)
	if x.size%x.subsets == 0 {
		want := mul(x.number(), uint64(x.size/x.subsets)%prime)
		tally.Identity("localisation = Pieri and hook formula", 0, float64(value), float64(want), 0)
		self = fmt.Sprintf("localisation = Pieri's rule and the hook formula: %d on Gr(%d,%d)", x.number(), x.k, x.n)
	}
	return tally.Outcome("E0", self), nil
}

// sum adds the contributions of subsets [lo,hi) as the formula says: the differences of each
// member to all that are none, and one inverse a subset.
func (x intersection) sum(lo, hi int64) (total uint64) {
	members, inside := make([]int64, x.k), make([]bool, x.n)
	for i := lo; i < hi; i++ {
		if at := i % x.subsets; i == lo || at == 0 {
			unrank(members, at)
		} else {
			next(members)
		}
		clear(inside)
		for _, i := range members {
			inside[i] = true
		}
		below, linear := uint64(1), uint64(0)
		for _, i := range members {
			linear += uint64(i + 1)
			for j, in := range inside {
				if !in {
					below = mul(below, uint64(i-int64(j)+prime))
				}
			}
		}
		term := mul(inverse(below), power(linear, x.power))
		for _, p := range x.classes {
			term = mul(term, schur(p, members))
		}
		total += term
	}
	return total % prime
}

// unrank sets members, ascending from 0, to subset number index in the combinatorial
// number system.
func unrank(members []int64, index int64) {
	for k := int64(len(members)); k > 0; k-- {
		c := k - 1
		for binomial(c+1, k) <= index {
			c++
		}
		members[k-1] = c
		index -= binomial(c, k)
	}
}

// next goes on to the next subset.
func next(members []int64) {
	i := 0
	for i+1 < len(members) && members[i]+1 == members[i+1] {
		members[i] = int64(i)
		i++
	}
	members[i]++
}
