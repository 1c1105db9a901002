package linalg

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// squares is how the split by blocks cuts C: bands of count x count squares of edge rows
// and columns, in Z-order inside a band, so that runs of squares are nearly square
// themselves. It depends on the problem alone, as C is stored square after square.
type squares struct{ count, edge, bands int64 }

// mostSquares along a band's edge are 256 in all: shares differ by a percent on 3 devices.
const mostSquares = 16

// The inner dimension is cut into at most mostPanels: the first, which nothing hides, is a
// small part. leastPanel terms of one keep the hand-over short beside its product.
const (
	mostPanels = 8
	leastPanel = 128
)

func cutSquares(rows, columns, least, granule int64) squares {
	s := squares{count: 1}
	for s.count < mostSquares && 2*s.count*least <= columns {
		s.count *= 2
	}
	s.edge = roundUp(ceilDiv(columns, s.count), granule)
	s.bands = ceilDiv(rows, s.count*s.edge)
	return s
}

func (s squares) units() int64 { return s.bands * s.count * s.count }

// place is the row and column of a square, counted in squares.
func (s squares) place(unit int64) (y, x int64) {
	band := unit / (s.count * s.count)
	z := unit - band*s.count*s.count
	for b := range 8 {
		x |= z >> (2 * b) & 1 << b
		y |= z >> (2*b + 1) & 1 << b
	}
	return band*s.count + y, x
}

// at is the square in that row and column.
func (s squares) at(y, x int64) int64 {
	band := y / s.count
	y -= band * s.count
	var z int64
	for b := range 8 {
		z |= x>>b&1<<(2*b) | y>>b&1<<(2*b+1)
	}
	return band*s.count*s.count + z
}

// within is the rows and columns of squares that a run of them touches.
func (s squares) within(share program.Share) (rows, columns program.Share) {
	for u := share.Lo; u < share.Hi; u++ {
		y, x := s.place(u)
		if u == share.Lo {
			rows, columns = program.Share{Lo: y, Hi: y}, program.Share{Lo: x, Hi: x}
		}
		rows = program.Share{Lo: min(rows.Lo, y), Hi: max(rows.Hi, y+1)}
		columns = program.Share{Lo: min(columns.Lo, x), Hi: max(columns.Hi, x+1)}
	}
	return rows, columns
}

// cutBlocks sets squares and panels.
func (p *product) cutBlocks() error {
	p.squares = cutSquares(p.rows, p.columns, max(p.tile.height, p.tile.width, p.padColumns), p.padColumns)
	p.rows, p.columns = p.squares.bands*p.squares.count*p.squares.edge, p.squares.count*p.squares.edge
	p.part = roundUp(max(ceilDiv(p.terms, mostPanels), leastPanel), p.granule)
	p.parts = ceilDiv(p.terms, p.part)
	if p.padTerms > 1 {
		p.terms = p.part * p.parts
	}
	p.lda, p.width = p.part, p.squares.edge
	return p.fits("a panel", 4*p.words(max(p.rows, p.columns)*p.part))
}

// byBlocks divides the squares of C and multiplies by panels of the inner dimension (SUMMA,
// van de Geijn and Watts 1997): for each, its owner sends every device the rows of A and the
// columns of B that its squares lie in, while the panel before is multiplied. Panels have
// an owner each in turn; a run of squares in Z-order is the device's place in the grid.
func (p product) byBlocks(b suites.Build) *program.Program {
	s := p.squares
	prog := &program.Program{Units: s.units(), Shares: b.Divide(s.units(), 1)}
	rows, columns := make([]program.Share, len(prog.Shares)), make([]program.Share, len(prog.Shares))
	for d, share := range prog.Shares {
		rows[d], columns[d] = s.within(share)
	}
	name := func(matrix string, panel int64) string { return fmt.Sprint(matrix, panel) }
	for t := range p.parts {
		prog.Arrays = append(prog.Arrays,
			p.input(name("A", t), idPanelsA+uint32(t), program.Replicated, p.rows/s.edge, s.edge*p.part),
			p.input(name("B", t), idPanelsB+uint32(t), program.Replicated, s.count, s.edge*p.part))
	}
	prog.Arrays = append(prog.Arrays, p.output("C", program.Split, s.units(), s.edge*s.edge))

	send := func(t int64) program.Broadcast {
		return program.Broadcast{
			Arrays: []string{name("A", t), name("B", t)}, Root: int(t % int64(len(prog.Shares))),
			Parts: [][]program.Share{rows, columns},
		}
	}
	prog.Steps = []program.Step{send(0)}
	for t := range p.parts {
		var body []program.Dispatch
		for _, a := range p.panels(0, min(p.part, p.terms-t*p.part), t > 0) {
			access := program.Write
			if a.add {
				access = program.ReadWrite
			}
			body = append(body, p.dispatch(prog, a, batch{s.edge, s.edge * p.part, s.edge * p.part, s.edge * s.edge, s.count}, []program.Binding{
				{Array: name("A", t), Access: program.Read, Window: program.Whole},
				{Array: name("B", t), Access: program.Read, Window: program.Whole},
				{Array: "C", Access: access},
			}))
		}
		if t+1 < p.parts {
			prog.Steps = append(prog.Steps, program.Overlap{Comm: send(t + 1), Body: body})
			continue
		}
		for _, d := range body {
			prog.Steps = append(prog.Steps, d)
		}
	}
	return prog
}
