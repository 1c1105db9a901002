// Package tropical holds the workloads over the max-plus semiring, in which a sum
// is a maximum and a product is a sum, and over the min-plus semiring.
package tropical

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(matmul{}) }

type matmul struct{}

// Philox array ids of the operands, and the range of their elements.
const (
	idA, idB = 1, 2
	lo, hi   = float32(-1), float32(1)
)

// The kernel's tile, step and row band; the row granule of shares keeps 16-byte
// accesses aligned and costs no more tiles than a coarser one.
const (
	tile    = 128
	step    = 16
	granule = 8
)

func (matmul) Info() suites.Info {
	return suites.Info{
		ID: "tropical/matmul", Number: 4,
		Doc:           "max-plus (or min-plus) matrix product, exact in float32",
		Source:        "Amari",
		Formula:       "C_ij = max_k (A_ik + B_kj); min 1: C_ij = min_k (A_ik + B_kj)",
		Sizes:         suites.Sizes{S: 256, M: 4096, L: 16384},
		SizeUnit:      "rows and columns of each matrix",
		Layout:        "matrices by rows",
		WorkUnit:      "flop",
		Flops:         "2 M N K (one add, one max)",
		Arithmetic:    "max-plus",
		Bytes:         "4 (M K + K N + M N)",
		Splits:        []string{splitRows, splitBlocks, splitK},
		Communication: "rows: B is broadcast once, 4 K N B; blocks: A and B once; k: all-reduce(max) of 4 M N B",
		Tolerance:     "E0: the sum is rounded once, the maximum is exact; D0",
		Weak:          "rows of A and C proportional to the number of devices, B fixed",
		Params:        []suites.Param{minPlus},
		Tunables:      []suites.Tunable{band, unroll, width},
	}
}

// Splits: rows of A and C; squares of C; the k, each device a product of its own.
const splitRows, splitBlocks, splitK = "rows", "blocks", "k"

// minPlus chooses the semiring of a workload.
var minPlus = suites.Param{Name: "min", Doc: "1: min-plus", Default: 0, Min: 0, Max: 1}

// isMin is the parameter min.
func isMin(b suites.Build) bool { return b.Params["min"] == 1 }

// zero is the semiring's zero: what no sum is worse than.
func zero(least bool) float32 {
	if least {
		return float32(math.Inf(1))
	}
	return float32(math.Inf(-1))
}

// shape returns the rows of A and C, and the edge of B.
func shape(b suites.Build) (rows, edge int64) {
	if b.Weak {
		return b.Size, b.Base
	}
	return b.Size, b.Size
}

// maxEdge keeps sizes in bytes and the list of steps far from their ends.
const maxEdge = 1 << 31

// slackBytes is what an aligned-down binding offset may add to a window.
const slackBytes = 256

// depths cuts the k axis into blocks of B whose windows fit one binding.
func depths(edge, binding int64) (int64, error) {
	if binding <= 0 {
		binding = 1 << 27 // what every Vulkan device has
	}
	most := (binding - slackBytes) / (4 * edge) / step * step
	if most == 0 {
		return 0, fmt.Errorf("tropical/matmul: %d rows of B with %d columns do not fit a binding of %d bytes: choose a size up to %d",
			step, edge, binding, (binding-slackBytes)/(4*step))
	}
	return min(most, edge), nil
}

func (matmul) Build(b suites.Build) (*program.Program, error) {
	rows, edge := shape(b)
	if rows <= 0 || edge <= 0 || rows > maxEdge || edge > maxEdge {
		return nil, fmt.Errorf("tropical/matmul: %d rows of %d columns: choose a size above 0, up to %d", rows, edge, int64(maxEdge))
	}
	var p *program.Program
	var err error
	switch b.Split {
	case splitBlocks:
		p, err = byBlocks(b, rows, edge)
	case splitK:
		p, err = byK(b, rows, edge)
	default:
		p, err = byRows(b, rows, edge)
	}
	if err != nil {
		return nil, err
	}
	p.Work = 2 * float64(rows) * float64(edge) * float64(edge)
	p.Flops = p.Work
	p.Bytes = 4 * float64(edge) * (2*float64(rows) + float64(edge))
	return p, nil
}

