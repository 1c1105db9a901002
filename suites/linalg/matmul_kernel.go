package linalg

import (
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// tile is the part of C that a work-group makes, and the kernel that makes it.
type tile struct {
	height, width int64
	shader        string
	needs         []string        // features of the device
	matrix        *program.Matrix // that the kernel is made of; nil: no matrix units
	constants     bool            // the kernel takes sizes as constants
	shared        int64           // bytes of shared memory
}

// Ways to multiply, in the order of the parameter `kernel`.
const (
	kernelAuto    = iota // the best of those below that every device offers
	kernelGeneral        // no matrix units
	kernelKHR            // VK_KHR_cooperative_matrix, tiles of 128 x 128
	kernelKHRWide        // the same, tiles of 128 x 256
	kernelNV2            // VK_NV_cooperative_matrix2
	kernelStaged         // as kernelKHR, all fragments of a tile in registers
)

var kernelParam = suites.Param{
	Name: "kernel", Default: kernelAuto, Min: kernelAuto, Max: kernelStaged,
	Doc: "fp16, bf16, int8: 0 the best that all devices offer, 1 without matrix units, 2 KHR cooperative matrices, 3 the same with tiles of 128 x 256, 4 NV cooperative matrices 2, 5 as 2 with all fragments of a tile in registers; fp32 and fp64 have one",
}

// autoOrder is from the fastest on, as measured at 8192: fp16 326 TFLOP/s on an H100; 293,
// 273 and 277 on an H200; bf16 328; 300, 276 and 278.
var autoOrder = []int64{kernelNV2, kernelStaged, kernelKHR, kernelKHRWide}

// From smallestLarge on large tiles give a device of a hundred cores a work-group each.
// The largest takes largeShared bytes of shared memory.
const (
	smallestLarge = 2048
	largeShared   = 24 << 10
)

// tile chooses the kernel for n columns.
func (n *number) tile(columns, kernel int64, limits suites.Limits) (tile, error) {
	large := columns >= smallestLarge
	switch n {
	case &numbers[typeF32]:
		if large && limits.SharedBytes >= largeShared {
			return tile{height: 128, width: 256, shader: "linalg/matmul128x256"}, nil
		}
		return tile{height: 64, width: 64, shader: "linalg/matmul64x64"}, nil
	case &numbers[typeF64]:
		if large {
			return tile{height: 128, width: 128, shader: "linalg/matmul128x128_f64", needs: []string{"float64"}}, nil
		}
		return tile{height: 64, width: 64, shader: "linalg/matmul64x64_f64", needs: []string{"float64"}}, nil
	}
	general := tile{height: 64, width: 64, shader: "linalg/matmul64x64_" + n.suffix}
	switch kernel {
	case kernelGeneral:
		return general, nil
	case kernelAuto:
		for _, k := range autoOrder {
			if t, ok := n.matrixTile(k); ok && t.offered(limits) {
				return t, nil
			}
		}
		return general, nil
	}
	t, ok := n.matrixTile(kernel)
	if !ok {
		return t, fmt.Errorf("%s has no kernel %d: choose 0, 1, 2, 4 or 5", n.name, kernel)
	}
	return t, nil
}

// matrixTile is the kernel of cooperative matrices with that number, the forms that were
// fastest on an H100.
func (n *number) matrixTile(kernel int64) (tile, bool) {
	bytes := n == &numbers[typeI8]
	t := tile{height: 128, width: 256, needs: append([]string{"cooperative-matrix", "vulkan-memory-model"}, n.matrixNeeds...)}
	m := program.Matrix{M: 16, N: 16, K: 16, A: n.component, Sum: n.sumComponent}
	if bytes {
		m.K = 32
	}
	switch {
	case kernel == kernelKHR:
		t.width, t.shader, t.shared = 128, "linalg/matmul128x128_"+n.suffix+"_khr", 18944
		if bytes {
			t.shared = 36864
		}
	case kernel == kernelStaged:
		t.width, t.shader, t.shared = 128, "linalg/matmul128x128_"+n.suffix+"_staged_khr", 18944
		if bytes {
			t.shared = 20480
		}
	case kernel == kernelKHRWide && !bytes:
		t.shader, t.shared = "linalg/matmul128x256_"+n.suffix+"_khr", 27136
	case kernel == kernelNV2:
		m = program.Matrix{M: 128, N: 256, K: 64, A: n.component, Sum: n.sumComponent, Invocations: 256}
		if bytes {
			m.K = 128
		}
		t.needs = append(t.needs, "cooperative-matrix2", n.storage)
		t.shader, t.constants = "linalg/matmul128x256_"+n.suffix+"_nv2", true
	default:
		return t, false
	}
	t.matrix = &m
	return t, true
}

// subgroup is the size of the subgroups that the kernels of cooperative matrices are written
// for.
const subgroup = 32

// offered says whether every device of the pool can run the kernel.
func (t tile) offered(l suites.Limits) bool {
	return !slices.ContainsFunc(t.needs, func(f string) bool { return !l.Has(f) }) &&
		t.matrix.In(l.Matrices) && t.shared <= l.SharedBytes
}

// Constants of the kernels.
const (
	constRagged = 1
	constBatch  = 2
	constLDA    = 3 // 3 to 5 of kernels that take sizes as constants
	constN      = 4
	constKN     = 5
	constAdd    = 6 // of kernels of cooperative matrices
	constBand   = 7
)

// matmulBand is a constant of all kernels.
var matmulBand = suites.Tunable{
	Name: "band", Doc: "rows of tiles that work-groups go through side by side", Values: []int64{1, 2, 4, 8, 16, 32}, Default: 8,
	Else: []suites.ClassDefault{
		{Class: suites.AMD, Value: 4, Why: "a band's operands are to stay in 4 to 6 MiB of L2, a tenth of Hopper's"},
		{Class: suites.Intel, Value: 4, Why: "a band's operands are to stay in an L2 of 4 to 18 MiB"},
	},
}

var batches = map[string]uint32{splitBlocks: 2, splitK: 1}

// kernel returns the name of the kernel for an addition, and adds it to the program.
func (p product) kernel(prog *program.Program, a addition) string {
	name := "whole"
	spec := []program.Spec{{ID: constBatch, Value: batches[p.split]}, {ID: constBand, Value: uint32(p.band)}}
	if a.ragged {
		name = "ragged"
		spec = append(spec, program.Spec{ID: constRagged, Value: 1})
	}
	if p.tile.matrix != nil && a.add {
		name += " added"
		spec = append(spec, program.Spec{ID: constAdd, Value: 1})
	}
	if p.tile.constants {
		name = fmt.Sprint(name, " ", a.count)
		count := a.count
		if p.split == splitK {
			count = p.part
		}
		spec = append(spec, program.Spec{ID: constLDA, Value: uint32(p.lda)}, program.Spec{ID: constN, Value: uint32(p.width)},
			program.Spec{ID: constKN, Value: uint32(count)})
	}
	if !slices.ContainsFunc(prog.Kernels, func(k program.Kernel) bool { return k.Name == name }) {
		k := program.Kernel{Name: name, Shader: p.tile.shader, Spec: spec, Needs: p.tile.needs, Matrix: p.tile.matrix}
		if k.Matrix != nil {
			k.Subgroup = subgroup
		}
		prog.Kernels = append(prog.Kernels, k)
	}
	return name
}
