// Package memory holds the workloads bound by memory bandwidth: memory/triad,
// memory/vector-add, memory/copy and memory/read.
package memory

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// A unit is one vec4: the kernels read 16 bytes at a time, and any share boundary is
// aligned for them.
const (
	unit    = 4
	granule = 64 // shares end at multiples of 1 KiB
)

// maxSize keeps byte counts far from overflow.
const maxSize = 1 << 48

// elementwise is a kernel with one output and one or two inputs of n floats each,
// divided into ranges without communication. Lengths that are no multiple of 4 are
// padded with elements like all others; they are checked but do not count as work.
type elementwise struct {
	shader    string
	out, x, y string  // y empty: one input
	flops     float64 // per element
	push      []uint32
}

func (e elementwise) build(b suites.Build) (*program.Program, error) {
	if b.Size < 1 || b.Size > maxSize {
		return nil, fmt.Errorf("size %d: choose from 1 to %d elements per array", b.Size, int64(maxSize))
	}
	units := (b.Size + unit - 1) / unit
	shape, err := shapeOf(b)
	if err != nil {
		return nil, err
	}
	shares := b.Divide(units, granule)
	array := func(name string, s program.Source) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Split, Units: units, Stride: unit, Source: s}
	}
	out := array(e.out, program.Source{})
	out.Output = true
	launches := make([]program.Launch, len(shares))
	for d, s := range shares {
		launches[d] = program.Launch{Units: s.Len(), Div: shape.units(), Push: e.push}
	}
	n := float64(b.Size)
	arrays := []program.Array{out, array(e.x, inputX)}
	bind := []program.Binding{{Array: e.out, Access: program.Write}, {Array: e.x, Access: program.Read}}
	if e.y != "" {
		arrays = append(arrays, array(e.y, inputY))
		bind = append(bind, program.Binding{Array: e.y, Access: program.Read})
	}
	p := &program.Program{
		Units:   units,
		Shares:  shares,
		Arrays:  arrays,
		Kernels: []program.Kernel{{Name: "main", Shader: e.shader, Spec: shape.spec()}},
		Steps: []program.Step{program.Dispatch{
			Label: "compute", Kernel: "main",
			Bind: bind,
			On:   launches,
		}},
		Flops: e.flops * n,
		Bytes: float64(4*len(arrays)) * n,
	}
	p.Work = p.Bytes
	return p, nil
}

// The inputs are uniform in [-1,1).
var inputX, inputY = program.Random(0, -1, 1), program.Random(1, -1, 1)

// verify compares every checked element bit for bit with f of the two inputs.
func (e elementwise) verify(c *suites.Check, number uint32, f func(x, y float32) float32) (suites.Outcome, error) {
	xs := suites.Stream{Seed: c.Build.Seed, Workload: number, Array: inputX.ID}
	ys := suites.Stream{Seed: c.Build.Seed, Workload: number, Array: inputY.ID}
	tally, err := c.EachUnit(e.out, c.Program.Units, func(u int64, got []uint32, t *suites.Tally) {
		for j, word := range got {
			i := u*unit + int64(j)
			t.Float(e.out, i, word, f(xs.F32(i, inputX.A, inputX.B), ys.F32(i, inputY.A, inputY.B)))
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E0", ""), nil
}
