// Package fusion holds the workloads over tropical-dual-Clifford elements: 32 float32, a
// tropical (max-plus) part t[8], a dual part (r[8], d[8]) and a Clifford part c[8], each in
// bitmask order.
package fusion

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(product{}) }

type product struct{}

const (
	productNumber = 14
	maxElements   = 1 << 40
	elementWords  = 32
	pipeline      = "pipeline"
	groupSize     = 256
	stages        = 3
)

var (
	operandX = program.Random(0, -1, 1)
	operandY = program.Random(1, -1, 1)
)

func (product) Info() suites.Info {
	return suites.Info{
		ID: "fusion/tdc-product", Number: productNumber,
		Doc: "Products of tropical-dual-Clifford elements, by ranges, or as a pipeline: tropical, dual and Clifford stage on a device each. " +
			"The stages are unequal (120:368:120 flop), so three devices reach at most 608/368 = 1.65 times the speed of one",
		Source:        "Amari",
		Formula:       "t_k = max over i of (t_i + t'_(i xor k)), r = r r', d = r d' + d r', c = c c' (geometric products of Cl(3,0))",
		Sizes:         suites.Sizes{S: 1 << 12, M: 1 << 22, L: 1 << 26},
		SizeUnit:      "elements per array",
		Layout:        "an element is t[8], r[8], d[8], c[8]: tropical, dual value and derivative, Clifford, each in bitmask order",
		WorkUnit:      "flop",
		Flops:         "608 per element: 120 + 368 + 120",
		Bytes:         "384 per element",
		Splits:        []string{"ranges", pipeline},
		Communication: "none; pipeline: 128 B per element and hand-over; ideal efficiency M/(M+2) for M micro-batches and equal stages",
		Tolerance:     "tropical E0, rest E1 (n = 8, d: 16), D0",
		Weak:          "elements proportional to the number of devices",
		Params: []suites.Param{
			{Name: "batches", Doc: "micro-batches of the pipeline", Default: 16, Min: 1, Max: 256},
		},
		Tunables: []suites.Tunable{productFused},
	}
}

// productFused shows what fusion saves: 512 bytes of the element in progress, by reading and
// writing it between the stages.
var productFused = suites.Tunable{
	Name: "fused", Doc: "1: one kernel makes all parts of an element; 0: the three stages one after another, by ranges", Values: []int64{0, 1}, Default: 1,
}

func (product) Build(b suites.Build) (*program.Program, error) {
	if b.Size < 1 || b.Size > maxElements {
		return nil, fmt.Errorf("fusion/tdc-product: %d elements: choose 1 to %d", b.Size, int64(maxElements))
	}
	n := float64(b.Size)
	p := &program.Program{Units: b.Size, Work: 608 * n, Flops: 608 * n, Bytes: 384 * n}
	if b.Split == pipeline {
		streamed(p, b)
		return p, nil
	}
	p.Shares = b.Divide(b.Size, 64)
	p.Arrays = []program.Array{element("z", program.Split, b.Size, program.Source{}), element("x", program.Split, b.Size, operandX), element("y", program.Split, b.Size, operandY)}
	p.Arrays[0].Output = true
	if b.Tuned(productFused) == 0 {
		staged(p)
		return p, nil
	}
	p.Kernels = []program.Kernel{{Name: "main", Shader: "fusion/product"}}
	d := program.Dispatch{Label: "compute", Kernel: "main", Bind: []program.Binding{
		{Array: "z", Access: program.Write}, {Array: "x", Access: program.Read}, {Array: "y", Access: program.Read},
	}}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: groupSize / 4})
	}
	p.Steps = []program.Step{d}
	return p, nil
}

// staged runs the stages of the pipeline over all elements, one after another.
func staged(p *program.Program) {
	for s, name := range stageNames {
		p.Kernels = append(p.Kernels, program.Kernel{Name: name, Shader: "fusion/stage", Spec: []program.Spec{{ID: 1, Value: uint32(s + 1)}, {ID: 2, Value: 0}}})
		d := program.Dispatch{Label: name, Kernel: name, Bind: []program.Binding{
			{Array: "z", Access: program.ReadWrite}, {Array: "z", Access: program.Read}, {Array: "x", Access: program.Read}, {Array: "y", Access: program.Read},
		}}
		for _, share := range p.Shares {
			d.On = append(d.On, program.Launch{Units: share.Len(), Div: groupSize, Push: []uint32{0}})
		}
		p.Steps = append(p.Steps, d)
	}
}

