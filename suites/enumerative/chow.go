package enumerative

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(chow{}) }

type chow struct{}

const (
	chowNumber = 27
	maxClasses = 1 << 40
	chowGroup  = 256
)

var (
	chowA = program.Source{Kind: program.PhiloxMod, ID: 0, Mod: prime}
	chowB = program.Source{Kind: program.PhiloxMod, ID: 1, Mod: prime}
	// chowProbe are the classes of the self-check.
	chowProbe = program.Source{Kind: program.PhiloxMod, ID: 2, Mod: prime}
)

func (chow) Info() suites.Info {
	return suites.Info{
		ID: "enumerative/chow", Number: chowNumber,
		Doc: "Products of classes in the Chow ring of P^n with coefficients modulo 2013265921; " +
			"bezout=1: intersection numbers of n hypersurfaces, the products of their degrees",
		Source:        "Amari",
		Formula:       "C = A B mod h^(n+1); bezout: (d_1 h)(d_2 h)...(d_n h) = d_1 d_2 ... d_n h^n",
		Sizes:         suites.Sizes{S: 1 << 14, M: 1 << 25, L: 1 << 29},
		SizeUnit:      "classes per array",
		Layout:        "coefficients of 1, h, h^2, .. of a class, filled up to whole vectors of four",
		WorkUnit:      "product",
		Flops:         "4 per product of coefficients, (n+1)(n+2)/2 of them, and 13 per reduction, n+1 of them; bezout: 8 per modular multiplication, n of them",
		Arithmetic:    "int32",
		Bytes:         "12 (n+1) per product; bezout: 8 (n+1), n+1 rounded up to a multiple of 4",
		Splits:        []string{"ranges"},
		Communication: "none",
		Tolerance:     "E0, D0",
		Weak:          "classes proportional to the number of devices",
		Params: []suites.Param{
			{Name: "n", Doc: "dimension of the projective space", Default: 7, Min: 1, Max: 15},
			{Name: "bezout", Doc: "1: intersect n hypersurfaces", Max: 1},
		},
	}
}

// classWords is the number of words of a class: its coefficients, in whole vectors.
func classWords(n int64) int64 { return (n + 4) / 4 * 4 }

func (chow) Build(b suites.Build) (*program.Program, error) {
	n, bezout := b.Params["n"], b.Params["bezout"]
	if b.Size < 1 || b.Size > maxClasses || n < 1 || n > 15 {
		return nil, fmt.Errorf("enumerative/chow: %d classes on P^%d: choose 1 to %d classes and n from 1 to 15", b.Size, n, int64(maxClasses))
	}
	words := classWords(n)
	array := func(name string, s program.Source) program.Array {
		return program.Array{Name: name, Elem: program.U32, Layout: program.Split, Units: b.Size, Stride: words, Source: s}
	}
	out := array("C", program.Source{})
	out.Output = true
	size := float64(b.Size)
	p := &program.Program{
		Units: b.Size, Shares: b.Divide(b.Size, 64),
		Arrays: []program.Array{out, array("A", chowA)},
		Kernels: []program.Kernel{{Name: "main", Shader: "enumerative/chow", Spec: []program.Spec{
			{ID: 1, Value: uint32(n)}, {ID: 2, Value: uint32(bezout)}, {ID: 3, Value: uint32(radixPower(n))},
		}}},
		Work: size,
	}
	second := "A" // not read
	if bezout == 0 {
		second = "B"
		p.Arrays = append(p.Arrays, array(second, chowB))
		p.Flops = size * float64(sumOps*(n+1)*(n+2)/2+reduceOps*(n+1))
		p.Bytes = 12 * size * float64(words)
	} else {
		p.Flops = mulOps * size * float64(n)
		p.Bytes = 8 * size * float64(words)
	}
	d := program.Dispatch{
		Label: "compute", Kernel: "main",
		Bind: []program.Binding{
			{Array: "C", Access: program.Write},
			{Array: "A", Access: program.Read},
			{Array: second, Access: program.Read},
		},
	}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: chowGroup})
	}
	p.Steps = []program.Step{d}
	return p, nil
}

// Verify multiplies classes on the CPU; self-check: the device's product times a third
// class is the first times the product of the others.
func (chow) Verify(c *suites.Check) (suites.Outcome, error) {
	n, bezout := c.Build.Params["n"], c.Build.Params["bezout"] == 1
	words := classWords(n)
	read := func(s program.Source, i int64) []uint64 {
		in := suites.Stream{Seed: c.Build.Seed, Workload: chowNumber, Array: s.ID}
		x := make([]uint64, words)
		for j := range x {
			x[j] = uint64(in.Word(i*words+int64(j)) % s.Mod)
		}
		return x
	}
	tally, err := c.EachUnit("C", c.Program.Units, func(i int64, got []uint32, t *suites.Tally) {
		a := read(chowA, i)
		want := make([]uint64, words)
		if bezout {
			want[n] = 1
			for _, d := range a[:n] {
				want[n] = mul(want[n], d)
			}
		} else {
			b := read(chowB, i)
			copy(want, times(a[:n+1], b[:n+1]))
			device, third := make([]uint64, n+1), read(chowProbe, i)[:n+1]
			for j := range device {
				device[j] = uint64(got[j])
			}
			left, right := times(device, third), times(a[:n+1], times(b[:n+1], third))
			for j := range left {
				t.Identity("(a b) c = a (b c)", i, float64(left[j]), float64(right[j]), 0)
			}
		}
		for j, word := range got {
			t.Bits("C", i*words+int64(j), word, uint32(want[j]))
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	self := "(a b) c = a (b c)"
	if bezout {
		self = "product of degrees"
	}
	return tally.Outcome("E0", self), nil
}

// times is a b in the Chow ring of P^n, both with n+1 coefficients.
func times(a, b []uint64) []uint64 {
	c := make([]uint64, len(a))
	for i, x := range a {
		for j, y := range b[:len(b)-i] {
			c[i+j] = (c[i+j] + mul(x, y)) % prime
		}
	}
	return c
}
