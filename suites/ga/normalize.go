package ga

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const normalizeNumber = 3

func init() { suites.Register(normalize{}) }

type normalize struct{}

// leastNorm is where a multivector counts as zero. Components of the inputs are uniform in
// [-1,1), or in a range whose norms lie on both sides of leastNorm.
const leastNorm = 1e-14

var (
	unitRange = program.Random(0, -1, 1)
	tinyRange = program.Random(0, -6e-15, 6e-15)
)

func (normalize) Info() suites.Info {
	return suites.Info{
		ID: "ga/normalize", Number: normalizeNumber,
		Doc:           "Multivectors of Cl(3,0) over their norm; tiny 1 takes inputs with norms around the least that counts",
		Source:        "Amari",
		Formula:       "y = a/|a|, zero where |a| < 1e-14; |a|^2 is the sum of the squares of the components",
		Sizes:         suites.Sizes{S: 1 << 14, M: 1 << 24, L: 1 << 28},
		SizeUnit:      "multivectors",
		Layout:        "a unit is a multivector, components in bitmask order 1, e1, e2, e12, e3, e13, e23, e123",
		WorkUnit:      "flop",
		Flops:         "25 per element: 23 and 2 special functions",
		Bytes:         "64 per element",
		Splits:        []string{"ranges"},
		Communication: "none",
		Tolerance:     "E2: 12 u relative, D0",
		Weak:          "elements proportional to the number of devices",
		Params:        []suites.Param{{Name: "tiny", Doc: "1: norms around 1e-14", Default: 0, Min: 0, Max: 1}},
	}
}

func inputs(tiny int64) program.Source {
	if tiny == 1 {
		return tinyRange
	}
	return unitRange
}

func (normalize) Build(b suites.Build) (*program.Program, error) {
	tiny := b.Params["tiny"]
	if b.Size < 1 || b.Size > maxSize || tiny < 0 || tiny > 1 {
		return nil, fmt.Errorf("size %d, tiny %d: choose 1 to %d multivectors and tiny 0 or 1", b.Size, tiny, int64(maxSize))
	}
	n := float64(b.Size)
	p := &program.Program{
		Units: b.Size, Shares: b.Divide(b.Size, 32),
		Arrays: []program.Array{
			{Name: "y", Elem: program.F32, Layout: program.Split, Units: b.Size, Stride: 8, Output: true},
			{Name: "a", Elem: program.F32, Layout: program.Split, Units: b.Size, Stride: 8, Source: inputs(tiny)},
		},
		Kernels: []program.Kernel{{Name: "main", Shader: "ga/normalize"}},
		Work:    25 * n, Flops: 25 * n, Bytes: 64 * n,
	}
	d := program.Dispatch{
		Label: "normalize", Kernel: "main",
		Bind: []program.Binding{{Array: "y", Access: program.Write}, {Array: "a", Access: program.Read}},
	}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: 256})
	}
	p.Steps = []program.Step{d}
	return p, nil
}

// Verify compares with float64 and checks that results have norm 1 or are zero. Within
// 12 u of the least norm a device may decide either way.
func (normalize) Verify(c *suites.Check) (suites.Outcome, error) {
	src := inputs(c.Build.Params["tiny"])
	in := suites.Stream{Seed: c.Build.Seed, Workload: normalizeNumber, Array: src.ID}
	tally, err := c.EachUnit("y", c.Program.Units, func(i int64, got []uint32, t *suites.Tally) {
		var a, value Multivector
		for j := range a {
			a[j] = float64(in.F32(8*i+int64(j), src.A, src.B))
			value[j] = float64(math.Float32frombits(got[j]))
		}
		norm := a.Norm()
		zero := norm < leastNorm
		if math.Abs(norm-leastNorm) < 12*suites.U*leastNorm {
			zero = value == Multivector{}
		}
		length := 1.0
		if zero {
			length = 0
		}
		for j, word := range got {
			want := length * a[j] / norm
			if norm == 0 {
				want = 0
			}
			t.Near("y", 8*i+int64(j), word, want, 12*suites.U*math.Abs(want))
		}
		t.Identity("|y| = 1 or 0", i, value.Norm(), length, 12*suites.U)
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E2", "|y| = 1 or 0"), nil
}
