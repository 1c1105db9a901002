package tropical

import (
	"fmt"
	"math"

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
		Doc: "tropical sum of two vectors: the maximum (or minimum) of each pair of elements; a probe of the memory's bandwidth. " +
			"Of every 256 elements the last four are a+a, a+zero, zero+b and b+a, zero an infinity",
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

// lawsEvery is of how many units one holds the laws of the sum.
const lawsEvery = 64

// Verify compares bit for bit; self-check on the device's outputs: its sum of an element with
// itself and with zero is the element, order does not matter, and a sum takes in its summands.
func (add) Verify(c *suites.Check) (suites.Outcome, error) {
	a := suites.Stream{Seed: c.Build.Seed, Workload: addNumber, Array: idA}
	b := suites.Stream{Seed: c.Build.Seed, Workload: addNumber, Array: idB}
	least := isMin(c.Build)
	tally, err := c.EachUnit("y", c.Program.Units, func(u int64, got []uint32, t *suites.Tally) {
		var x, y [4]float32
		for k := range x {
			i := 4*u + int64(k)
			x[k], y[k] = a.F32(i, lo, hi), b.F32(i, lo, hi)
		}
		for k, want := range sums4(u, x, y, least) {
			t.Float("y", 4*u+int64(k), got[k], want)
		}
		sumLaws(t, u, x, y, got, least)
	})
	return tally.Outcome("E0", "a+a = a, a+0 = a, 0+b = b, b+a = a+b; sums take in their summands"), err
}

// sums4 is unit u, element by element or what it shows of the laws.
func sums4(u int64, x, y [4]float32, least bool) (out [4]float32) {
	for k := range out {
		if out[k] = max(x[k], y[k]); least {
			out[k] = min(x[k], y[k])
		}
	}
	if u%lawsEvery == lawsEvery-1 {
		out[0], out[1], out[2] = x[0], x[1], y[2]
	}
	return out
}

// sumLaws notes which law unit u of a device breaks. s takes in x when s + x = s: it lies on
// the sum's side of x, and it is one of the two.
func sumLaws(t *suites.Tally, u int64, x, y [4]float32, got []uint32, least bool) {
	laws := u%lawsEvery == lawsEvery-1
	for k := range x {
		s, p, q := float64(math.Float32frombits(got[k])), float64(x[k]), float64(y[k])
		switch {
		case laws && k == 0:
			t.Identity("a + a = a", 4*u, s, p, 0)
		case laws && k == 1:
			t.Identity("a + 0 = a", 4*u+1, s, p, 0)
		case laws && k == 2:
			t.Identity("0 + b = b", 4*u+2, s, q, 0)
		default:
			sign := 1.0
			if least {
				sign = -1
			}
			t.Identity("(a + b) + a = a + b", 4*u+int64(k), min(sign*(s-p), 0), 0, 0)
			t.Identity("(a + b) + b = a + b", 4*u+int64(k), min(sign*(s-q), 0), 0, 0)
			t.Identity("a + b is a or b", 4*u+int64(k), (s-p)*(s-q), 0, 0)
		}
	}
}