// The constants of the kernels.
var (
	band = suites.Tunable{
		Name: "band", Doc: "rows of tiles that work-groups go through side by side (not in the split by blocks)", Values: []int64{1, 2, 4, 8, 16, 32}, Default: 8,
		Else: []suites.ClassDefault{
			{Class: suites.AMD, Value: 4, Why: "a band's operands are to stay in 4 to 6 MiB of L2, a tenth of Hopper's"},
			{Class: suites.Intel, Value: 4, Why: "a band's operands are to stay in an L2 of 4 to 18 MiB"},
		},
	}
	unroll = suites.Tunable{
		Name: "unroll", Doc: "steps of k that are unrolled, of 16", Values: []int64{1, 2, 4, 8, 16}, Default: 16,
		Else: []suites.ClassDefault{
			{Class: suites.AMD, Value: 4, Why: "16 steps of 128 instructions are 8 to 16 KiB of an instruction cache of 32"},
			{Class: suites.Intel, Value: 4, Why: "16 steps are more code than the instruction cache near the units holds"},
		},
	}
	width = suites.Tunable{
		Name: "width", Doc: "floats of one access, where rows are multiples of 4", Values: []int64{1, 4}, Default: 4,
	}
)

// kernel is the product with its constants: 16-byte accesses and semiring.
func kernel(b suites.Build, shader string, wide bool) program.Kernel {
	k := program.Kernel{Name: "product", Shader: shader, Spec: []program.Spec{{ID: 4, Value: uint32(b.Tuned(unroll))}}}
	if shader != "tropical/matmul_blocks" {
		k.Spec = append(k.Spec, program.Spec{ID: 3, Value: uint32(b.Tuned(band))})
	}
	if wide && b.Tuned(width) == 4 {
		k.Spec = append(k.Spec, program.Spec{ID: 1, Value: 1})
	}
	if isMin(b) {
		k.Spec = append(k.Spec, program.Spec{ID: 2, Value: 1})
	}
	return k
}

// byRows divides the rows of A and C.
func byRows(b suites.Build, rows, edge int64) (*program.Program, error) {
	block, err := depths(edge, b.Limits.BindingBytes)
	if err != nil {
		return nil, err
	}
	p := &program.Program{
		Units:  rows,
		Shares: b.Divide(rows, granule),
		Arrays: []program.Array{
			{Name: "A", Layout: program.Split, Units: rows, Stride: edge, CutAt: tile, Source: program.Random(idA, lo, hi)},
			{Name: "B", Layout: program.Replicated, Units: edge, Stride: edge, CutAt: block, Source: program.Random(idB, lo, hi)},
			{Name: "C", Layout: program.Split, Units: rows, Stride: edge, CutAt: tile, Output: true},
		},
		Kernels: []program.Kernel{kernel(b, "tropical/matmul", edge%4 == 0)},
		Setup:   []program.Step{program.Broadcast{Arrays: []string{"B"}}},
	}
	for first := int64(0); first < edge; first += block {
		p.Steps = append(p.Steps, product(p.Shares, edge, first, min(block, edge-first)))
	}
	return p, nil
}

// product is the step over depth rows of B from row first.
func product(shares []program.Share, edge, first, depth int64) program.Dispatch {
	keep, access := uint32(0), program.Write
	if first > 0 {
		keep, access = 1, program.ReadWrite
	}
	d := program.Dispatch{
		Label: "product", Kernel: "product", Align: tile,
		Bind: []program.Binding{
			{Array: "A", Access: program.Read},
			{Array: "B", Access: program.Read, Window: program.Fixed, First: first, Units: depth},
			{Array: "C", Access: access},
		},
	}
	for _, s := range shares {
		d.On = append(d.On, program.Launch{
			Units: s.Len(), Div: tile, Across: (edge + tile - 1) / tile,
			Push: []uint32{uint32(edge), uint32(first), uint32(depth), uint32(edge), keep},
		})
	}
	return d
}
