package memory

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(read{}) }

type read struct{}

// block is how many floats a work-group sums.
const block = 8192

// chain is the longest run of sequential additions in a block: five levels of vectors
// and lanes, then twice 15 in shared memory.
const chain = 35

// readGroup divides the 256 lanes whose order of additions is fixed.
var readGroup = suites.Tunable{
	Name: "group", Doc: "invocations of a work-group, which stand for 256 lanes", Values: []int64{64, 128, 256}, Default: 256,
}

func (read) Info() suites.Info {
	return suites.Info{
		ID: "memory/read", Number: 43,
		Doc:           "Reading alone: sums of blocks of 8192 elements, one number written for each",
		Source:        "amgpu",
		Formula:       "s[k] = sum of x[i] for i in [8192 k, 8192 (k+1))",
		Sizes:         suites.Sizes{S: 1 << 20, M: 1 << 26, L: 1 << 30},
		SizeUnit:      "elements, rounded up to whole blocks",
		WorkUnit:      "B",
		Flops:         "1 per element",
		Bytes:         "4 per element",
		Splits:        []string{"ranges"},
		Communication: "none",
		Roof:          "memory",
		Tolerance:     "E1 (n = 35)",
		Weak:          "elements proportional to the number of devices",
		Tunables:      []suites.Tunable{readGroup, turns},
	}
}

func (read) Build(b suites.Build) (*program.Program, error) {
	if b.Size < 1 || b.Size > maxSize {
		return nil, fmt.Errorf("size %d: choose from 1 to %d elements", b.Size, int64(maxSize))
	}
	size, err := b.Group(readGroup)
	if err != nil {
		return nil, err
	}
	each := b.Tuned(turns)
	blocks := (b.Size + block - 1) / block
	shares := b.Divide(blocks, 1)
	launches := make([]program.Launch, len(shares))
	for d, s := range shares {
		launches[d] = program.Launch{Units: s.Len(), Div: each}
	}
	n := float64(blocks * block)
	return &program.Program{
		Units:  blocks,
		Shares: shares,
		Arrays: []program.Array{
			{Name: "s", Elem: program.F32, Layout: program.Split, Units: blocks, Stride: 1, Output: true},
			{Name: "x", Elem: program.F32, Layout: program.Split, Units: blocks, Stride: block, Source: inputX},
		},
		Kernels: []program.Kernel{{Name: "main", Shader: "memory/read", Spec: []program.Spec{{ID: 0, Value: uint32(size)}, {ID: 1, Value: uint32(each)}}}},
		Steps: []program.Step{program.Dispatch{
			Label: "compute", Kernel: "main",
			Bind: []program.Binding{{Array: "s", Access: program.Write}, {Array: "x", Access: program.Read}},
			On:   launches,
		}},
		Work: 4 * n, Flops: n, Bytes: 4 * n,
	}, nil
}

// Verify adds the elements of blocks in float64.
func (w read) Verify(c *suites.Check) (suites.Outcome, error) {
	xs := suites.Stream{Seed: c.Build.Seed, Workload: w.Info().Number, Array: inputX.ID}
	tally, err := c.EachUnit("s", c.Program.Units, func(u int64, got []uint32, t *suites.Tally) {
		sum, magnitude := 0.0, 0.0
		for i := u * block; i < (u+1)*block; i++ {
			x := float64(xs.F32(i, inputX.A, inputX.B))
			sum += x
			magnitude += math.Abs(x)
		}
		t.Near("s", u, got[0], sum, suites.E1(chain, magnitude))
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E1", ""), nil
}
