package comm

import (
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(allreduce{}) }

type allreduce struct{ unscaled }

func (allreduce) Info() suites.Info {
	info := family("comm/allreduce", "all-reduce of a float32 buffer per device, in rank order")
	info.Formula = "out_d[i] = x_0[i] + x_1[i] + ... on every device d, as the tree ((x0+x1)+(x2+x3)); ring: slice r as ((x_{r+1}+x_{r+2})+...)+x_r"
	info.SizeUnit = "float32 elements per device"
	info.Flops, info.Bytes = "N-1 per element", "8 per element and device"
	info.Algorithms = []string{program.Auto, program.OneShot, program.TwoShot, program.Ring, program.RecursiveDoubling, program.Tree, program.Hierarchical}
	info.Communication = "each device sends and receives 2 S (N-1)/N (two-shot, ring), S (N-1) (one-shot), S log2 N (recursive-doubling)"
	info.Tolerance = "E0 in rank order (ring: in the ring's), on every device"
	info.Weak = "the buffer of a device is the same in both modes; the rate is bus bandwidth, 2 (N-1)/N S/t, and S/t of a local copy on one device"
	info.Params = []suites.Param{opParam, chunksParam}
	return info
}

func (w allreduce) Build(b suites.Build) (*program.Program, error) {
	info := w.Info()
	algorithm, err := check(info, b)
	if err != nil {
		return nil, err
	}
	op, chunks, err := reduction(info, b, program.TwoShot, program.Hierarchical)
	if err != nil {
		return nil, err
	}
	n, bytes := b.Size, 4*float64(b.Size)
	return &program.Program{
		Units: n, Shares: b.Divide(n, 1),
		Arrays: []program.Array{
			{Name: "in", Layout: program.Local, Units: n, Stride: 1, Source: program.Random(idIn, lo, hi)},
			{Name: "out", Layout: program.Local, Units: n, Stride: 1, Output: true},
		},
		Steps:          []program.Step{program.AllReduce{Array: "in", Into: "out", Op: op.op, Average: op.average, Order: program.ByRank, Algorithm: algorithm, Chunks: chunks}},
		CountDependent: true,
		Work:           bytes * factor(2, b.Count),
		Flops:          float64(b.Count-1) * float64(n),
		Bytes:          2 * bytes * float64(b.Count),
	}, nil
}

// Verify compares the outputs of every device with the float32 sum in the order of the
// algorithm, bit for bit.
func (allreduce) Verify(c *suites.Check) (suites.Outcome, error) {
	n, op := c.Build.Size, operators[c.Build.Params["op"]]
	var parts []program.Share
	if c.Build.Algorithm == program.Ring && c.Build.Count > 1 {
		parts = program.RankSlices(n, c.Build.Count)
	}
	var all suites.Tally
	for d := range c.Build.Count {
		err := compare(c, &all, "out", d, n, func(i int64) float32 { return op.expected(c.Build.Seed, c.Build.Count, i, parts) })
		if err != nil {
			return suites.Outcome{}, err
		}
	}
	return all.Outcome("E0", "every device holds the same bits"), nil
}
