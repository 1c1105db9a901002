package zk

import (
	"fmt"
	"math/big"
	"sync"

	"github.com/amgpu/amgpu/suites"
)

// sumBlock bounds a partial sum of digits times multiples: 2^20 terms below 2^16 2^27.
const sumBlock = 1 << 20

// Verify computes in exact integers what multiple of G the sum of each window is on each
// device, and from them the result; it compares both, the points too, all of them when the
// check is full.
func (w msm) Verify(c *suites.Check) (suites.Outcome, error) {
	m, err := msmOf(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	all, err := c.EachUnit("points", m.n, func(i int64, got []uint32, t *suites.Tally) {
		p := bnGenerator().times(big.NewInt(m.multiple(i)))
		x, y := montgomery(p)
		for k, want := range append(x.words(), y.words()...) {
			t.Bits("points", i*affineWords+int64(k), got[k], want)
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	factors := m.factors(c.Build.Seed)
	sums, err := c.Out.LocalWords("sums", 0, 0, m.slots()*pointWords)
	if err != nil {
		return suites.Outcome{}, err
	}
	all.Add(suites.Spread(m.slots(), func(lo, hi int64, t *suites.Tally) {
		for slot := lo; slot < hi; slot++ {
			t.Checked++
			got := toJacobian(sums[slot*pointWords:]).exact()
			if want := bnGenerator().times(factors[slot]); t.Wrong == "" && !got.equal(want) {
				t.Wrong = fmt.Sprintf("sum of window %d of part %d is not %v G", slot%m.windows, slot/m.windows, factors[slot])
			}
		}
	}))
	want := bnGenerator().times(m.total(factors))
	for d := range c.Program.Shares {
		words, err := c.Out.LocalWords("result", d, 0, affineWords)
		if err != nil {
			return suites.Outcome{}, err
		}
		got := plainPoint(words)
		for k, g := range words {
			all.Bits(fmt.Sprintf("device %d: result", d), int64(k), g, pointWordsOf(want)[k])
		}
		if all.Wrong == "" && !got.onCurve() {
			all.Wrong = fmt.Sprintf("device %d: the result is no point of the curve", d)
		}
	}
	return all.Outcome("E0", "the result is a point of the curve and the sum of m_i s_i times G, so is every window's sum with its digits"), nil
}

// plainPoint is an affine point in words that are in no Montgomery form.
func plainPoint(words []uint32) affine {
	x, y := fromWords(words).big(), fromWords(words[limbWords:]).big()
	if x.Sign() == 0 && y.Sign() == 0 {
		return affine{}
	}
	return affine{x, y}
}

// pointWordsOf is the inverse of plainPoint.
func pointWordsOf(p affine) []uint32 {
	if p.infinite() {
		return make([]uint32, affineWords)
	}
	return append(toLimbs(p.x).words(), toLimbs(p.y).words()...)
}

// factors lists by slot the sum over a device's points of their multiples times the digits
// of their scalars in a window.
func (m sumOf) factors(seed uint64) []*big.Int {
	out := make([]*big.Int, m.slots())
	for i := range out {
		out[i] = new(big.Int)
	}
	parts := len(m.shares)
	if m.byWindows {
		parts = 1
	}
	var lock sync.Mutex
	scalars := m.scalarsOf(seed)
	for part := range parts {
		lo, hi := int64(0), m.n
		if !m.byWindows {
			lo, hi = m.shares[part].Lo, m.shares[part].Hi
		}
		suites.Spread(hi-lo, func(from, to int64, _ *suites.Tally) {
			sums := make([]int64, m.windows)
			var scalar [scalarWords]uint32
			for from < to {
				end := min(to, from+sumBlock)
				clear(sums)
				for ; from < end; from++ {
					x := m.multiple(lo + from)
					scalars(lo+from, scalar[:])
					for w := range sums {
						sums[w] += x * m.digit(scalar[:], int64(w))
					}
				}
				lock.Lock()
				for w, s := range sums {
					total := out[int64(part)*m.windows+int64(w)]
					total.Add(total, big.NewInt(s))
				}
				lock.Unlock()
			}
		})
	}
	return out
}

// total is the sum of m_i s_i, from its parts by window.
func (m sumOf) total(factors []*big.Int) *big.Int {
	sum := new(big.Int)
	for slot, f := range factors {
		sum.Add(sum, new(big.Int).Lsh(f, uint(m.first(int64(slot)%m.windows))))
	}
	return sum
}
