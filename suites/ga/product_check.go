package ga

import (
	"math"
	"slices"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// layout is where the components of multivectors are.
type layout struct {
	unit   int64 // multivectors of a unit
	planes bool  // a unit holds all first components, then all second ones, ...
}

// planeBlock is the number of multivectors of a unit in planes. A whole array in planes could
// not be divided at multivectors: each device would hold eight pieces of it.
const planeBlock = 256

func layoutOf(b suites.Build) layout {
	if b.Params["layout"] == 1 {
		return layout{planeBlock, true}
	}
	return layout{1, false}
}

// at is the place of component j of multivector i in its array.
func (l layout) at(i, j int64) int64 {
	if l.planes {
		return i/l.unit*l.unit*8 + j*l.unit + i%l.unit
	}
	return 8*i + j
}

// read is multivector i of an input.
func (l layout) read(seed uint64, src program.Source, i int64) (m Multivector) {
	s := suites.Stream{Seed: seed, Workload: number, Array: src.ID}
	for j := range m {
		m[j] = float64(s.F32(l.at(i, int64(j)), src.A, src.B))
	}
	return m
}

// Verify compares with float64; self-check: products with a third multivector associate.
func (product) Verify(c *suites.Check) (suites.Outcome, error) {
	repeat, err := repeats(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	r := versor()
	chain := Power(r, repeat-1)
	seed, l := c.Build.Seed, layoutOf(c.Build)
	tally, err := c.EachUnit("C", c.Program.Units, func(unit int64, got []uint32, t *suites.Tally) {
		for i := unit * l.unit; i < (unit+1)*l.unit; i++ {
			a, b, x := l.read(seed, operandA, i), l.read(seed, operandB, i), l.read(seed, probe, i)
			want, bound := Product(Product(a, b), chain), bounds(a, b, r, repeat)
			var value Multivector
			for j := range value {
				at := l.at(i, int64(j))
				word := got[at-8*unit*l.unit]
				t.Near("C", at, word, want[j], bound[j])
				value[j] = float64(math.Float32frombits(word))
			}
			left, right := Product(value, x), Product(a, Product(b, Product(chain, x)))
			limit := slices.Max(bound[:]) * x.Norm1()
			for j := range left {
				t.Identity("(ab)c = a(bc)", i, left[j], right[j], limit)
			}
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E1", "(ab)c = a(bc)"), nil
}
