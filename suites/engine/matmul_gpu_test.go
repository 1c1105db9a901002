//go:build gpu

package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestMatmulOnGPU verifies every type, kernel and split of linalg/matmul on the first GPU of
// a machine, every output of a small product and samples of a large one, and logs the rate of
// that. A kernel that the GPU does not offer must be refused.
func TestMatmulOnGPU(t *testing.T) {
	w, err := suites.Find("linalg/matmul")
	if err != nil {
		t.Fatal(err)
	}
	adapters := vktest.GPUs(t, 1)
	limits := engine.PoolLimits(adapters)
	for _, m := range limits.Matrices {
		t.Logf("offered: %+v", m)
	}
	for typ, name := range []string{"fp32", "fp64", "fp16", "bf16", "int8"} {
		for kernel := range int64(6) {
			if typ < 2 && kernel > 0 || name == "int8" && kernel == 3 {
				continue // one kernel; none of that form
			}
			for _, split := range w.Info().Splits {
				t.Run(fmt.Sprintf("%s/kernel %d/%s", name, kernel, split), func(t *testing.T) {
					for _, size := range []int64{640, 8192} {
						b := build(w, size, "custom", 1, limits)
						b.Split, b.Params["type"], b.Params["kernel"] = split, int64(typ), kernel
						matmulOnGPU(t, engine.Spec{Workload: w, Adapters: adapters, Transport: "auto", Build: b}, size < 1000)
					}
				})
			}
		}
	}
}

func matmulOnGPU(t *testing.T, spec engine.Spec, full bool) {
	t.Helper()
	prog, err := spec.Workload.Build(spec.Build)
	if err != nil {
		t.Fatal(err)
	}
	s, err := engine.Launch(t.Context(), spec)
	if k := prog.Kernels[0]; k.Matrix != nil && !k.Matrix.In(spec.Build.Limits.Matrices) {
		if !errors.Is(err, engine.ErrUnsupported) && !errors.Is(err, vk.ErrUnsupported) {
			t.Errorf("%s on a device without its matrices: %v", prog.Variant, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	v, err := s.Verify(t.Context(), full)
	if err != nil || v.Outcome.Wrong != "" || v.Outcome.Checked == 0 {
		t.Fatalf("%s, size %d: %+v, %v", prog.Variant, spec.Build.Size, v.Outcome, err)
	}
	best := 0.0
	for range 5 {
		sample, err := s.Sample(t.Context(), min(8, s.MaxReps()))
		if err != nil {
			t.Fatal(err)
		}
		best = max(best, prog.Work/sample.Seconds)
	}
	if wrong, err := s.Confirm(t.Context()); err != nil || wrong != "" {
		t.Errorf("%s: %s %v", prog.Variant, wrong, err)
	}
	t.Logf("%s, size %d: %.4g T/s, worst error %.2g of its bound", prog.Variant, spec.Build.Size, best*1e-12, v.Outcome.Worst)
}
