package tropical

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// byK divides the k: a device has columns of A, stored as rows of the transpose, and rows
// of B, makes a product of its own in P, and the extreme over all devices is C. A device
// without k keeps the semiring's zero in P.
func byK(b suites.Build, rows, edge int64) (*program.Program, error) {
	limit := b.Limits.BindingBytes
	if limit <= 0 {
		limit = 1 << 27
	}
	block := min(rows, (limit-slackBytes)/(4*edge)/tile*tile)
	if block == 0 || 4*max(rows, edge)+slackBytes > limit {
		return nil, fmt.Errorf("tropical/matmul: %d rows of C with %d columns do not fit a binding of %d bytes: choose a size up to %d",
			tile, edge, limit, (limit-slackBytes)/(4*tile))
	}
	op := program.Max
	if isMin(b) {
		op = program.Min
	}
	seed := b.Seed
	p := &program.Program{
		Units: edge, Shares: b.Divide(edge, step),
		Arrays: []program.Array{
			{Name: "A", Layout: program.Split, Units: edge, Stride: rows, Source: program.Source{
				Kind: program.Made, ID: idA,
				Make: func(_ int, first int64, into []uint32) { transposed(seed, rows, edge, first, into) },
			}},
			{Name: "B", Layout: program.Split, Units: edge, Stride: edge, Source: program.Random(idB, lo, hi)},
			{Name: "P", Layout: program.Local, Units: rows, Stride: edge, CutAt: block, Source: program.Source{Kind: program.Const, Word: math.Float32bits(zero(isMin(b)))}},
			{Name: "C", Layout: program.Local, Units: rows, Stride: edge, CutAt: block, Output: true},
		},
		Kernels: []program.Kernel{kernel(b, "tropical/matmul_k", edge%4 == 0 && rows%4 == 0)},
	}
	for first := int64(0); first < rows; first += block {
		p.Steps = append(p.Steps, partial(p.Shares, edge, rows, first, min(block, rows-first)))
	}
	p.Steps = append(p.Steps, program.AllReduce{Array: "P", Into: "C", Op: op, Order: program.ByRank})
	return p, nil
}

// partial is the product over a device's k of depth rows of C from row first. The engine
// may cut a launch over the k: the kernel joins the parts.
func partial(shares []program.Share, edge, rows, first, depth int64) program.Dispatch {
	d := program.Dispatch{
		Label: "product", Kernel: "product",
		Bind: []program.Binding{
			{Array: "A", Access: program.Read},
			{Array: "B", Access: program.Read},
			{Array: "P", Access: program.ReadWrite, Window: program.Fixed, First: first, Units: depth},
		},
	}
	tiles := ceilDiv(edge, tile) * ceilDiv(depth, tile)
	for _, s := range shares {
		d.On = append(d.On, program.Launch{
			Units: s.Len(), Div: max(edge, 1), Across: tiles,
			Push: []uint32{uint32(rows), uint32(edge), uint32(depth), uint32(first), uint32(s.Lo)},
		})
	}
	return d
}

// transposed is the source of A in the split by k: element (k, i) is A_ik.
func transposed(seed uint64, rows, edge, first int64, into []uint32) {
	a := suites.Stream{Seed: seed, Workload: matmul{}.Info().Number, Array: idA}
	k, i := first/rows, first%rows
	for n := range into {
		into[n] = math.Float32bits(a.F32(i*edge+k, lo, hi))
		if i++; i == rows {
			k, i = k+1, 0
		}
	}
}
