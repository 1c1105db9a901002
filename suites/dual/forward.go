// Package dual holds the workloads of forward-mode automatic differentiation. A dual
// number is two float32 next to each other, value and derivative.
package dual

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const forwardNumber = 9

func init() { suites.Register(forward{}) }

type forward struct{}

// Values and derivatives of the inputs are uniform in [-4,4).
var seeds = program.Random(0, -4, 4)

const (
	maxElements = 1 << 44
	maxRepeat   = 1 << 16
	// perGroup is the number of units, pairs of dual numbers, of a work-group.
	perGroup = 512
)

func (forward) Info() suites.Info {
	return suites.Info{
		ID: "dual/forward", Number: forwardNumber,
		Doc:           "Values and derivatives of a chain of functions on dual numbers; repeat r composes r times with x <- g(x)/2",
		Source:        "Amari",
		Formula:       "g(x) = tanh(sin(x) exp(-x^2/2)) + log(1 + x^2), (x, x') -> (g(x), g'(x) x'), |x| <= 4, |x'| <= 4",
		Sizes:         suites.Sizes{S: 1 << 14, M: 1 << 24, L: 1 << 27},
		SizeUnit:      "dual numbers",
		Layout:        "dual numbers, value and derivative side by side, two a unit",
		WorkUnit:      "flop",
		Flops:         "36 r per element: 30 and 6 special functions, nominal",
		Bytes:         "16 per element",
		Splits:        []string{"ranges"},
		Communication: "none",
		Tolerance:     "E2: value 32 u (1+|v|), derivative 64 u (1+|d|), D0",
		Weak:          "elements proportional to the number of devices",
		Params: []suites.Param{{
			Name: "repeat", Doc: "compositions in registers", Default: 1, Min: 1, Max: maxRepeat,
		}},
	}
}

// Build stores two dual numbers as one unit, so that a unit is a vec4; an odd size has one
// dual number more, which is computed and checked like all others.
func (forward) Build(b suites.Build) (*program.Program, error) {
	repeat := b.Params["repeat"]
	if b.Size < 1 || b.Size > maxElements || repeat < 1 || repeat > maxRepeat {
		return nil, fmt.Errorf("size %d, repeat %d: choose 1 to %d dual numbers and a repeat of 1 to %d", b.Size, repeat, int64(maxElements), maxRepeat)
	}
	units := (b.Size + 1) / 2
	p := &program.Program{
		Units: units, Shares: b.Divide(units, 64),
		Arrays: []program.Array{
			{Name: "y", Elem: program.F32, Layout: program.Split, Units: units, Stride: 4, Output: true},
			{Name: "x", Elem: program.F32, Layout: program.Split, Units: units, Stride: 4, Source: seeds},
		},
		Kernels: []program.Kernel{{Name: "main", Shader: "dual/forward"}},
		Flops:   36 * float64(repeat) * float64(b.Size),
		Bytes:   16 * float64(b.Size),
	}
	p.Work = p.Flops
	d := program.Dispatch{
		Label: "compute", Kernel: "main",
		Bind: []program.Binding{{Array: "y", Access: program.Write}, {Array: "x", Access: program.Read}},
	}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: perGroup, Push: []uint32{uint32(repeat)}})
	}
	p.Steps = []program.Step{d}
	return p, nil
}

// number is a dual number in float64.
type number struct{ v, d float64 }

func (a number) times(b number) number { return number{a.v * b.v, a.d*b.v + a.v*b.d} }
func (a number) plus(b number) number  { return number{a.v + b.v, a.d + b.d} }

// of applies a function of value f and slope s.
func (a number) of(f, s float64) number { return number{f, s * a.d} }

// chain is g on a dual number.
func chain(x number) number {
	square := x.times(x)
	fall := number{-square.v / 2, -square.d / 2}
	e := math.Exp(fall.v)
	bell := x.of(math.Sin(x.v), math.Cos(x.v)).times(fall.of(e, e))
	t := math.Tanh(bell.v)
	one := 1 + square.v
	return bell.of(t, 1-t*t).plus(number{one, square.d}.of(math.Log(one), 1/one))
}

func compose(x number, repeat int64) number {
	x = chain(x)
	for range repeat - 1 {
		x = chain(number{x.v / 2, x.d / 2})
	}
	return x
}

// Verify compares with dual numbers in float64; self-check: the device's derivatives are
// complex-step differences of the composed function, within bounds that shrink with it.
func (forward) Verify(c *suites.Check) (suites.Outcome, error) {
	repeat := c.Build.Params["repeat"]
	in := suites.Stream{Seed: c.Build.Seed, Workload: forwardNumber, Array: seeds.ID}
	tally, err := c.EachUnit("y", c.Program.Units, func(u int64, got []uint32, t *suites.Tally) {
		for k := int64(0); k < 4; k += 2 {
			i := 4*u + k
			x := number{float64(in.F32(i, seeds.A, seeds.B)), float64(in.F32(i+1, seeds.A, seeds.B))}
			want := compose(x, repeat)
			t.Near("y", i, got[k], want.v, suites.E2(-8, 0, 32, 1+math.Abs(want.v)))
			t.Near("y", i+1, got[k+1], want.d, suites.E2(-8, 0, 64, 1+math.Abs(want.d)))
			if c.Full && u%stepEvery != 0 {
				continue
			}
			device := number{float64(math.Float32frombits(got[k])), float64(math.Float32frombits(got[k+1]))}
			v, d := runningBounds(x, repeat)
			differs(t, i/2, device, complexStep(x, repeat), v, d)
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E2", "derivatives of the device = complex-step differences of the function"), nil
}
