package comm

import (
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(reducescatter{}) }

type reducescatter struct{ unscaled }

func (reducescatter) Info() suites.Info {
	info := family("comm/reducescatter", "reduce-scatter of a float32 buffer per device, in rank order: each device keeps its share")
	info.Formula = "out[i] = x_0[i] + x_1[i] + ... on the device that owns element i, as the tree ((x0+x1)+(x2+x3)); ring: share r as ((x_{r+1}+x_{r+2})+...)+x_r"
	info.SizeUnit = "float32 elements per device, before"
	info.Flops, info.Bytes = "N-1 per element", "4 per element and device, 4 per element"
	info.Algorithms = []string{program.Auto, program.OneShot, program.Ring}
	info.Communication = "each device sends and receives S (N-1)/N"
	info.Tolerance = "E0 in rank order (ring: in the ring's)"
	info.Params = []suites.Param{opParam, chunksParam}
	return info
}

func (w reducescatter) Build(b suites.Build) (*program.Program, error) {
	info := w.Info()
	algorithm, err := check(info, b)
	if err != nil {
		return nil, err
	}
	op, chunks, err := reduction(info, b, program.OneShot)
	if err != nil {
		return nil, err
	}
	n, bytes := b.Size, 4*float64(b.Size)
	return &program.Program{
		Units: n, Shares: shares(b, n),
		Arrays: []program.Array{
			{Name: "in", Layout: program.Local, Units: n, Stride: 1, Source: program.Random(idIn, lo, hi)},
			{Name: "out", Layout: program.Split, Units: n, Stride: 1, Output: true},
		},
		Steps:          []program.Step{program.ReduceScatter{Array: "in", Into: "out", Op: op.op, Average: op.average, Algorithm: algorithm, Chunks: chunks}},
		CountDependent: true,
		Work:           bytes * factor(1, b.Count),
		Flops:          float64(b.Count-1) * float64(n),
		Bytes:          bytes * float64(b.Count+1),
	}, nil
}

// Verify compares the shares with the float32 sum in the order of the algorithm, bit
// for bit.
func (reducescatter) Verify(c *suites.Check) (suites.Outcome, error) {
	op := operators[c.Build.Params["op"]]
	var parts []program.Share
	if c.Build.Algorithm == program.Ring && c.Build.Count > 1 {
		parts = c.Program.Shares
	}
	var all suites.Tally
	err := compare(c, &all, "out", -1, c.Build.Size, func(i int64) float32 { return op.expected(c.Build.Seed, c.Build.Count, i, parts) })
	return all.Outcome("E0", ""), err
}
