package linalg

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const matmulNumber = 38

func init() { suites.Register(matmul{}) }

type matmul struct{}

// Both operands are uniform in [-1,1).
var matmulA, matmulB = program.Random(0, -1, 1), program.Random(1, -1, 1)

// maxMatmul keeps element offsets of one row panel inside 32 bits.
const maxMatmul = 1 << 20

func (matmul) Info() suites.Info {
	return suites.Info{
		ID: "linalg/matmul", Number: matmulNumber,
		Doc:           "Matrix product in float32, row-major",
		Source:        "gocuda",
		Formula:       "C[i][j] = sum over k of A[i][k] B[k][j], A of M x K, B of K x N",
		Sizes:         suites.Sizes{S: 256, M: 8192, L: 32768},
		SizeUnit:      "rows and columns (M = N = K)",
		WorkUnit:      "flop",
		Flops:         "2 M N K",
		Bytes:         "4 (M K + K N + M N)",
		Splits:        []string{"rows"},
		Algorithms:    []string{"broadcast"},
		Communication: "broadcast of B, 4 K N B, once",
		Tolerance:     "E1 (n = K), D0",
		Weak:          "M proportional to the number of devices, N and K fixed",
	}
}

// product is a matrix product with its storage: C of m x ldn and B of k x ldn, A of
// m x lda, where lda and ldn are rounded up to whole vec4. Columns of B and C beyond
// n are computed and checked like all others, columns of A beyond k are not read into
// the sum.
type product struct {
	m, n, k  int64
	lda, ldn int64
	tile     tile
	depth    int64 // rows of B a dispatch reads
}

// tile is the part of C that a work-group makes.
type tile struct {
	height, width int64
	shader        string
}

var (
	smallTile = tile{64, 64, "linalg/matmul64x64"}
	largeTile = tile{128, 256, "linalg/matmul128x256"}
)

// From smallestLarge on large tiles give a device of a hundred cores a work-group each.
// They need largeShared bytes of shared memory.
const (
	smallestLarge = 2048
	largeShared   = 24 << 10
)

// mostDepth bounds the rows of B in one dispatch: 1 GiB at size L.
const mostDepth = 8192

// plan chooses the storage and kernel from the problem and the limits of the pool, not
// from the count: in weak mode only M grows, and it plays no part in the choice.
func plan(b suites.Build) (product, error) {
	n := b.Base
	if n == 0 {
		n = b.Size
	}
	if n < 1 || n > maxMatmul || b.Size < 1 || b.Size > 1<<32 {
		return product{}, fmt.Errorf("size %d: choose from 1 to %d rows and columns", b.Size, maxMatmul)
	}
	p := product{m: b.Size, n: n, k: n, lda: roundUp(n, 4), ldn: roundUp(n, 4), tile: smallTile, depth: mostDepth}
	if n >= smallestLarge && b.Limits.SharedBytes >= largeShared {
		p.tile = largeTile
	}
	if limit := b.Limits.BindingBytes; limit > 0 {
		fit := limit / (4 * p.ldn) / 16 * 16 // whole tiles of the kernel
		if fit < 16 {
			return product{}, fmt.Errorf("size %d: 16 rows of B do not fit the storage-buffer binding of %d bytes a device of the pool allows; choose a smaller size", n, limit)
		}
		p.depth = min(p.depth, fit)
	}
	return p, nil
}

func (matmul) Build(b suites.Build) (*program.Program, error) {
	p, err := plan(b)
	if err != nil {
		return nil, err
	}
	shares := b.Divide(p.m, p.tile.height)
	array := func(name string, layout program.Layout, rows, stride int64, s program.Source) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: layout, Units: rows, Stride: stride, Source: s}
	}
	right := array("B", program.Replicated, p.k, p.ldn, matmulB)
	right.CutAt = p.depth
	out := array("C", program.Split, p.m, p.ldn, program.Source{})
	out.Output = true

	prog := &program.Program{
		Units:  p.m,
		Shares: shares,
		Arrays: []program.Array{array("A", program.Split, p.m, p.lda, matmulA), right, out},
		Kernels: []program.Kernel{
			{Name: "whole", Shader: p.tile.shader},
			{Name: "ragged", Shader: p.tile.shader, Spec: []program.Spec{{ID: 1, Value: 1}}},
		},
		Setup: []program.Step{program.Broadcast{Arrays: []string{"B"}}},
	}
	for k0 := int64(0); k0 < p.k; k0 += p.depth {
		depth := min(p.depth, p.k-k0)
		// What is left of whole tiles runs apart: bounds checks on k would slow all.
		whole := depth / 16 * 16
		if whole > 0 {
			prog.Steps = append(prog.Steps, p.panel(shares, k0, whole))
		}
		if whole < depth {
			prog.Steps = append(prog.Steps, p.panel(shares, k0+whole, depth-whole))
		}
	}
	m, n, k := float64(p.m), float64(p.n), float64(p.k)
	prog.Flops = 2 * m * n * k
	prog.Work = prog.Flops
	prog.Bytes = 4 * (m*k + k*n + m*n)
	return prog, nil
}

// panel adds the terms [k0,k0+depth) of the inner dimension to C.
func (p product) panel(shares []program.Share, k0, depth int64) program.Dispatch {
	kernel, access := "whole", program.Write
	if depth%16 != 0 {
		kernel = "ragged"
	}
	if k0 > 0 {
		access = program.ReadWrite
	}
	push := []uint32{uint32(p.ldn), uint32(p.lda), uint32(k0), uint32(depth)}
	launches := make([]program.Launch, len(shares))
	for d, s := range shares {
		launches[d] = program.Launch{Units: s.Len(), Div: p.tile.height, Across: ceilDiv(p.ldn, p.tile.width), Push: push}
	}
	return program.Dispatch{
		Label: "compute", Kernel: kernel, Align: p.tile.height, On: launches,
		Bind: []program.Binding{
			{Array: "A", Access: program.Read},
			{Array: "B", Access: program.Read, Window: program.Fixed, First: k0, Units: depth},
			{Array: "C", Access: access},
		},
	}
}
