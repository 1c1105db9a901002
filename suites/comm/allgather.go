package comm

import (
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(allgather{}) }

type allgather struct{ unscaled }

func (allgather) Info() suites.Info {
	info := family("comm/allgather", "all-gather: every device's share of a float32 buffer to all others")
	info.Formula = "out_d[i] = x[i] on every device d, x divided over the devices"
	info.SizeUnit = "float32 elements, after"
	info.Flops, info.Bytes = "0", "4 per element, 4 per element and device"
	info.Algorithms = []string{program.Auto, program.OneShot, program.Ring}
	info.Communication = "each device sends and receives S (N-1)/N"
	info.Tolerance = "E0, D0"
	return info
}

func (w allgather) Build(b suites.Build) (*program.Program, error) {
	algorithm, err := check(w.Info(), b)
	if err != nil {
		return nil, err
	}
	n, bytes := b.Size, 4*float64(b.Size)
	out := program.Array{Name: "out", Layout: program.Replicated, Units: n, Stride: 1, Output: true}
	if b.Count == 1 {
		return alone(n, out), nil
	}
	return &program.Program{
		Units: n, Shares: shares(b, n),
		Arrays: []program.Array{{Name: "in", Layout: program.Split, Units: n, Stride: 1, Source: program.Random(idIn, lo, hi)}, out},
		Steps:  []program.Step{program.AllGather{Arrays: []string{"out"}, From: []string{"in"}, Algorithm: algorithm}},
		Work:   bytes * factor(1, b.Count),
		Bytes:  bytes * float64(b.Count+1),
	}, nil
}

// Verify compares what every device holds with the whole buffer.
func (allgather) Verify(c *suites.Check) (suites.Outcome, error) {
	var all suites.Tally
	for d := range c.Build.Count {
		if err := compare(c, &all, "out", d, c.Build.Size, func(i int64) float32 { return operand(c.Build.Seed, 0, i) }); err != nil {
			return suites.Outcome{}, err
		}
	}
	return all.Outcome("E0", "every device holds the same bits"), nil
}
