package dual

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const gradientNumber = 10

func init() { suites.Register(gradient{}) }

type gradient struct{}

// Coordinates of the points are uniform in [-2,2).
var coordinates = program.Random(0, -2, 2)

const (
	variables = 64
	maxPoints = 1 << 36
	// termFlops is what a term costs on dual numbers; pointFlops is a whole gradient.
	termFlops  = 19
	pointFlops = termFlops * (variables - 1) * variables
	// pointsPerGroup is fixed in the kernel.
	pointsPerGroup = 4
)

func (gradient) Info() suites.Info {
	return suites.Info{
		ID: "dual/gradient", Number: gradientNumber,
		Doc:           "Gradients of the extended Rosenbrock function of 64 variables in forward mode, one seed at a time; batch 1 sums them over all points too",
		Source:        "Amari",
		Formula:       "f(x) = sum over i < 63 of 100 (x[i+1] - x[i]^2)^2 + (1 - x[i])^2; component j is the derivative part of f(x + e_j eps)",
		Sizes:         suites.Sizes{S: 1 << 10, M: 1 << 16, L: 1 << 24},
		SizeUnit:      "points",
		Layout:        "four points a unit, each the variables, or slopes by them, one after the other",
		WorkUnit:      "flop",
		Flops:         "19 * 63 * 64 = 76,608 per point",
		Bytes:         "512 per point",
		Splits:        []string{"points"},
		Communication: "none; with batch 1 an all-reduce of the 64 sums along the tree of canonical chunks",
		Tolerance:     "E1 (n = 63, terms in magnitude), D0",
		Weak:          "points proportional to the number of devices",
		Params:        []suites.Param{{Name: "batch", Doc: "1: also the sum of all gradients", Default: 0, Min: 0, Max: 1}},
	}
}

// leastChunks and mostChunks bound the canonical chunks where points allow. The sums of chunks
// are combined level by level: more chunks cost more than they divide.
const leastChunks, mostChunks = 256, 1024

// chunkPoints is the number of points of a canonical chunk: of the problem alone.
func chunkPoints(points int64) int64 {
	if points < leastChunks*pointsPerGroup {
		return 1
	}
	each := (points + mostChunks - 1) / mostChunks
	return (each + pointsPerGroup - 1) / pointsPerGroup * pointsPerGroup
}

// Build's unit is a canonical chunk. The last one may have points beyond the size, which
// are computed and checked like all others but not summed.
func (gradient) Build(b suites.Build) (*program.Program, error) {
	batch := b.Params["batch"]
	if b.Size < 1 || b.Size > maxPoints || batch < 0 || batch > 1 {
		return nil, fmt.Errorf("size %d, batch %d: choose 1 to %d points and a batch of 0 or 1", b.Size, batch, int64(maxPoints))
	}
	each := chunkPoints(b.Size)
	chunks := (b.Size + each - 1) / each
	array := func(name string, stride int64, output bool) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Split, Units: chunks, Stride: stride, Output: output}
	}
	in := array("x", each*variables, false)
	in.Source = coordinates
	p := &program.Program{
		Units: chunks, Shares: b.Divide(chunks, 1),
		Arrays:  []program.Array{array("gradient", each*variables, true), array("value", each, true), in},
		Kernels: []program.Kernel{{Name: "gradient", Shader: "dual/gradient"}},
		Work:    pointFlops * float64(b.Size), Flops: pointFlops * float64(b.Size), Bytes: 8 * variables * float64(b.Size),
	}
	d := program.Dispatch{
		Label: "gradient", Kernel: "gradient",
		Bind: []program.Binding{{Array: "gradient", Access: program.Write}, {Array: "value", Access: program.Write}, {Array: "x", Access: program.Read}},
	}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Mul: each, Div: pointsPerGroup, Push: []uint32{uint32(each)}})
	}
	p.Steps = []program.Step{d}
	if batch == 1 {
		p.Arrays = append(p.Arrays, array("sums", variables, false), array("partials", variables, true),
			program.Array{Name: "total", Elem: program.F32, Layout: program.Local, Units: 1, Stride: variables, Output: true})
		p.Kernels = append(p.Kernels, program.Kernel{Name: "batch", Shader: "dual/batch"})
		p.Steps = append(p.Steps, batchSums(p, each, b.Size),
			program.AllReduce{Array: "sums", Into: "total", Op: program.Sum, Order: program.ByChunk})
	}
	return p, nil
}

// batchSums is the step that sums the gradients of each chunk. The all-reduce consumes one
// copy; the other is for the check.
func batchSums(p *program.Program, each, points int64) program.Dispatch {
	d := program.Dispatch{
		Label: "sum", Kernel: "batch",
		Bind: []program.Binding{{Array: "sums", Access: program.Write}, {Array: "partials", Access: program.Write}, {Array: "gradient", Access: program.Read}},
	}
	last := p.Units - 1
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Push: []uint32{uint32(each), uint32(last), uint32(points - last*each)}})
	}
	return d
}
