package tropical

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const addNumber = 5

func init() { suites.Register(add{}) }

type add struct{}

// addGroup is the number of units, vectors of four elements, of a work-group; maxElements
// keeps sizes in bytes far from overflow.
const (
	addGroup    = 1024
	maxElements = 1 << 44
)

func (add) Info() suites.Info {
	return suites.Info{
		ID: "tropical/add", Number: addNumber,
		Doc:           "tropical sum of two vectors: the maximum (or minimum) of each pair of elements; a probe of the memory's bandwidth",
		Source:        "Amari",
		Formula:       "y_i = max(a_i, b_i); min 1: y_i = min(a_i, b_i)",
		Sizes:         suites.Sizes{S: 1 << 20, M: 1 << 26, L: 1 << 30},
		SizeUnit:      "elements per vector",
		WorkUnit:      "B",
		Flops:         "1 per element",
		Arithmetic:    "max-plus",
		Bytes:         "12 per element",
		Splits:        []string{"ranges"},
		Communication: "none",
		Tolerance:     "E0, D0",
		Weak:          "elements proportional to the number of devices",
		Params:        []suites.Param{minPlus},
	}
}

// Build stores four elements as a unit; a size that is no multiple of four has up to three
// more, computed and checked like all others.
func (add) Build(b suites.Build) (*program.Program, error) {
	if b.Size < 1 || b.Size > maxElements {
		return nil, fmt.Errorf("size %d: choose from 1 to %d elements", b.Size, int64(maxElements))
	}
	units := ceilDiv(b.Size, 4)
	array := func(name string, s program.Source) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Split, Units: units, Stride: 4, Source: s}
	}
	out := array("y", program.Source{})
	out.Output = true
	p := &program.Program{
		Units: units, Shares: b.Divide(units, 64),
		Arrays:  []program.Array{out, array("a", program.Random(idA, lo, hi)), array("b", program.Random(idB, lo, hi))},
		Kernels: []program.Kernel{{Name: "main", Shader: "tropical/add"}},
		Work:    12 * float64(b.Size), Flops: float64(b.Size), Bytes: 12 * float64(b.Size),
	}
	if isMin(b) {
		p.Kernels[0].Spec = []program.Spec{{ID: 1, Value: 1}}
	}
	d := program.Dispatch{
		Label: "add", Kernel: "main",
		Bind: []program.Binding{{Array: "y", Access: program.Write}, {Array: "a", Access: program.Read}, {Array: "b", Access: program.Read}},
	}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: addGroup})
	}
	p.Steps = []program.Step{d}
	return p, nil
}

// Verify compares bit for bit.
func (add) Verify(c *suites.Check) (suites.Outcome, error) {
	a := suites.Stream{Seed: c.Build.Seed, Workload: addNumber, Array: idA}
	b := suites.Stream{Seed: c.Build.Seed, Workload: addNumber, Array: idB}
	least := isMin(c.Build)
	tally, err := c.EachUnit("y", c.Program.Units, func(u int64, got []uint32, t *suites.Tally) {
		for k, word := range got {
			i := 4*u + int64(k)
			x, y := a.F32(i, lo, hi), b.F32(i, lo, hi)
			want := max(x, y)
			if least {
				want = min(x, y)
			}
			t.Float("y", i, word, want)
		}
	})
	return tally.Outcome("E0", ""), err
}
