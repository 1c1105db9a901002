package linalg

import (
	"slices"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// tile is the part of C that a work-group makes, and the kernel that makes it.
type tile struct {
	height, width int64
	shader        string
	needs         []string // features of the device
	matrixUnits   bool
}

// From smallestLarge on large tiles give a device of a hundred cores a work-group each.
// The largest takes largeShared bytes of shared memory.
const (
	smallestLarge = 2048
	largeShared   = 24 << 10
)

// tile chooses the kernel for n columns.
func (n *number) tile(columns int64, limits suites.Limits) tile {
	large := columns >= smallestLarge
	switch n {
	case &numbers[typeF32]:
		if large && limits.SharedBytes >= largeShared {
			return tile{height: 128, width: 256, shader: "linalg/matmul128x256"}
		}
		return tile{height: 64, width: 64, shader: "linalg/matmul64x64"}
	case &numbers[typeF64]:
		if large {
			return tile{height: 128, width: 128, shader: "linalg/matmul128x128_f64", needs: []string{"float64"}}
		}
		return tile{height: 64, width: 64, shader: "linalg/matmul64x64_f64", needs: []string{"float64"}}
	}
	suffix := map[*number]string{&numbers[typeF16]: "f16", &numbers[typeBF16]: "bf16", &numbers[typeI8]: "i8"}[n]
	return tile{height: 64, width: 64, shader: "linalg/matmul64x64_" + suffix}
}

// The constants BATCH and RAGGED_K of the kernels.
const constRagged, constBatch = 1, 2

var batches = map[string]uint32{splitBlocks: 2, splitK: 1}

// addition is one launch's part of the product: terms [first,first+count) of the inner
// dimension, added to C or set.
type addition struct {
	column int64 // of A, where the terms begin
	count  int64
	ragged bool
	add    bool
}

// kernel returns the name of the kernel for an addition, and adds it to the program.
func (p product) kernel(prog *program.Program, a addition) string {
	name := "whole"
	spec := []program.Spec{{ID: constBatch, Value: batches[p.split]}}
	if a.ragged {
		name = "ragged"
		spec = append(spec, program.Spec{ID: constRagged, Value: 1})
	}
	if !slices.ContainsFunc(prog.Kernels, func(k program.Kernel) bool { return k.Name == name }) {
		prog.Kernels = append(prog.Kernels, program.Kernel{Name: name, Shader: p.tile.shader, Spec: spec, Needs: p.tile.needs})
	}
	return name
}

// dispatch makes the launches of an addition over the shares. Units are rows of C, or
// products of rows x width elements each.
func (p product) dispatch(prog *program.Program, a addition, b batch, bind []program.Binding) program.Dispatch {
	d := program.Dispatch{Label: "compute", Kernel: p.kernel(prog, a), Bind: bind}
	flag := uint32(0)
	if a.add {
		flag = 1
	}
	push := []uint32{
		uint32(p.width), uint32(p.lda), uint32(a.column), uint32(a.count), flag,
		uint32(b.rows), uint32(b.stepA), uint32(b.stepB), uint32(b.stepC), uint32(b.across),
	}
	l := program.Launch{Div: p.tile.height, Across: ceilDiv(p.width, p.tile.width), Push: push}
	if p.split == splitRows {
		d.Align = p.tile.height
	} else {
		l.Div, l.Across = 1, l.Across*ceilDiv(b.rows, p.tile.height)
	}
	for _, s := range prog.Shares {
		l.Units = s.Len()
		d.On = append(d.On, l)
	}
	return d
}

// batch is where the products of a launch lie when a unit is one: rows of each, steps in
// elements from one to the next, products along the edge of a band of squares.
type batch struct{ rows, stepA, stepB, stepC, across int64 }

// panels cuts the terms of a launch in what is left of whole tiles and the rest, which runs
// apart: bounds checks on every load would slow all.
func (p product) panels(first, count int64, add bool) []addition {
	whole := count / p.granule * p.granule
	var out []addition
	if whole > 0 {
		out = append(out, addition{column: first, count: whole, add: add})
	}
	if whole < count {
		out = append(out, addition{column: first + whole, count: count - whole, ragged: true, add: add || whole > 0})
	}
	return out
}
