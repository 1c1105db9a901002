package comm

import (
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(alltoall{}) }

type alltoall struct{ unscaled }

func (alltoall) Info() suites.Info {
	info := family("comm/alltoall", "all-to-all: block j of device i becomes block i of device j")
	info.Formula = "out_j[i B + k] = x_i[j B + k], k < B = size/N, rounded up"
	info.SizeUnit = "float32 elements per device"
	info.Flops, info.Bytes = "0", "8 per element and device"
	info.Communication = "each device sends S/N to each other device"
	info.Tolerance = "E0"
	return info
}

// block is the elements of one block.
func (alltoall) block(b suites.Build) int64 { return (b.Size + int64(b.Count) - 1) / int64(b.Count) }

func (w alltoall) Build(b suites.Build) (*program.Program, error) {
	if _, err := check(w.Info(), b); err != nil {
		return nil, err
	}
	block, ranks := w.block(b), int64(b.Count)
	bytes := 4 * float64(block*ranks)
	return &program.Program{
		Units: block * ranks, Shares: b.Divide(block*ranks, 1),
		Arrays: []program.Array{
			{Name: "in", Layout: program.Local, Units: ranks, Stride: block, Source: program.Random(idIn, lo, hi)},
			{Name: "out", Layout: program.Local, Units: ranks, Stride: block, Output: true, Distinct: true},
		},
		Steps:          []program.Step{program.AllToAll{Array: "in", Into: "out"}},
		CountDependent: true,
		Work:           bytes * factor(1, b.Count),
		Bytes:          2 * bytes * float64(b.Count),
	}, nil
}

// Verify compares all blocks with their senders'.
func (w alltoall) Verify(c *suites.Check) (suites.Outcome, error) {
	block := w.block(c.Build)
	var all suites.Tally
	for d := range c.Build.Count {
		err := compare(c, &all, "out", d, block*int64(c.Build.Count), func(i int64) float32 {
			return operand(c.Build.Seed, int(i/block), int64(d)*block+i%block)
		})
		if err != nil {
			return suites.Outcome{}, err
		}
	}
	return all.Outcome("E0", ""), nil
}
