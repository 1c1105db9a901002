package peak

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// units is a workload whose units are independent of each other: work-groups, chases or
// sets of counters. It has one output and at most one input.
type units struct {
	info  suites.Info
	build func(b suites.Build, p *program.Program, shares []program.Share)
	// judge compares the output of one unit with the reference.
	judge func(c *suites.Check) func(u int64, got []uint32, t *suites.Tally)
	out   string
	most  int64 // units
}

func (w units) Info() suites.Info { return w.info }

func (w units) Build(b suites.Build) (*program.Program, error) {
	if b.Size < 1 || b.Size > w.most {
		return nil, fmt.Errorf("%s: size %d: choose from 1 to %d %s", w.info.ID, b.Size, w.most, w.info.SizeUnit)
	}
	p := &program.Program{Units: b.Size, Shares: b.Divide(b.Size, 1)}
	w.build(b, p, p.Shares)
	return p, nil
}

// Verify recomputes units on the CPU.
func (w units) Verify(c *suites.Check) (suites.Outcome, error) {
	tally, err := c.EachUnit(w.out, c.Program.Units, w.judge(c))
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E0", ""), nil
}

// unitInfo is what these workloads have in common.
func unitInfo(i suites.Info) suites.Info {
	i.Number = number
	i.Source = "amgpu; what clpeak measures"
	i.Arithmetic = "none"
	i.Flops = "0"
	i.Splits = []string{"ranges"}
	i.Communication = "none"
	i.Tolerance = "E0"
	i.Weak = i.SizeUnit + " proportional to the number of devices"
	return i
}

// words32 is an output or input of 32-bit words.
func words32(name string, layout program.Layout, length, stride int64, s program.Source) program.Array {
	return program.Array{Name: name, Elem: program.U32, Layout: layout, Units: length, Stride: stride, Source: s}
}

// output is an array that the units leave.
func output(name string, length, stride int64) program.Array {
	a := words32(name, program.Split, length, stride, program.Source{})
	a.Output = true
	return a
}

// launches runs groups work-groups for each unit of the shares.
func launches(shares []program.Share, groups int64, push ...uint32) []program.Launch {
	out := make([]program.Launch, len(shares))
	for d, s := range shares {
		out[d] = program.Launch{Units: s.Len(), Mul: groups, Push: push}
	}
	return out
}
