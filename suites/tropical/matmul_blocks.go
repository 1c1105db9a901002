package tropical

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// squares is how the split by blocks cuts C: bands of count x count squares of edge rows
// and columns, in Z-order inside a band. It depends on the problem alone, as C is stored
// square after square.
type squares struct{ count, edge, bands int64 }

// mostSquares along a band's edge are 256 in all: shares differ by a percent on 3 devices.
const mostSquares = 16

func cut(rows, edge int64) squares {
	s := squares{count: 1}
	for s.count < mostSquares && 2*s.count*tile <= edge {
		s.count *= 2
	}
	s.edge = (ceilDiv(edge, s.count) + 3) / 4 * 4
	s.bands = ceilDiv(rows, s.count*s.edge)
	return s
}

func (s squares) units() int64 { return s.bands * s.count * s.count }

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// at is the square that holds row i and column j of C, and where in it.
func (s squares) at(i, j int64) (unit, offset int64) {
	y, x := i/s.edge, j/s.edge
	band := y / s.count
	y -= band * s.count
	z := int64(0)
	for b := range 8 {
		z |= x>>b&1<<(2*b) | y>>b&1<<(2*b+1)
	}
	return band*s.count*s.count + z, (i%s.edge)*s.edge + j%s.edge
}

// byBlocks divides the squares of C; every device has all of A and B.
func byBlocks(b suites.Build, rows, edge int64) (*program.Program, error) {
	if limit := b.Limits.BindingBytes; limit > 0 && 4*max(rows, edge)*edge > limit-slackBytes {
		return nil, fmt.Errorf("tropical/matmul: %d rows of %d columns do not fit a binding of %d bytes, which the split by blocks needs: choose a smaller size or the split by rows",
			max(rows, edge), edge, limit)
	}
	s := cut(rows, edge)
	p := &program.Program{
		Units: s.units(), Shares: b.Divide(s.units(), 1),
		Arrays: []program.Array{
			{Name: "A", Layout: program.Replicated, Units: rows, Stride: edge, Source: program.Random(idA, lo, hi)},
			{Name: "B", Layout: program.Replicated, Units: edge, Stride: edge, Source: program.Random(idB, lo, hi)},
			{Name: "C", Layout: program.Split, Units: s.units(), Stride: s.edge * s.edge, Output: true},
		},
		Kernels: []program.Kernel{kernel(b, "tropical/matmul_blocks", edge%4 == 0)},
		Setup:   []program.Step{program.Broadcast{Arrays: []string{"A", "B"}}},
	}
	d := program.Dispatch{
		Label: "product", Kernel: "product",
		Bind: []program.Binding{
			{Array: "A", Access: program.Read, Window: program.Whole},
			{Array: "B", Access: program.Read, Window: program.Whole},
			{Array: "C", Access: program.Write},
		},
	}
	tiles := ceilDiv(s.edge, tile)
	push := []uint32{uint32(edge), 0, uint32(edge), uint32(edge), uint32(rows), uint32(s.edge), uint32(s.count)}
	for _, share := range p.Shares {
		d.On = append(d.On, program.Launch{Units: share.Len(), Across: tiles * tiles, Push: push})
	}
	p.Steps = []program.Step{d}
	return p, nil
}
