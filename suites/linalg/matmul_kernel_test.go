package linalg

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// hopper are the matrices and features that an H100 reports.
func hopper() suites.Limits {
	l := suites.Limits{SharedBytes: 48 << 10, Invocations: 1024, SubgroupSize: 32, BindingBytes: 1<<32 - 1, Features: []string{
		"float64", "float16", "int8", "storage8", "storage16", "vulkan-memory-model", "cooperative-matrix", "cooperative-matrix2", "bfloat16", "bfloat16-matrix",
	}}
	for _, t := range []program.Matrix{{A: "float16", Sum: "float16", K: 16}, {A: "float16", Sum: "float32", K: 16}, {A: "bfloat16", Sum: "float32", K: 16}, {A: "uint8", Sum: "uint32", K: 32}, {A: "sint8", Sum: "sint32", K: 32}} {
		t.M, t.N = 16, 16
		l.Matrices = append(l.Matrices, t)
		for _, g := range []program.Matrix{{M: 16, N: 16, Invocations: 64}, {M: 32, N: 16, Invocations: 128}, {M: 32, N: 32, Invocations: 256}} {
			g.A, g.Sum, g.K = t.A, t.Sum, t.K
			l.Matrices = append(l.Matrices, g)
		}
	}
	return l
}

func without(l suites.Limits, feature string) suites.Limits {
	var left []string
	for _, f := range l.Features {
		if f != feature {
			left = append(left, f)
		}
	}
	l.Features = left
	return l
}

// The best kernel that all devices offer is taken.
func TestMatmulKernelFollowsDevices(t *testing.T) {
	small := hopper()
	small.SharedBytes = 18 << 10
	noShapes := hopper()
	noShapes.Matrices = nil
	for _, c := range []struct {
		typ, kernel int64
		limits      suites.Limits
		want        string
	}{
		{typeF16, kernelAuto, hopper(), "matmul128x256_f16_nv2"},
		{typeBF16, kernelAuto, hopper(), "matmul128x256_bf16_nv2"},
		{typeI8, kernelAuto, hopper(), "matmul128x256_i8_nv2"},
		{typeF16, kernelAuto, without(hopper(), "cooperative-matrix2"), "matmul128x128_f16_staged_khr"},
		{typeBF16, kernelAuto, without(hopper(), "bfloat16-matrix"), "matmul64x64_bf16"},
		{typeI8, kernelAuto, without(hopper(), "storage8"), "matmul128x128_i8_staged_khr"},
		{typeF16, kernelAuto, without(hopper(), "vulkan-memory-model"), "matmul64x64_f16"},
		{typeF16, kernelAuto, noShapes, "matmul64x64_f16"},
		{typeI8, kernelAuto, without(small, "cooperative-matrix2"), "matmul64x64_i8"},
		{typeF16, kernelGeneral, hopper(), "matmul64x64_f16"},
		{typeF16, kernelKHR, hopper(), "matmul128x128_f16_khr"},
		{typeF16, kernelKHRWide, hopper(), "matmul128x256_f16_khr"},
		{typeBF16, kernelKHRWide, noShapes, "matmul128x256_bf16_khr"}, // the engine says what the device lacks
		{typeF16, kernelStaged, hopper(), "matmul128x128_f16_staged_khr"},
		{typeF32, kernelNV2, hopper(), "matmul64x64"},
	} {
		b := suitetest.Build(matmul{}, 1000, 2)
		b.Params["type"], b.Params["kernel"], b.Limits = c.typ, c.kernel, c.limits
		p := build(t, matmul{}, b)
		if p.Variant != "linalg/"+c.want || p.Kernels[0].Shader != p.Variant {
			t.Errorf("type %d, kernel %d: %s, want %s", c.typ, c.kernel, p.Variant, c.want)
		}
		if (p.Kernels[0].Matrix != nil) != (p.Kernels[0].Subgroup == 32) {
			t.Errorf("%s: subgroups of %d", p.Variant, p.Kernels[0].Subgroup)
		}
	}
	b := suitetest.Build(matmul{}, 1000, 2)
	b.Params["type"], b.Params["kernel"] = typeI8, kernelKHRWide
	if _, err := (matmul{}).Build(b); err == nil || !strings.Contains(err.Error(), "choose 0, 1, 2, 4 or 5") {
		t.Errorf("a kernel that int8 has not: %v", err)
	}
}

