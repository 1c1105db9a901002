package linalg

import (
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// number is an element type of a matrix product: of A and B, and of its sums in C.
type number struct {
	name     string
	in, sum  int64 // bits of an element of A and B, of C
	elem     program.Elem
	random   program.Source // of A and B, less the id
	readSum  func(words []uint32) float64
	columnsB bool // B is stored by columns, as matrix units for 8 bits want it
	// Stored matrices are rounded up to multiples of these, and what they hold beyond the
	// size asked for is part of the product. fp32 alone leaves terms out instead.
	padRows, padColumns, padTerms int64
	granule                       int64  // terms that a kernel adds at a time
	arithmetic                    string // roof of the kernels without matrix units
	// Of the kernels of cooperative matrices: how their names end, what the types are called,
	// the features of the element and of memory that holds it.
	suffix, component, sumComponent string
	matrixNeeds                     []string
	storage                         string
}

// The types in the order of the parameter `type`.
const (
	typeF32 = iota
	typeF64
	typeF16
	typeBF16
	typeI8
)

// Random inputs are made of Philox words. fp32: uniform in [-1,1). fp64, fp16 and bf16:
// random sign and fraction, and the exponent one of four at random, so 1/8 <= |x| < 2. int8:
// all byte values.
var numbers = []number{
	typeF32: {
		name: "fp32", in: 32, sum: 32, elem: program.F32, random: program.Random(0, -1, 1), readSum: readF32,
		padRows: 1, padColumns: 4, padTerms: 1, granule: 16,
	},
	typeF64: {
		name: "fp64", in: 64, sum: 64, elem: program.U32, random: bits([2]uint32{math.MaxUint32, 0x803fffff}, [2]uint32{0, 0x3fc00000}),
		readSum: func(w []uint32) float64 { return math.Float64frombits(uint64(w[0]) | uint64(w[1])<<32) },
		padRows: 1, padColumns: 2, padTerms: 8, granule: 8, arithmetic: "fp64",
	},
	typeF16: {
		name: "fp16", in: 16, sum: 32, elem: program.F32, random: halves(0x8fff, 0x3000), readSum: readF32,
		padRows: 128, padColumns: 256, padTerms: 128, granule: 128,
		suffix: "f16", component: "float16", sumComponent: "float32", matrixNeeds: []string{"float16"}, storage: "storage16",
	},
	typeBF16: {
		name: "bf16", in: 16, sum: 32, elem: program.F32, random: halves(0x81ff, 0x3e00), readSum: readF32,
		padRows: 128, padColumns: 256, padTerms: 128, granule: 128,
		suffix: "bf16", component: "bfloat16", sumComponent: "float32", matrixNeeds: []string{"bfloat16", "bfloat16-matrix"}, storage: "storage16",
	},
	typeI8: {
		name: "int8", in: 8, sum: 32, elem: program.U32, random: bits([2]uint32{math.MaxUint32, math.MaxUint32}, [2]uint32{}),
		readSum: func(w []uint32) float64 { return float64(int32(w[0])) }, columnsB: true,
		padRows: 128, padColumns: 256, padTerms: 128, granule: 128,
		suffix: "i8", component: "sint8", sumComponent: "sint32", matrixNeeds: []string{"int8"}, storage: "storage8", arithmetic: "int32",
	},
}

func readF32(w []uint32) float64 { return float64(math.Float32frombits(w[0])) }

func bits(keep, set [2]uint32) program.Source {
	return program.Source{Kind: program.PhiloxBits, Keep: keep, Set: set}
}

// halves is a source of two 16-bit numbers in a word.
func halves(keep, set uint32) program.Source {
	keep, set = keep|keep<<16, set|set<<16
	return bits([2]uint32{keep, keep}, [2]uint32{set, set})
}

// source is the random source of one array.
func (n *number) source(id uint32) program.Source {
	s := n.random
	s.ID = id
	return s
}

// value is element i of the array with that id; every type fits a float64 exactly.
func (n *number) value(seed uint64, id uint32, i int64) float64 {
	s := suites.Stream{Seed: seed, Workload: matmulNumber, Array: id}
	word := func(i int64) uint32 { return s.Bits(i, n.random.Keep, n.random.Set) }
	switch n {
	case &numbers[typeF64]:
		return math.Float64frombits(uint64(word(2*i)) | uint64(word(2*i+1))<<32)
	case &numbers[typeF16]:
		return half(uint16(word(i/2) >> (i % 2 * 16)))
	case &numbers[typeBF16]:
		return float64(math.Float32frombits(word(i/2) >> (i % 2 * 16) << 16))
	case &numbers[typeI8]:
		return float64(int8(word(i/4) >> (i % 4 * 8)))
	}
	return float64(s.F32(i, n.random.A, n.random.B))
}

// half is the value of a normal IEEE binary16.
func half(h uint16) float64 {
	x := math.Ldexp(1+float64(h&0x3ff)/1024, int(h>>10&0x1f)-15)
	if h>>15 != 0 {
		return -x
	}
	return x
}

// bound is the largest error of a sum of n terms whose magnitudes add up to s: E1 in the
// precision of the sums, 0 for integers. Matrix units may cut where an addition would
// round, twice the error (matrixUnits).
func (n *number) bound(terms, s float64, matrixUnits bool) float64 {
	if matrixUnits {
		terms *= 2
	}
	switch n {
	case &numbers[typeI8]:
		return 0
	case &numbers[typeF64]:
		return suites.E1Double(terms, s)
	}
	return suites.E1(terms, s)
}

// class is the tolerance class of the type.
func (n *number) class() string {
	if n == &numbers[typeI8] {
		return "E0"
	}
	return "E1"
}
