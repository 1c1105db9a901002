package linalg

import (
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// mostProducts is how many canonical chunks the inner dimension is cut into, at most: each has
// a product of its own in memory.
const mostProducts = 8

// cutChunks sets the canonical chunks of the inner dimension.
func (p *product) cutChunks() error {
	p.part = roundUp(ceilDiv(p.terms, mostProducts), p.granule)
	p.parts = ceilDiv(p.terms, p.part)
	if p.padTerms > 1 {
		p.terms = p.part * p.parts
	}
	p.lda = p.part
	return p.fits("what the chunks of the inner dimension make", 4*p.parts*p.sums(p.rows*p.columns))
}

// byChunks divides the inner dimension: a device has columns of A and rows of B, makes a
// product of its own for each of its chunks in P, and their sum along the canonical tree is C.
func (p product) byChunks(b suites.Build) *program.Program {
	products := p.output("P", program.Split, p.parts, p.rows*p.columns)
	products.Output = false
	prog := &program.Program{
		Units: p.parts, Shares: b.Divide(p.parts, 1),
		Arrays: []program.Array{
			p.input("A", idA, program.Split, p.parts, p.rows*p.part),
			p.input("B", idB, program.Split, p.parts, p.columns*p.part),
			products,
			p.output("C", program.Replicated, 1, p.rows*p.columns),
		},
	}
	a := addition{count: p.terms, ragged: p.terms%p.granule != 0} // each unit takes its part
	step := batch{p.rows, p.rows * p.part, p.columns * p.part, p.rows * p.columns, 0}
	prog.Steps = []program.Step{
		p.dispatch(prog, a, step, []program.Binding{
			{Array: "A", Access: program.Read}, {Array: "B", Access: program.Read}, {Array: "P", Access: program.Write},
		}),
		program.AllReduce{Array: "P", Into: "C", Op: program.Sum, Order: program.ByChunk, Double: p.sum == 64},
	}
	return prog
}
