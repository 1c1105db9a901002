package hash

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
)

// sampledLeaves is how many leaves a sampled check hashes on the CPU: whole
// subtrees, the first and the last at least.
const sampledLeaves = 1 << 20

// Verify recomputes subtree roots from the leaves (all when the check is full),
// then the top from all roots, and compares roots and root on every device. A
// sampled check also recomputes nodes of every level from what lies below them.
func (w merkle) Verify(c *suites.Check) (suites.Outcome, error) {
	t, err := treeOf(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	number := w.Info().Number
	leaves := suites.Stream{Seed: c.Build.Seed, Workload: number, Array: idLeaves}
	roots, err := c.Out.Words("roots", 0, t.units()*hashWords)
	if err != nil {
		return suites.Outcome{}, err
	}
	chosen := t.chosen(c, number)
	all := suites.Spread(int64(len(chosen)), func(lo, hi int64, tally *suites.Tally) {
		for _, u := range chosen[lo:hi] {
			compare(tally, "roots", u, roots[u*hashWords:(u+1)*hashWords], t.subtree(leaves, u))
		}
	})
	if !c.Full {
		if err := t.levels(c, number, leaves, &all); err != nil {
			return suites.Outcome{}, err
		}
	}
	if err := t.summit(c, roots, &all); err != nil {
		return suites.Outcome{}, err
	}
	return all.Outcome("E0", "the root recomputed from all subtree roots, equal on every device"), nil
}

// chosen lists the subtrees to recompute, ascending.
func (t tree) chosen(c *suites.Check, number uint32) []int64 {
	units := t.units()
	if c.Full {
		return suites.SampleIndices(0, number, 0, units, int(units))
	}
	picked := suites.SampleIndices(c.Build.Seed, number, 0, units, max(sampledLeaves>>t.shift, 1))
	if picked[0] != 0 {
		picked = append([]int64{0}, picked...)
	}
	if picked[len(picked)-1] != units-1 {
		picked = append(picked, units-1)
	}
	return picked
}

// summit recomputes the root from the roots of device 0 and compares what every
// device holds.
func (t tree) summit(c *suites.Check, roots []uint32, all *suites.Tally) error {
	level := make([]node, t.units())
	for u := range level {
		level[u] = toNode(roots[u*hashWords : (u+1)*hashWords])
	}
	want := rootOf(level, t.raw)
	for d := range c.Program.Shares {
		got, err := c.Out.LocalWords("root", d, 0, hashWords)
		if err != nil {
			return err
		}
		compare(all, fmt.Sprintf("root on device %d, node ", d), 0, got, want)
		held, err := c.Out.LocalWords("roots", d, 0, t.units()*hashWords)
		if err != nil {
			return err
		}
		for i, g := range held {
			all.Bits(fmt.Sprintf("roots on device %d, word ", d), int64(i), g, roots[i])
		}
	}
	return nil
}

// levels recomputes Philox-chosen nodes of each level from the level below, as the
// device left it: at least suites.MinSampled words.
func (t tree) levels(c *suites.Check, number uint32, leaves suites.Stream, all *suites.Tally) error {
	if t.shift == 0 {
		return nil
	}
	each := suites.MinSampled/hashWords/t.shift + 1
	for level := 1; level <= t.shift; level++ {
		for _, g := range suites.SampleIndices(c.Build.Seed, number, uint32(level), t.nodes(level), each) {
			got, err := t.read(c, leaves, level, g)
			if err != nil {
				return err
			}
			want, err := t.read(c, leaves, level-1, 2*g)
			if err != nil {
				return err
			}
			switch {
			case 2*g+1 < t.nodes(level-1):
				right, err := t.read(c, leaves, level-1, 2*g+1)
				if err != nil {
					return err
				}
				want = parent(want, right, t.raw)
			case t.raw && t.nodes(level-1) > 1:
				want = parent(want, want, true)
			}
			for k := range hashWords {
				all.Bits(fmt.Sprintf("level %d, words of nodes", level), g*hashWords+int64(k), word(got, k), word(want, k))
			}
		}
	}
	return nil
}

// read returns node g of a level: leaf hashes from the sources, the rest from the
// device.
func (t tree) read(c *suites.Check, leaves suites.Stream, level int, g int64) (node, error) {
	if level == 0 {
		return leafHash(leaf(leaves, g), t.raw), nil
	}
	array, shift, base := t.place(level)
	per := t.shift - level // log2 of this level's nodes in a unit
	unit, i := g>>per, g&(1<<per-1)
	words, err := c.Out.Words(array, (unit<<shift+int64(base)+i)*hashWords, hashWords)
	if err != nil {
		return node{}, err
	}
	return toNode(words), nil
}

func compare(t *suites.Tally, array string, i int64, got []uint32, want node) {
	for k, g := range got {
		t.Bits(array, i*hashWords+int64(k), g, word(want, k))
	}
}
