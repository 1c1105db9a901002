// Package comm holds the workloads that only communicate.
package comm

import (
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(allreduce{}) }

type allreduce struct{}

const (
	idIn   = 1
	lo, hi = float32(-1), float32(1)
)

// maxSize keeps sizes in bytes far from the end of 64 bits.
const maxSize = 1 << 44

// ops are the operators by the value of the parameter op.
var ops = []program.Op{program.Sum, program.Min, program.Max}

func (allreduce) Info() suites.Info {
	return suites.Info{
		ID: "comm/allreduce", Number: 41,
		Doc:           "all-reduce of a float32 buffer per device, in rank order",
		Source:        "gocuda; bus bandwidth as nccl-tests defines it",
		Formula:       "out_d[i] = x_0[i] + x_1[i] + ... on every device d, as the tree ((x0+x1)+(x2+x3))",
		Sizes:         suites.Sizes{S: 1 << 14, M: 1 << 24, L: 1 << 28},
		SizeUnit:      "float32 elements per device",
		WorkUnit:      "B",
		Flops:         "N-1 per element",
		Bytes:         "8 per element and device",
		Splits:        []string{"ranks"},
		Algorithms:    []string{"two-shot", "one-shot"},
		Communication: "each device sends and receives 2 S (N-1)/N (two-shot), S (N-1) (one-shot)",
		Tolerance:     "E0 in rank order, on every device",
		Weak:          "the buffer of a device is the same in both modes; the rate is bus bandwidth, 2 (N-1)/N S/t, and S/t of a local copy on one device",
		Params: []suites.Param{
			{Name: "op", Doc: "0 sum, 1 minimum, 2 maximum", Default: 0, Min: 0, Max: 2},
		},
	}
}

// WeakSize keeps the buffer: its size is per device in both modes.
func (allreduce) WeakSize(n int64, _ int) int64 { return n }

func (allreduce) Build(b suites.Build) (*program.Program, error) {
	n, count := b.Size, float64(b.Count)
	if n < 1 || n > maxSize {
		return nil, fmt.Errorf("comm/allreduce: %d elements: choose a size above 0, up to %d", n, int64(maxSize))
	}
	op := b.Params["op"]
	if op < 0 || op >= int64(len(ops)) {
		return nil, fmt.Errorf("comm/allreduce: op %d: choose 0 (sum), 1 (minimum) or 2 (maximum)", op)
	}
	algorithm := b.Algorithm
	if known := (allreduce{}).Info().Algorithms; algorithm == "" {
		algorithm = known[0]
	} else if !slices.Contains(known, algorithm) {
		return nil, fmt.Errorf("comm/allreduce: algorithm %q: choose two-shot or one-shot", algorithm)
	}
	bytes := 4 * float64(n)
	p := &program.Program{
		Units: n, Shares: b.Divide(n, 1),
		Arrays: []program.Array{
			{Name: "in", Layout: program.Local, Units: n, Stride: 1, Source: program.Random(idIn, lo, hi)},
			{Name: "out", Layout: program.Local, Units: n, Stride: 1, Output: true},
		},
		Steps:          []program.Step{program.AllReduce{Array: "in", Into: "out", Op: ops[op], Order: program.ByRank, Algorithm: algorithm}},
		CountDependent: true,
		Work:           bytes * busFactor(b.Count),
		Flops:          (count - 1) * float64(n),
		Bytes:          2 * bytes * count,
	}
	return p, nil
}

// runLength and runs are the stretches of a sampled check: Philox-chosen, at both
// ends, and where a buffer is cut in count slices.
const runLength, runs = 32, 64

// Verify compares the outputs of every device with the float32 tree in rank order,
// bit for bit.
func (w allreduce) Verify(c *suites.Check) (suites.Outcome, error) {
	n, count, number := c.Build.Size, c.Build.Count, w.Info().Number
	ranks := make([]suites.Stream, count)
	for r := range ranks {
		ranks[r] = suites.Stream{Seed: c.Build.Seed, Workload: number, Array: idIn + uint32(r)<<16}
	}
	op := ops[c.Build.Params["op"]]
	var all suites.Tally
	for _, s := range stretches(c, number, n) {
		want := make([]float32, s.Len())
		suites.Spread(s.Len(), func(first, last int64, _ *suites.Tally) {
			x := make([]float32, count)
			for i := first; i < last; i++ {
				for r := range ranks {
					x[r] = ranks[r].F32(s.Lo+i, lo, hi)
				}
				want[i] = tree(op, x)
			}
		})
		for d := range count {
			got, err := c.Out.LocalWords("out", d, s.Lo, s.Len())
			if err != nil {
				return suites.Outcome{}, err
			}
			name := fmt.Sprintf("out of device %d, element ", d)
			for i, g := range got {
				all.Float(name, s.Lo+int64(i), g, want[i])
			}
		}
	}
	return all.Outcome("E0", "every device holds the same bits"), nil
}

// stretches lists the elements to compare: all when the check is full.
func stretches(c *suites.Check, number uint32, n int64) []program.Share {
	if c.Full || n <= runLength*runs {
		var out []program.Share
		for at := int64(0); at < n; at += 1 << 20 {
			out = append(out, program.Share{Lo: at, Hi: min(at+1<<20, n)})
		}
		return out
	}
	at := suites.SampleIndices(c.Build.Seed, number, 0, n, runs)
	for k := range c.Build.Count + 1 {
		at = append(at, n*int64(k)/int64(c.Build.Count)-runLength/2)
	}
	for i := range at {
		at[i] = min(max(at[i], 0), n-runLength)
	}
	slices.Sort(at)
	var out []program.Share
	for _, a := range slices.Compact(at) {
		out = append(out, program.Share{Lo: a, Hi: a + runLength})
	}
	return out
}

// tree combines in rank order as a binary counter does: ((x0+x1)+(x2+x3)), what is
// left over merged from the right.
func tree(op program.Op, x []float32) float32 {
	var stack []float32
	for i, v := range x {
		for k := i + 1; k%2 == 0; k /= 2 { // two complete subtrees of equal size
			v = combine(op, stack[len(stack)-1], v)
			stack = stack[:len(stack)-1]
		}
		stack = append(stack, v)
	}
	v := stack[len(stack)-1]
	for i := len(stack) - 2; i >= 0; i-- {
		v = combine(op, stack[i], v)
	}
	return v
}

func combine(op program.Op, a, b float32) float32 {
	switch op {
	case program.Min:
		return min(a, b)
	case program.Max:
		return max(a, b)
	default:
		return a + b
	}
}

// busFactor is bus bandwidth over S/t of an all-reduce (nccl-tests). On one device
// it would be 0: an all-reduce is a copy there, and S/t stands for itself.
func busFactor(count int) float64 {
	if count < 2 {
		return 1
	}
	return 2 * float64(count-1) / float64(count)
}
