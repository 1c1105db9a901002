package linalg

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// mostTerms bounds the rows of B in one dispatch: 1 GiB of fp32 at size L.
const mostTerms = 8192

// cutRows sets how many rows of B a dispatch reads.
func (p *product) cutRows() error {
	p.part = mostTerms
	row := 4 * p.words(p.columns)
	if p.columnsB { // a dispatch sees all of it
		p.part = p.terms
		return p.fits("B", 4*p.words(p.terms*p.columns))
	}
	if p.binding > 0 {
		fit := p.binding / row / p.granule * p.granule
		if fit < p.granule {
			return fmt.Errorf("size %d: %d rows of B do not fit the storage-buffer binding of %d bytes a device of the pool allows; choose a smaller size", p.n, p.granule, p.binding)
		}
		p.part = min(p.part, fit)
	}
	return nil
}

// byRows divides the rows of A and C; every device has all of B.
func (p product) byRows(b suites.Build) *program.Program {
	rowsB, strideB := p.terms, p.columns
	if p.columnsB {
		rowsB, strideB = p.columns, p.lda
	}
	right := p.input("B", idB, program.Replicated, rowsB, strideB)
	if !p.columnsB {
		right.CutAt = p.part
	}
	prog := &program.Program{
		Units:  p.rows,
		Shares: b.Divide(p.rows, p.tile.height),
		Arrays: []program.Array{
			p.input("A", idA, program.Split, p.rows, p.lda), right,
			p.output("C", program.Split, p.rows, p.columns),
		},
		Setup: []program.Step{program.Broadcast{Arrays: []string{"B"}}},
	}
	for first := int64(0); first < p.terms; first += p.part {
		for _, a := range p.panels(first, min(p.part, p.terms-first), first > 0) {
			access := program.Write
			if a.add {
				access = program.ReadWrite
			}
			window := program.Binding{Array: "B", Access: program.Read, Window: program.Fixed, First: a.column, Units: a.count}
			if p.columnsB {
				window = program.Binding{Array: "B", Access: program.Read, Window: program.Whole}
			}
			prog.Steps = append(prog.Steps, p.dispatch(prog, a, batch{}, []program.Binding{
				{Array: "A", Access: program.Read}, window, {Array: "C", Access: access},
			}))
		}
	}
	return prog
}
