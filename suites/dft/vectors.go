package dft

import (
	"fmt"
	"math/bits"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// Splits of transforms: whole vectors to every device, or one vector over all of them.
const (
	SplitBatch, SplitFourStep = "batch", "four-step"
)

const (
	// MostLog is log2 of the longest transform: three passes.
	MostLog = 27
	// MaxBatch keeps sizes in bytes far from the end of 64 bits.
	MaxBatch = 1 << 24
)

// Vectors is a problem: Count vectors of Points elements each, followed by zeros up to a
// power of two. Their array is "x", that of the outputs "y".
type Vectors struct {
	Ring    Ring
	M       int // log2 of the points, zeros included
	Points  int64
	Count   int64
	Inverse bool
	Split   string
	Source  program.Source // of x
}

// Params are the knobs that all transforms have.
func Params() []suites.Param {
	return []suites.Param{
		{Name: "inverse", Doc: "1: the inverse transform", Default: 0, Min: 0, Max: 1},
		{Name: "batch", Doc: "transforms (split batch)", Default: 4, Min: 1, Max: MaxBatch},
		{Name: "parts", Doc: "parts in which the all-to-all goes, up to (split four-step)", Default: 4, Min: 1, Max: 16},
	}
}

// VectorsOf reads a request; ring and source are the caller's to set. Errors say what to choose.
func VectorsOf(workload string, b suites.Build) (Vectors, error) {
	v := Vectors{Points: b.Size, Count: 1, Inverse: b.Params["inverse"] == 1, Split: b.Split}
	least := 1
	switch b.Split {
	case SplitBatch:
		v.Count = b.Params["batch"]
		if b.Weak {
			v.Points, v.Count = b.Base, v.Count*int64(b.Count)
		}
	case SplitFourStep:
		least = 2
	default:
		return v, fmt.Errorf("%s: unknown split %q: choose %s or %s", workload, b.Split, SplitBatch, SplitFourStep)
	}
	if v.Points < 1 || v.Points > 1<<MostLog {
		return v, fmt.Errorf("%s: %d points: choose 1 to %d", workload, v.Points, 1<<MostLog)
	}
	v.M = max(bits.Len64(uint64(v.Points-1)), least)
	return v, nil
}

// N is the number of points, zeros included.
func (v Vectors) N() int64 { return 1 << v.M }

// Passes is how often every element is read and written.
func (v Vectors) Passes() int {
	if v.Split == SplitFourStep {
		return len(digits(v.M, 2))
	}
	return len(v.Ring.quick(v.M))
}

// Build adds units, shares, arrays, kernels and steps to the program.
func (v Vectors) Build(b suites.Build, p *program.Program) {
	if v.Split == SplitFourStep {
		v.fourStep(b, p)
	} else {
		v.batch(b, p)
	}
}

// divided is an array of the whole problem.
func (v Vectors) divided(name string, units int64) program.Array {
	return program.Array{Name: name, Elem: v.Ring.Elem, Layout: program.Split, Units: units, Stride: v.Count * v.N() * v.Ring.Words / units}
}

func (v Vectors) batch(b suites.Build, p *program.Program) {
	p.Units, p.Shares = v.Count, b.Divide(v.Count, 1)
	in, out := v.divided("x", v.Count), v.divided("y", v.Count)
	in.Source, out.Output = v.Source, true
	p.Arrays = []program.Array{in, out, v.Ring.Roots("roots", v.M, v.Inverse)}
	passes := v.Ring.passes(v.M, v.Points < v.N(), v.Inverse)
	if len(passes) > 1 {
		p.Arrays = append(p.Arrays, v.divided("scratch", v.Count))
	}
	from := "x"
	for i, pass := range passes {
		to := "y"
		if (len(passes)-i)%2 == 0 {
			to = "scratch"
		}
		name := fmt.Sprintf("pass%d", i+1)
		p.Kernels = append(p.Kernels, pass.Kernel(name, v.Ring, v.M, v.Inverse))
		table := program.Binding{Array: "roots", Access: program.Read, Window: program.Whole}
		p.Steps = append(p.Steps, program.Dispatch{
			Label: name, Kernel: name,
			Bind: []program.Binding{{Array: from, Access: program.Read}, {Array: to, Access: program.Write}, table, table},
			On:   pass.Launch(p.Shares, 0, 0, v.Points, v.Ring.Scale(v.M)),
		})
		from = to
	}
}

func (v Vectors) fourStep(b suites.Build, p *program.Program) {
	t := NewFourStep(v.Ring, v.M)
	t.Inverse, t.Limit = v.Inverse, v.Points
	p.Units = t.Units()
	p.Shares = b.Divide(p.Units, 1)
	t.Shares = p.Shares
	t.CutParts(b.Params["parts"])
	in, out := v.divided("x", p.Units), v.divided("y", p.Units)
	in.Source, out.Output = v.Source, true
	p.Arrays = append([]program.Array{in, out, v.Ring.Roots("roots", v.M, v.Inverse)}, t.Places()...)
	p.Arrays = append(p.Arrays, t.Blocks()...)
	if t.R3 > 0 {
		p.Arrays = append(p.Arrays, v.divided("scratch", p.Units))
	}
	p.Kernels = t.Kernels()
	p.Steps = t.Steps("x", "scratch", "y", "roots")
}
