package peak

import (
	"fmt"
	"sync"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// matrix is the rate of cooperative matrices of one pair of types, registers only.
type matrix struct {
	info          suites.Info
	shader        string
	needs         []string
	bytes, sum    int64 // of an element of A and B, of C
	a, c          string
	element       func(word uint32) uint32 // from random bits; nil: small whole numbers
	read, readSum func(bits uint32) float64
	exact         bool
}

const (
	matrixSets      = 64 // of operands, taken in turns by the subgroups
	matrixSubgroups = 4  // of a work-group
	matrixSums      = 8  // of a subgroup
	matrixSteps     = 8  // written out in the shader, once for each repeat
	matrixSubgroup  = 32
)

func init() {
	masked := func(mask, or uint32) func(uint32) uint32 {
		return func(w uint32) uint32 { return w&mask | or }
	}
	for _, m := range []matrix{
		{shader: "peak/matrix_f16", needs: []string{"float16"}, bytes: 2, sum: 4, a: "float16", c: "float32",
			element: masked(0x8fff, 0x3000), read: halfValue, readSum: floatValue},
		{shader: "peak/matrix_f16_f16", needs: []string{"float16"}, bytes: 2, sum: 2, a: "float16", c: "float16",
			read: halfValue, readSum: halfValue, exact: true},
		{shader: "peak/matrix_bf16", needs: []string{"bfloat16", "bfloat16-matrix"}, bytes: 2, sum: 4, a: "bfloat16", c: "float32",
			element: masked(0x81ff, 0x3e00), read: brainValue, readSum: floatValue},
		{shader: "peak/matrix_i8", needs: []string{"int8"}, bytes: 1, sum: 4, a: "sint8", c: "sint32",
			element: masked(0xff, 0), read: func(b uint32) float64 { return float64(int8(b)) }, readSum: func(b uint32) float64 { return float64(int32(b)) }, exact: true},
		{shader: "peak/matrix_u8", needs: []string{"int8"}, bytes: 1, sum: 4, a: "uint8", c: "uint32",
			element: masked(0xff, 0), read: func(b uint32) float64 { return float64(uint8(b)) }, readSum: func(b uint32) float64 { return float64(b) }, exact: true},
	} {
		name := map[string]string{"float16": "fp16", "bfloat16": "bf16", "sint8": "int8", "uint8": "uint8"}[m.a]
		unit := "flop"
		if m.bytes == 1 {
			unit = "op"
		}
		id, tolerance := "peak/matrix-"+name, "E1 (n = 32 repeat)"
		roof := name + " matrix"
		if m.sum == 2 {
			id, roof = id+"-fp16", "fp16 matrix, sums in fp16"
		}
		if m.exact {
			tolerance = "E0"
		}
		size := func(name, doc string) suites.Param {
			return suites.Param{Name: name, Doc: doc + " (0: 16, or what the devices multiply)", Min: 0, Max: 256}
		}
		m.needs = append([]string{"cooperative-matrix", "vulkan-memory-model"}, m.needs...)
		m.info = suites.Info{
			ID: id, Number: number, Roof: roof, Arithmetic: roof, WorkUnit: unit, Tolerance: tolerance, Features: m.needs,
			Doc:    fmt.Sprintf("Rate of products of matrices in %s with sums in %s by a subgroup (VK_KHR_cooperative_matrix), in registers", m.a, m.c),
			Source: "amgpu; what clpeak and vkpeak measure", Formula: "8 sums C += A B, C += A' B in turns",
			Sizes: suites.Sizes{S: 4, M: 1 << 15, L: 1 << 16}, SizeUnit: "work-groups of 4 subgroups",
			Flops: "512 M N K repeat per work-group", Bytes: "the operands once, 32 M N sums per work-group",
			Splits: []string{"ranges"}, Communication: "none", Weak: "work-groups proportional to the number of devices",
			Params: []suites.Param{{Name: "repeat", Doc: "times 8 steps of a subgroup", Default: 256, Min: 1, Max: 256},
				size("m", "rows of A and C; `amgpu devices` lists what a device multiplies"), size("n", "columns of B and C"), size("k", "terms; 0: 32 for bytes")},
		}
		suites.Register(m)
	}
}

func (m matrix) Info() suites.Info { return m.info }

// shape is M, N and K of a request: those asked for, else 16 x 16 x 16 (32 for bytes), or
// the largest of these types that all devices multiply where they have no such one.
func (m matrix) shape(b suites.Build) (rows, columns, terms int64) {
	chosen := program.Matrix{M: 16, N: 16, K: 32 / m.bytes, A: m.a, Sum: m.c}
	if !chosen.In(b.Limits.Matrices) {
		best := int64(0)
		for _, o := range b.Limits.Matrices {
			if size := o.M * o.N * o.K; o.A == m.a && o.Sum == m.c && o.Invocations == 0 && size > best {
				chosen, best = o, size
			}
		}
	}
	for name, v := range map[string]*int64{"m": &chosen.M, "n": &chosen.N, "k": &chosen.K} {
		if asked := b.Params[name]; asked > 0 {
			*v = asked
		}
	}
	return chosen.M, chosen.N, chosen.K
}

func (m matrix) Build(b suites.Build) (*program.Program, error) {
	rows, columns, terms := m.shape(b)
	switch {
	case b.Size < 1 || b.Size > 1<<24:
		return nil, fmt.Errorf("%s: size %d: choose from 1 to %d work-groups", m.info.ID, b.Size, 1<<24)
	case terms*m.bytes%16 != 0 || columns*m.sum%16 != 0:
		return nil, fmt.Errorf("%s: m=%d, n=%d, k=%d: choose k a multiple of %d and n of %d, so that rows are whole vectors of 16 bytes",
			m.info.ID, rows, columns, terms, 16/m.bytes, 16/m.sum)
	}
	n, r := float64(b.Size), b.Params["repeat"]
	sumWords := matrixSubgroups * matrixSums * rows * columns * m.sum / 4
	p := &program.Program{Units: b.Size, Shares: b.Divide(b.Size, 1)}
	set := (rows + columns) * terms * m.bytes // four matrices of either, in words
	held := sync.OnceValue(func() []uint32 { return m.packed(b) })
	p.Arrays = []program.Array{output("sums", b.Size, sumWords), words32("operands", program.Replicated, matrixSets, set, program.Source{Kind: program.Made, ID: idX,
		Make: func(_ int, first int64, into []uint32) { copy(into, held()[first:]) }})}
	p.Kernels = []program.Kernel{{Name: "main", Shader: m.shader, Needs: m.needs, Subgroup: matrixSubgroup,
		Matrix: &program.Matrix{M: rows, N: columns, K: terms, A: m.a, Sum: m.c},
		Spec:   []program.Spec{{ID: 1, Value: uint32(rows)}, {ID: 2, Value: uint32(columns)}, {ID: 3, Value: uint32(terms)}}}}
	p.Steps = []program.Step{program.Dispatch{Label: "multiply", Kernel: "main", On: launches(p.Shares, 1, uint32(r), matrixSets),
		Bind: []program.Binding{{Array: "sums", Access: program.Write}, {Array: "operands", Access: program.Read, Window: program.Whole}}}}
	p.Work = 2 * float64(rows*columns*terms) * matrixSums * matrixSteps * matrixSubgroups * float64(r) * n
	p.Flops, p.Bytes = p.Work, 4*float64(sumWords)*n+4*float64(matrixSets*set)*float64(b.Count)
	return p, nil
}
