package linalg

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const matmulNumber = 38

func init() { suites.Register(matmul{}) }

type matmul struct{}

// Philox array ids: of A and B, of the signs of the check, and of the first panel of each
// matrix in the split by blocks.
const (
	idA, idB, idSigns    = 0, 1, 2
	idPanelsA, idPanelsB = 16, 32
)

// Splits: rows of A and C; squares of C; the inner dimension, each chunk a product of its own.
const splitRows, splitBlocks, splitK = "rows", "blocks", "k"

// maxMatmul keeps element offsets of one row panel inside 32 bits.
const maxMatmul = 1 << 20

// maxInt8 is the most terms of a product of bytes whose sum fits 32 bits whatever they are.
const maxInt8 = 1<<17 - 1

func (matmul) Info() suites.Info {
	return suites.Info{
		ID: "linalg/matmul", Number: matmulNumber,
		Doc:        "Matrix product in fp32, fp64, fp16, bf16 or int8, row-major",
		Source:     "gocuda",
		Formula:    "C[i][j] = sum over k of A[i][k] B[k][j], A of M x K, B of K x N; fp16 and bf16 with sums in fp32, int8 in int32",
		Sizes:      suites.Sizes{S: 256, M: 8192, L: 32768},
		Layout:     "matrices by rows",
		SizeUnit:   "rows and columns (M = N = K)",
		WorkUnit:   "flop",
		Flops:      "2 M N K (operations for int8)",
		Bytes:      "s (M K + K N) + t M N; s, t bytes of an element of A and B, of C",
		Splits:     []string{splitRows, splitBlocks, splitK},
		Algorithms: []string{"broadcast"},
		Communication: "rows: B once, s K N; blocks: panels of A along the rows and of B along the columns of the grid, " +
			"in every iteration beside the product; k: all-reduce of 4 M N along the tree of 8 chunks",
		Tolerance: "E1 (n = K; 2 K with matrix units; in the precision of the sums), int8 exact (E0), D0 in each split",
		Weak:      "M proportional to the number of devices, N and K fixed",
		Params:    []suites.Param{typeParam, kernelParam},
		Tunables:  []suites.Tunable{matmulBand},
	}
}

var typeParam = suites.Param{Name: "type", Doc: "0 fp32, 1 fp64, 2 fp16, 3 bf16, 4 int8", Default: typeF32, Min: typeF32, Max: typeI8}

// product is a matrix product with its storage: C of rows x columns, with terms to each
// element of it, in rows of A of lda elements. However a split cuts them, rows of B and C
// have `width` elements.
type product struct {
	*number
	split             string
	m, n, k           int64 // asked for
	rows, columns     int64
	terms, lda, width int64
	tile              tile
	part, parts       int64 // terms of a panel or chunk, and how many there are
	squares           squares
	binding           int64 // most bytes of one, 0: any
	band              int64 // see matmulBand
}

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
	p := product{number: &numbers[b.Params[typeParam.Name]], split: b.Split, m: b.Size, n: n, k: n, binding: b.Limits.BindingBytes, band: b.Tuned(matmulBand)}
	if p.number == &numbers[typeI8] && n > maxInt8 {
		return product{}, fmt.Errorf("size %d: sums of int8 products fit 32 bits up to %d terms; choose a smaller size", n, maxInt8)
	}
	p.rows, p.columns, p.terms = roundUp(p.m, p.padRows), roundUp(n, p.padColumns), roundUp(n, p.padTerms)
	p.lda, p.width = roundUp(p.terms, 4), p.columns
	var err error
	if p.tile, err = p.number.tile(n, b.Params[kernelParam.Name], b.Limits); err != nil {
		return product{}, err
	}
	switch p.split {
	case splitBlocks:
		return p, p.cutBlocks()
	case splitK:
		return p, p.cutChunks()
	}
	return p, p.cutRows()
}

func (matmul) Build(b suites.Build) (*program.Program, error) {
	p, err := plan(b)
	if err != nil {
		return nil, err
	}
	var prog *program.Program
	switch p.split {
	case splitBlocks:
		prog = p.byBlocks(b)
	case splitK:
		prog = p.byChunks(b)
	default:
		prog = p.byRows(b)
	}
	m, n, k := float64(p.m), float64(p.n), float64(p.k)
	prog.Flops = 2 * m * n * k
	prog.Work = prog.Flops
	prog.Arithmetic, prog.Variant = p.arithmetic, p.tile.shader
	if p.tile.matrix != nil {
		prog.Arithmetic = p.name + " matrix"
	}
	prog.Bytes = float64(p.in)/8*(m*k+k*n) + float64(p.sum)/8*m*n
	return prog, nil
}

// words is how many 32-bit words n elements of A or B take, sums for elements of C.
func (p product) words(n int64) int64 { return n * p.in / 32 }
func (p product) sums(n int64) int64  { return n * p.sum / 32 }

// input is an array of A or B, output one of C; stride in elements.
func (p product) input(name string, id uint32, layout program.Layout, units, stride int64) program.Array {
	elem := program.U32
	if p.in == 32 {
		elem = p.elem
	}
	return program.Array{Name: name, Elem: elem, Layout: layout, Units: units, Stride: p.words(stride), Source: p.source(id)}
}

func (p product) output(name string, layout program.Layout, units, stride int64) program.Array {
	return program.Array{Name: name, Elem: p.elem, Layout: layout, Units: units, Stride: p.sums(stride), Output: true}
}

// fits refuses what one binding cannot show, in bytes.
func (p product) fits(what string, bytes int64) error {
	if p.binding > 0 && bytes > p.binding-program.OffsetAlign {
		return fmt.Errorf("size %d: %s of %d bytes does not fit the storage-buffer binding of %d bytes a device of the pool allows; choose a smaller size or another split", p.n, what, bytes, p.binding)
	}
	return nil
}
