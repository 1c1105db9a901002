package linalg

import (
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const reductionNumber = 39

func init() { suites.Register(reduction{}) }

type reduction struct{}

// reductionInput is uniform in [-1,1), so that minimum, maximum and cancellation in the
// sum all matter.
var reductionInput = program.Random(0, -1, 1)

// maxReduction keeps chunk lengths inside 32 bits.
const maxReduction = 1 << 42

// The constants of the kernel. The order of additions is that of 256 lanes and of a
// pattern of four vectors a lane, whatever they are.
var (
	reductionGroup = suites.Tunable{
		Name: "group", Doc: "invocations of a work-group, which stand for 256 lanes", Values: []int64{64, 128, 256}, Default: 256,
	}
	reductionUnroll = suites.Tunable{
		Name: "unroll", Doc: "turns of four vectors whose loads are issued together", Values: []int64{1, 2, 4}, Default: 1,
	}
)

func (reduction) Info() suites.Info {
	return suites.Info{
		ID: "linalg/reduction", Number: reductionNumber,
		Doc:           "Sum, minimum, maximum and average of a vector in one pass over canonical chunks",
		Source:        "gocuda",
		Formula:       "s = sum x[i], lo = min x[i], hi = max x[i], average = s / n",
		Sizes:         suites.Sizes{S: 1 << 20, M: 1 << 28, L: 1 << 31},
		SizeUnit:      "elements",
		WorkUnit:      "B",
		Flops:         "3 per element (one addition, two comparisons)",
		Bytes:         "4 per element",
		Splits:        []string{"chunks"},
		Algorithms:    []string{"chunk-tree"},
		Communication: "all-reduce of 12 B of partials a chunk along the canonical chunk tree",
		Tolerance:     "sum E1 (n = additions inside a chunk), tree of partials, minimum and maximum E0, D0",
		Weak:          "elements proportional to the number of devices",
		ReadsInput:    true,
		Tunables:      []suites.Tunable{reductionGroup, reductionUnroll},
	}
}

// Build cuts the elements into canonical chunks, reduces each in one work-group and
// combines the partials along the canonical tree. The minimum is carried as the maximum
// of -x, so one all-reduce serves both.
func (reduction) Build(b suites.Build) (*program.Program, error) {
	n, source, err := reductionSource(b)
	if err != nil {
		return nil, err
	}
	group, err := b.Group(reductionGroup)
	if err != nil {
		return nil, err
	}
	spec := []program.Spec{{ID: 0, Value: uint32(group)}, {ID: 1, Value: uint32(b.Tuned(reductionUnroll))}}
	c := chunk(n)
	last, tail := c.last()
	shares := b.Divide(c.count, 1)
	split := func(name string, stride int64) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Split, Units: c.count, Stride: stride}
	}
	total := func(name string, stride int64) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Local, Units: 1, Stride: stride, Output: true}
	}
	x := split("x", c.stride)
	x.Source = source
	partials := split("partials", 3)
	partials.Output = true
	launches := make([]program.Launch, len(shares))
	for d, s := range shares {
		launches[d] = program.Launch{Units: s.Len(), Push: []uint32{uint32(c.stride), uint32(last), uint32(tail)}}
	}
	return &program.Program{
		Units:   c.count,
		Shares:  shares,
		Arrays:  []program.Array{x, split("chunk_sums", 1), split("chunk_extremes", 2), partials, total("sum", 1), total("extremes", 2)},
		Kernels: []program.Kernel{{Name: "main", Shader: "linalg/reduction", Spec: spec}},
		Steps: []program.Step{
			program.Dispatch{
				Label: "compute", Kernel: "main",
				Bind: []program.Binding{
					{Array: "x", Access: program.Read},
					{Array: "chunk_sums", Access: program.Write},
					{Array: "chunk_extremes", Access: program.Write},
					{Array: "partials", Access: program.Write},
				},
				On: launches,
			},
			program.AllReduce{Array: "chunk_sums", Into: "sum", Op: program.Sum, Order: program.ByChunk, Algorithm: b.Algorithm},
			program.AllReduce{Array: "chunk_extremes", Into: "extremes", Op: program.Max, Order: program.ByChunk, Algorithm: b.Algorithm},
		},
		Work: 4 * float64(n), Flops: 3 * float64(n), Bytes: 4 * float64(n),
	}, nil
}
