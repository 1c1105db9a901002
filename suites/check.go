package suites

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// Spread cuts [0,n) into one part per processor, runs f on the parts at the same time
// and joins their tallies in order.
func Spread(n int64, f func(lo, hi int64, t *Tally)) Tally {
	parts := min(int64(runtime.GOMAXPROCS(0)), n)
	tallies := make([]Tally, max(parts, 0))
	var wg sync.WaitGroup
	for p := range tallies {
		wg.Go(func() {
			f(n*int64(p)/parts, n*int64(p+1)/parts, &tallies[p])
		})
	}
	wg.Wait()
	var all Tally
	for _, t := range tallies {
		all.Add(t)
	}
	return all
}

// blockWords bounds how much of an array EachUnit reads at a time.
const blockWords = 1 << 22

// EachUnit shows the units of an output array to judge: every unit of [0,units) when
// the check is full, else Philox-chosen ones holding at least MinSampled outputs, with
// both ends of every share among them. judge gets the unit's index and words and runs
// on several goroutines.
func (c *Check) EachUnit(array string, units int64, judge func(unit int64, got []uint32, t *Tally)) (Tally, error) {
	a, ok := c.Program.Array(array)
	if !ok {
		return Tally{}, fmt.Errorf("check of %q: the program has no such array", array)
	}
	if c.Full {
		return c.everyUnit(array, units, a.Stride, judge)
	}
	wanted := c.sampleUnits(units, a.Stride)
	words := make([][]uint32, len(wanted))
	for i, u := range wanted {
		var err error
		if words[i], err = c.Out.Words(array, u*a.Stride, a.Stride); err != nil {
			return Tally{}, err
		}
	}
	return Spread(int64(len(wanted)), func(lo, hi int64, t *Tally) {
		for i := lo; i < hi; i++ {
			judge(wanted[i], words[i], t)
		}
	}), nil
}

func (c *Check) everyUnit(array string, units, stride int64, judge func(int64, []uint32, *Tally)) (Tally, error) {
	var all Tally
	block := max(blockWords/stride, 1)
	for first := int64(0); first < units; first += block {
		n := min(block, units-first)
		words, err := c.Out.Words(array, first*stride, n*stride)
		if err != nil {
			return all, err
		}
		all.Add(Spread(n, func(lo, hi int64, t *Tally) {
			for u := lo; u < hi; u++ {
				judge(first+u, words[u*stride:(u+1)*stride], t)
			}
		}))
	}
	return all, nil
}

// sampleUnits chooses the units of a sampled check, ascending.
func (c *Check) sampleUnits(units, stride int64) []int64 {
	k := int((MinSampled + stride - 1) / stride)
	at := SampleIndices(c.Build.Seed, 0, uint32(stride), units, k) // no input has workload id 0
	for _, s := range c.Program.Shares {
		if s.Len() > 0 {
			at = append(at, s.Lo, s.Hi-1)
		}
	}
	return sortedBelow(at, units)
}

// sortedBelow sorts positions, drops repeated ones and those not below n.
func sortedBelow(at []int64, n int64) []int64 {
	slices.Sort(at)
	at = slices.Compact(at)
	end, _ := slices.BinarySearch(at, n)
	return at[:end]
}
