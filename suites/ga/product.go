package ga

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const number = 1

func init() { suites.Register(product{}) }

type product struct{}

// The operands and the multivectors of the self-check are uniform in [-1,1).
var (
	operandA = program.Random(0, -1, 1)
	operandB = program.Random(1, -1, 1)
	probe    = program.Random(2, -1, 1)
)

// maxSize keeps byte counts far from overflow.
const maxSize = 1 << 44

// The constants of the kernel.
var (
	productGroup = suites.Tunable{
		Name: "group", Doc: "invocations of a work-group, which share 32 bytes each", Values: []int64{64, 128, 256, 512}, Default: 256,
		Else: []suites.ClassDefault{
			{Class: suites.AMD, Value: 128, Why: "operands go through shared memory behind barriers: few wavefronts wait for each other"},
			{Class: suites.Intel, Value: 128, Why: "8 threads of 16 invocations behind a barrier"},
		},
	}
	productUnroll = suites.Tunable{
		Name: "unroll", Doc: "products of one turn of the chain", Values: []int64{1, 2, 4, 8}, Default: 2,
	}
)

func (product) Info() suites.Info {
	return suites.Info{
		ID: "ga/product", Number: number,
		Doc: "Geometric products of multivectors in Cl(3,0); repeat r multiplies each result " +
			"r-1 more times by one unit versor, which keeps its norm, in registers; layout 1: structure of arrays, " +
			"component by component in blocks of 256 multivectors",
		Source:        "Amari",
		Formula:       "C[i] = A[i] B[i] R^(r-1), R = (cos 1.1 - sin 1.1 (0.48 e12 + 0.6 e13 + 0.64 e23)) (cos 0.7 + sin 0.7 e123)",
		Sizes:         suites.Sizes{S: 1 << 14, M: 1 << 24, L: 1 << 28},
		SizeUnit:      "multivectors per array",
		Layout:        "a unit is a multivector, components in bitmask order 1, e1, e2, e12, e3, e13, e23, e123; with layout 1 a component of 256 multivectors after the other",
		WorkUnit:      "flop",
		Flops:         "120 r per element",
		Bytes:         "96 per element",
		Splits:        []string{"ranges"},
		Communication: "none",
		Tolerance:     "E1 (n = 8 a product), D0",
		Weak:          "elements proportional to the number of devices",
		Params: []suites.Param{
			{Name: "repeat", Doc: "products chained in registers", Default: 1, Min: 1, Max: 1 << 16},
			{Name: "layout", Doc: "0: array of structures, 1: structure of arrays", Default: 0, Min: 0, Max: 1},
		},
		Tunables: []suites.Tunable{productGroup, productUnroll},
	}
}

func (product) Build(b suites.Build) (*program.Program, error) {
	if b.Size < 1 || b.Size > maxSize {
		return nil, fmt.Errorf("size %d: choose from 1 to %d multivectors", b.Size, int64(maxSize))
	}
	repeat, err := repeats(b)
	if err != nil {
		return nil, err
	}
	group, err := b.Group(productGroup)
	if err != nil {
		return nil, err
	}
	l := layoutOf(b)
	units := (b.Size + l.unit - 1) / l.unit
	granule := max(32/l.unit, 1) // shares of structures end at multiples of 1 KiB
	shares := b.Divide(units, granule)
	array := func(name string, s program.Source) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Split, Units: units, Stride: 8 * l.unit, Source: s}
	}
	out := array("C", program.Source{})
	out.Output = true

	push := []uint32{uint32(repeat - 1)}
	for _, x := range versor() {
		push = append(push, math.Float32bits(float32(x)))
	}
	kernel := program.Kernel{Name: "main", Shader: "ga/product", Spec: []program.Spec{
		{ID: 0, Value: uint32(group)}, {ID: 1, Value: uint32(group)}, {ID: 2, Value: uint32(b.Tuned(productUnroll))},
	}}
	if l.planes {
		kernel.Shader, kernel.Spec, group = "ga/product_planes", kernel.Spec[2:], 1
	}
	launches := make([]program.Launch, len(shares))
	for d, s := range shares {
		launches[d] = program.Launch{Units: s.Len(), Div: group, Push: push}
	}
	n := float64(b.Size)
	flops := 120 * float64(repeat) * n
	return &program.Program{
		Units:   units,
		Shares:  shares,
		Arrays:  []program.Array{out, array("A", operandA), array("B", operandB)},
		Kernels: []program.Kernel{kernel},
		Steps: []program.Step{program.Dispatch{
			Label: "compute", Kernel: "main",
			Bind: []program.Binding{
				{Array: "C", Access: program.Write},
				{Array: "A", Access: program.Read},
				{Array: "B", Access: program.Read},
			},
			On: launches,
		}},
		Work: flops, Flops: flops, Bytes: 96 * n,
	}, nil
}

// repeats is the parameter repeat, 1 when it is not given.
func repeats(b suites.Build) (int64, error) {
	r, given := b.Params["repeat"]
	if !given {
		return 1, nil
	}
	if r < 1 || r > 1<<16 {
		return 0, fmt.Errorf("repeat %d: choose from 1 to %d", r, 1<<16)
	}
	return r, nil
}

// versor is R of the Info, a rotor times a phase of the (central) pseudoscalar, as the
// float32 values the kernel gets. Every component differs from zero, and multiplication
// by it is an isometry up to rounding.
func versor() Multivector {
	const half, phase = 1.1, 0.7
	c, s := math.Cos(half), math.Sin(half)
	rotor := Multivector{0: c, 3: -0.48 * s, 5: -0.60 * s, 6: -0.64 * s}
	r := Product(rotor, Multivector{0: math.Cos(phase), 7: math.Sin(phase)})
	for i, x := range r {
		r[i] = float64(float32(x))
	}
	return r
}

// bounds is the error bound of each component of a b R^(r-1) computed in float32.
//
// One product: E1 with n = 8. Each further product adds at most E1(8, |C| convolved with
// |R|), in the 2-norm at most E1(8, ||C||_2 ||R||_1); it passes earlier errors on in the
// 2-norm, because R is an isometry. growth covers R's own rounding and that of ||C||.
func bounds(a, b, r Multivector, repeat int64) Multivector {
	s := termSums(a, b)
	for j := range s {
		s[j] = suites.E1(8, s[j])
	}
	if repeat == 1 {
		return s
	}
	further := float64(repeat-1) * suites.E1(8, Product(a, b).Norm()*r.Norm1())
	growth := math.Pow(1+64*suites.U, float64(repeat))
	all := (s.Norm() + further) * growth
	for j := range s {
		s[j] = all
	}
	return s
}
