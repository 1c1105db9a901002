package comm

import (
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(broadcast{}) }

type broadcast struct{ unscaled }

func (broadcast) Info() suites.Info {
	info := family("comm/broadcast", "broadcast of a float32 buffer from the first device to all others")
	info.Formula = "out_d[i] = x_0[i] on every device d"
	info.SizeUnit = "float32 elements"
	info.Flops, info.Bytes = "0", "4 per element and device"
	info.Algorithms = []string{program.Auto, program.OneShot, program.TwoShot}
	info.Communication = "the root sends S (N-1) (one-shot), or less than 2 S, and the others S/N to each other (two-shot)"
	info.Tolerance = "E0, D0"
	return info
}

func (w broadcast) Build(b suites.Build) (*program.Program, error) {
	algorithm, err := check(w.Info(), b)
	if err != nil {
		return nil, err
	}
	n, bytes := b.Size, 4*float64(b.Size)
	if b.Count == 1 {
		return alone(n, program.Array{Name: "out", Layout: program.Local, Units: n, Stride: 1, Output: true}), nil
	}
	return &program.Program{
		Units: n, Shares: b.Divide(n, 1),
		// Every device's own contents differ from the root's until the broadcast.
		Arrays: []program.Array{{Name: "out", Layout: program.Local, Units: n, Stride: 1, Source: program.Random(idIn, lo, hi), Output: true}},
		Steps:  []program.Step{program.Broadcast{Arrays: []string{"out"}, Algorithm: algorithm}},
		Work:   bytes,
		Bytes:  bytes * float64(b.Count),
	}, nil
}

// Verify compares what every device holds with the root's operand.
func (broadcast) Verify(c *suites.Check) (suites.Outcome, error) {
	return allgather{}.Verify(c)
}
