package relativity

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(spacetime{}) }

type spacetime struct{}

const (
	spacetimeNumber = 24
	maxEvents       = 1 << 42
	// timeShift is what the kernel adds to the first component, for timelike vectors.
	timeShift = 2
)

var (
	multivectors = program.Random(0, -1, 1)
	velocities   = program.Random(1, -0.5, 0.5)
)

func (spacetime) Info() suites.Info {
	return suites.Info{
		ID: "relativity/spacetime", Number: spacetimeNumber,
		Doc: "Lorentz transformations of multivectors of Cl(1,3) by one rotor; normalise=1: " +
			"Minkowski squares of four-velocities, renormalised to u.u = 1",
		Source:        "Amari; signature (+,-,-,-)",
		Formula:       "x' = R x rev(R), R a boost of rapidity 1.3 and a rotation by 2.2; normalise: q = t^2 - x^2 - y^2 - z^2, u' = u / sqrt(q)",
		Sizes:         suites.Sizes{S: 1 << 13, M: 1 << 24, L: 1 << 28},
		SizeUnit:      "elements",
		Layout:        "a multivector of Cl(1,3) in bitmask order, bit 0 for g0; with normalise 1 a vector t, x, y, z",
		WorkUnit:      "flop",
		Flops:         "992 per element: two products; normalise: 7 and 2 special functions",
		Bytes:         "128 per element; normalise: 36",
		Splits:        []string{"ranges"},
		Communication: "none",
		Tolerance:     "E1 (n = 32, S through both products); normalise: square E1 (n = 4, S = t^2+x^2+y^2+z^2), u' likewise and 8 u",
		Weak:          "elements proportional to the number of devices",
		Params: []suites.Param{
			{Name: "normalise", Doc: "1: squares and renormalised four-velocities", Max: 1},
		},
	}
}

func (spacetime) Build(b suites.Build) (*program.Program, error) {
	if b.Size < 1 || b.Size > maxEvents {
		return nil, fmt.Errorf("relativity/spacetime: %d elements: choose 1 to %d", b.Size, int64(maxEvents))
	}
	array := func(name string, stride int64, s program.Source) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Split, Units: b.Size, Stride: stride, Source: s, Output: s.Kind == program.None}
	}
	n := float64(b.Size)
	p := &program.Program{Units: b.Size, Shares: b.Divide(b.Size, 64)}
	d := program.Dispatch{Label: "compute", Kernel: "main"}
	var push []uint32
	if b.Params["normalise"] == 1 {
		p.Arrays = []program.Array{array("u", 4, program.Source{}), array("q", 1, program.Source{}), array("w", 4, velocities)}
		p.Kernels = []program.Kernel{{Name: "main", Shader: "relativity/minkowski"}}
		d.Bind = []program.Binding{{Array: "u", Access: program.Write}, {Array: "q", Access: program.Write}, {Array: "w", Access: program.Read}}
		p.Flops, p.Bytes = 9*n, 36*n
	} else {
		p.Arrays = []program.Array{array("y", 16, program.Source{}), array("x", 16, multivectors)}
		p.Kernels = []program.Kernel{{Name: "main", Shader: "relativity/sandwich"}}
		d.Bind = []program.Binding{{Array: "y", Access: program.Write}, {Array: "x", Access: program.Read}}
		r := lorentz()
		for _, blade := range evenBlades {
			push = append(push, math.Float32bits(float32(r[blade])))
		}
		p.Flops, p.Bytes = 992*n, 128*n
	}
	p.Work = p.Flops
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: groupSize, Push: push})
	}
	p.Steps = []program.Step{d}
	return p, nil
}

// Verify compares with float64; the quadratic forms are kept.
func (spacetime) Verify(c *suites.Check) (suites.Outcome, error) {
	if c.Build.Params["normalise"] == 1 {
		return verifyNormalised(c)
	}
	in := suites.Stream{Seed: c.Build.Seed, Workload: spacetimeNumber, Array: multivectors.ID}
	r := lorentz()
	back := r.reversed()
	slip := math.Abs(r.square()-1) + math.Abs(r.times(back)[15]) // R is rounded to float32
	tally, err := c.EachUnit("y", c.Program.Units, func(i int64, got []uint32, t *suites.Tally) {
		var x, y spacetimeElement
		for j := range x {
			x[j] = float64(in.F32(16*i+int64(j), multivectors.A, multivectors.B))
			y[j] = float64(math.Float32frombits(got[j]))
		}
		want, s := r.times(x).times(back), r.magnitudes(x).magnitudes(back)
		var square, kept, magnitude float64
		for j, word := range got {
			bound := suites.E1(32, s[j])
			t.Near("y", 16*i+int64(j), word, want[j], bound)
			square += (2*math.Abs(want[j]) + bound) * bound
			magnitude += s[j] * s[j]
		}
		kept = square + 2*slip*magnitude
		t.Identity("R x rev(R) keeps x.x", i, y.square(), x.square(), kept)
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E1", "R x rev(R) keeps the scalar part of x rev(x)"), nil
}

// verifyNormalised checks squares, then the renormalised vectors and their squares.
func verifyNormalised(c *suites.Check) (suites.Outcome, error) {
	in := suites.Stream{Seed: c.Build.Seed, Workload: spacetimeNumber, Array: velocities.ID}
	read := func(i int64) (u [4]float64, square, magnitude float64) {
		for j := range u {
			x := in.F32(4*i+int64(j), velocities.A, velocities.B)
			if j == 0 {
				x += timeShift
			}
			u[j] = float64(x)
			magnitude += u[j] * u[j]
		}
		return u, 2*u[0]*u[0] - magnitude, magnitude
	}
	tally, err := c.EachUnit("q", c.Program.Units, func(i int64, got []uint32, t *suites.Tally) {
		_, square, magnitude := read(i)
		t.Near("q", i, got[0], square, suites.E1(4, magnitude))
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	more, err := c.EachUnit("u", c.Program.Units, func(i int64, got []uint32, t *suites.Tally) {
		u, square, magnitude := read(i)
		root := math.Sqrt(square)
		// The square's relative error halves under the root; then the root and a product.
		relative := suites.E1(4, magnitude)/square/2 + 8*suites.U
		var kept, size float64
		for j, word := range got {
			t.Near("u", 4*i+int64(j), word, u[j]/root, relative*math.Abs(u[j])/root)
			x := float64(math.Float32frombits(word))
			size += x * x
			if kept += x * x; j > 0 {
				kept -= 2 * x * x
			}
		}
		t.Identity("u'.u' = 1", i, kept, 1, 2.1*relative*size)
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	tally.Add(more)
	return tally.Outcome("E1", "u'.u' = 1"), nil
}