func element(name string, layout program.Layout, units int64, s program.Source) program.Array {
	return program.Array{Name: name, Elem: program.F32, Layout: layout, Units: units, Stride: elementWords, Source: s}
}

// stageDevice is the device of each stage: with two devices the later stages share the
// second, from the fourth on devices have nothing to do.
func stageDevice(count int) [stages]int {
	switch count {
	case 1:
		return [stages]int{0, 0, 0}
	case 2:
		return [stages]int{0, 1, 1}
	}
	return [stages]int{0, 1, 2}
}

// streamed makes the program a pipeline. Every device holds both operands and makes them
// itself; micro-batches of elements in progress go from stage to stage. In each tick every
// device works on the micro-batch it received in the last one, then all hand over at once.
// The results belong to the last device.
func streamed(p *program.Program, b suites.Build) {
	at := stageDevice(b.Count)
	end := at[stages-1]
	for d := range b.Count {
		s := program.Share{}
		if d == end {
			s.Hi = b.Size
		} else if d > end {
			s.Lo, s.Hi = b.Size, b.Size
		}
		p.Shares = append(p.Shares, s)
	}
	p.Loads = make([]int64, b.Count)
	for s, device := range at {
		p.Loads[device] += stageFlops[s] * b.Size
	}
	batches := min(max(b.Params["batches"], 1), b.Size)
	length := (b.Size + batches - 1) / batches
	batches = (b.Size + length - 1) / length
	p.Arrays = []program.Array{
		element("z", program.Split, b.Size, program.Source{}),
		element("x", program.Replicated, b.Size, operandX), element("y", program.Replicated, b.Size, operandY),
		element("made", program.Local, length, program.Source{Kind: program.Zero}),
		element("received", program.Local, length, program.Source{Kind: program.Zero}),
	}
	p.Arrays[0].Output = true
	for s := range stages {
		p.Kernels = append(p.Kernels, program.Kernel{Name: stageNames[s], Shader: "fusion/stage", Spec: []program.Spec{{ID: 1, Value: uint32(s + 1)}}})
	}
	last := int64(end) // ticks between the first device's work on a micro-batch and the last one's
	for tick := int64(0); tick < batches+last; tick++ {
		send := program.Send{Array: "made", Into: "received"}
		for s := range stages {
			batch := tick - int64(at[s])
			if batch < 0 || batch >= batches {
				continue
			}
			p.Steps = append(p.Steps, stage(p, at, s, batch*length, min(length, b.Size-batch*length)))
			if s+1 < stages && at[s+1] != at[s] {
				send.Pairs = append(send.Pairs, program.Pair{From: at[s], To: at[s+1]})
			}
		}
		if len(send.Pairs) > 0 {
			p.Steps = append(p.Steps, send)
		}
	}
}

var (
	stageNames = [stages]string{"tropical", "dual", "clifford"}
	stageFlops = [stages]int64{120, 368, 120} // an element
)

// stage is one stage's work on the elements [first,first+units).
func stage(p *program.Program, at [stages]int, s int, first, units int64) program.Dispatch {
	given, made := "made", "made"
	if s > 0 && at[s-1] != at[s] {
		given = "received"
	}
	window := program.Binding{Window: program.Fixed, Units: units}
	bind := func(array string, access program.Access, from int64) program.Binding {
		w := window
		w.Array, w.Access, w.First = array, access, from
		return w
	}
	out := bind(made, program.ReadWrite, 0)
	if s == stages-1 {
		out = bind("z", program.Write, first)
	}
	d := program.Dispatch{
		Label: stageNames[s], Kernel: stageNames[s],
		// Stages on other devices touch other memory; on one, the first writes what the last
		// of the micro-batch before reads.
		Independent: at[(s+stages-1)%stages] != at[s],
		Bind:        []program.Binding{out, bind(given, program.Read, 0), bind("x", program.Read, first), bind("y", program.Read, first)},
		On:          make([]program.Launch, len(p.Shares)),
	}
	d.On[at[s]] = program.Launch{Units: units, Div: groupSize, Push: []uint32{uint32(p.Shares[at[s]].Lo)}}
	return d
}
