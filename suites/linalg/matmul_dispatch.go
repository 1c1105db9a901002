package linalg

import "github.com/amgpu/amgpu/suites/program"

// addition is one launch's part of the product: count terms of the inner dimension, from
// a column of A on, added to C or set.
type addition struct {
	column int64
	count  int64
	ragged bool
	add    bool
}

// batch is where the products of a launch lie when a unit is one: rows of each, steps in
// elements from one to the next, products along the edge of a band of squares.
type batch struct{ rows, stepA, stepB, stepC, across int64 }

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