// docs/matmul.md names the kernels in the order in which they are tried, and a row for each.
func TestMatmulKernelsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/matmul.md")
	if err != nil {
		t.Fatal(err)
	}
	order := strings.Trim(strings.ReplaceAll(fmt.Sprint(autoOrder), " ", ", "), "[]")
	want := []string{fmt.Sprintf("| 0 | the first of %s, %d that every device", order, kernelGeneral)}
	for k := int64(kernelGeneral); k <= kernelParam.Max; k++ {
		want = append(want, fmt.Sprintf("\n| %d | ", k))
	}
	for _, w := range want {
		if !strings.Contains(string(text), w) {
			t.Errorf("docs/matmul.md has no %q", w)
		}
	}
}

// Kernels of cooperative matrices see whole tiles only, and constants that are the sizes of
// their pushes, in every split and at every size.
func TestMatmulWholeTiles(t *testing.T) {
	for _, typ := range []int64{typeF16, typeBF16, typeI8} {
		for _, split := range (matmul{}).Info().Splits {
			for kernel := int64(kernelKHR); kernel <= kernelStaged; kernel++ {
				for _, size := range []int64{1, 129, 1000, 2048} {
					for _, count := range []int{1, 3} {
						b := suitetest.Build(matmul{}, size, count)
						b.Split, b.Params["type"], b.Params["kernel"], b.Limits = split, typ, kernel, hopper()
						if typ == typeI8 && kernel == kernelKHRWide {
							continue
						}
						p, err := plan(b)
						if err != nil {
							t.Fatal(err)
						}
						wholeTiles(t, build(t, matmul{}, b), p)
					}
				}
			}
		}
	}
}

func wholeTiles(t *testing.T, prog *program.Program, p product) {
	t.Helper()
	for _, s := range prog.Shares {
		if p.split == splitRows && (s.Lo%p.tile.height != 0 || s.Hi%p.tile.height != 0) {
			t.Errorf("%s: share %v", p.tile.shader, s)
		}
	}
	for _, step := range prog.Steps {
		dispatches := []program.Dispatch{}
		switch s := step.(type) {
		case program.Dispatch:
			dispatches = append(dispatches, s)
		case program.Overlap:
			dispatches = append(dispatches, s.Body...)
		}
		for _, d := range dispatches {
			push := d.On[0].Push
			width, lda, k0, kn, add, rows := int64(push[0]), int64(push[1]), int64(push[2]), int64(push[3]), push[4], int64(push[5])
			if width%p.tile.width != 0 || lda%128 != 0 || k0%128 != 0 || kn%128 != 0 || rows%p.tile.height != 0 {
				t.Errorf("%s, %s: ragged push %v", p.tile.shader, p.split, push)
			}
			for _, step := range push[6:9] {
				if step%128 != 0 {
					t.Errorf("%s, %s: steps %v", p.tile.shader, p.split, push[6:9])
				}
			}
			k, ok := prog.KernelByName(d.Kernel)
			if !ok {
				t.Fatalf("no kernel %s", d.Kernel)
			}
			spec := map[uint32]uint32{}
			for _, s := range k.Spec {
				spec[s.ID] = s.Value
			}
			if spec[constAdd] != add || spec[constBatch] != batches[p.split] {
				t.Errorf("%s: constants %v, push %v", d.Kernel, spec, push)
			}
			if p.split == splitK {
				kn = lda
			}
			if p.tile.constants && (int64(spec[constLDA]) != lda || int64(spec[constN]) != width || int64(spec[constKN]) != kn) {
				t.Errorf("%s: constants %v, push %v", d.Kernel, spec, push)
			}
		}
	}
	for _, a := range prog.Arrays {
		if a.Stride*4%128 != 0 { // so that offsets are multiples of 128 elements
			t.Errorf("%s, %s: %s has a stride of %d words", p.tile.shader, p.split, a.Name, a.Stride)
		}
	}
}
