package infogeo

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func bits(x float32) uint32 { return math.Float32bits(x) }

// regression is the Fisher matrix of a logistic model, cut into canonical chunks of rows.
// Rows beyond n exist and have weight 0.
type regression struct {
	n, d         int64
	rows, chunks int64 // rows of a chunk, a multiple of 16
	slabs        bool  // by slabs of 256 columns
}

const (
	leastRegressionChunks = 256
	tileEdge              = 64
	slabWidth, slabShared = 256, 32 << 10
)

// regress chooses dimension, chunks and kernel from the problem and the pool's limits. A
// chunk of few columns is one to two work-groups, so many are needed to fill devices; of
// many columns it is hundreds, and its sums are large: with 256 columns 416 chunks are 520 work-groups,
// just below four for each of Hopper's 132 processors.
func regress(b suites.Build) (regression, error) {
	base := b.Base
	if base == 0 {
		base = b.Size
	}
	r := regression{n: b.Size, d: b.Params["dim"]}
	if r.d == 0 {
		switch {
		case base >= 1<<21:
			r.d = 2048
		case base >= 1<<14:
			r.d = 256
		default:
			r.d = tileEdge
		}
	}
	if r.n < 1 || r.n > maxRows || r.d < tileEdge || r.d > maxDim || r.d%tileEdge != 0 {
		return r, fmt.Errorf("infogeo/fisher: %d rows of %d columns: choose 1 to %d rows and a multiple of 64 up to %d columns", r.n, r.d, int64(maxRows), maxDim)
	}
	most := int64(1024)
	switch {
	case r.d > 512:
		most = 384
	case r.d >= slabWidth:
		most = 416
	}
	r.rows = ((r.n+most-1)/most + 15) / 16 * 16
	r.chunks = max(leastRegressionChunks, (r.n+r.rows-1)/r.rows)
	// Software drivers compile the kernel for slabs for minutes.
	r.slabs = r.d%slabWidth == 0 && b.Limits.SharedBytes >= slabShared && !b.Limits.SoftwareClass
	return r, nil
}

// tiles is the number of tiles in the lower triangle.
func (r regression) tiles() int64 { return r.d / tileEdge * (r.d/tileEdge + 1) / 2 }

// stride is the number of floats of a chunk's sums.
func (r regression) stride() int64 { return r.tiles() * tileEdge * tileEdge }

func (r regression) program(b suites.Build) *program.Program {
	split := func(name string, stride int64, s program.Source) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Split, Units: r.chunks, Stride: stride, Source: s}
	}
	local := func(name string, stride int64) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Local, Units: 1, Stride: stride}
	}
	partials := split("partials", r.stride(), program.Source{})
	partials.Output = true
	coefficients := local("b", r.d)
	coefficients.Layout, coefficients.Source = program.Replicated, fisherB
	f := local("F", r.d*r.d)
	f.Output = true
	p := &program.Program{
		Units: r.chunks, Shares: b.Divide(r.chunks, 1),
		Arrays: []program.Array{
			split("X", r.rows*r.d, fisherX), coefficients, split("s", r.rows, program.Source{}),
			partials, local("sum", r.stride()), f,
		},
		Kernels: []program.Kernel{
			{Name: "weights", Shader: "infogeo/weights"},
			{Name: "expand", Shader: "infogeo/expand"},
		},
		Flops: float64(r.n)*float64(r.d)*float64(r.d+1) + 2*float64(r.n)*float64(r.d),
		Bytes: 4 * float64(r.n) * float64(r.d),
	}
	p.Work = p.Flops
	shape := []uint32{uint32(r.d), uint32(r.rows)}
	weights := program.Dispatch{Label: "weights", Kernel: "weights", Bind: []program.Binding{
		{Array: "s", Access: program.Write}, {Array: "X", Access: program.Read}, {Array: "b", Access: program.Read, Window: program.Whole},
	}}
	expand := program.Dispatch{Label: "expand", Kernel: "expand", Bind: []program.Binding{
		{Array: "F", Access: program.Write, Window: program.Whole}, {Array: "sum", Access: program.Read, Window: program.Whole},
	}}
	for _, s := range p.Shares {
		weights.On = append(weights.On, program.Launch{Units: s.Len(), Across: (r.rows + 15) / 16, Push: append(shape[:2:2], uint32(r.n))})
		expand.On = append(expand.On, program.Launch{Units: 1, Across: (r.d*r.d + groupSize - 1) / groupSize, Push: []uint32{uint32(r.d), bits(1 / float32(r.n))}})
	}
	p.Steps = []program.Step{weights}
	for _, k := range r.kernels() {
		p.Kernels = append(p.Kernels, k.kernel)
		d := program.Dispatch{Label: "outer products", Kernel: k.kernel.Name, Independent: k.independent, Bind: []program.Binding{
			{Array: "partials", Access: program.Write}, {Array: "X", Access: program.Read}, {Array: "s", Access: program.Read},
		}}
		for _, s := range p.Shares {
			l := k.launch
			l.Units, l.Push = s.Len(), shape
			d.On = append(d.On, l)
		}
		p.Steps = append(p.Steps, d)
	}
	p.Steps = append(p.Steps,
		program.AllReduce{Array: "partials", Into: "sum", Op: program.Sum, Order: program.ByChunk, Algorithm: b.Algorithm}, expand)
	return p
}

// gram is one kernel that makes tiles.
type gram struct {
	kernel      program.Kernel
	launch      program.Launch
	independent bool // of the kernel before
}

// kernels are those that make all tiles: one by one, or in slabs on and below the diagonal.
func (r regression) kernels() []gram {
	if !r.slabs {
		return []gram{{kernel: program.Kernel{Name: "tiles", Shader: "infogeo/gram64"}, launch: program.Launch{Across: r.tiles()}}}
	}
	blocks := r.d / slabWidth
	out := []gram{{
		kernel: program.Kernel{Name: "diagonal", Shader: "infogeo/gram256", Spec: []program.Spec{{ID: 1, Value: 0}}},
		launch: program.Launch{Mul: 10 * blocks, Div: 8},
	}}
	if blocks > 1 {
		out = append(out, gram{
			kernel:      program.Kernel{Name: "below", Shader: "infogeo/gram256", Spec: []program.Spec{{ID: 1, Value: 1}}},
			launch:      program.Launch{Across: blocks * (blocks - 1)},
			independent: true,
		})
	}
	return out
}
