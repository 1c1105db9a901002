package engine_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestFallbacks: SwiftShader has no float16, float64, int8 and int64. What is computed in
// them falls back on what it has, but float64, which nothing stands for, and kernels that
// were asked for: these are refused with the feature and the device named (launch).
func TestFallbacks(t *testing.T) {
	_, adapters := vktest.Team(t, "swiftshader")
	for _, c := range []struct {
		id             string
		size           int64
		params, tuning map[string]int64
		refused        bool
	}{
		{"linalg/matmul", 65, map[string]int64{"type": 1}, nil, true},  // fp64
		{"linalg/matmul", 65, map[string]int64{"type": 2}, nil, false}, // fp16
		{"linalg/matmul", 65, map[string]int64{"type": 3}, nil, false}, // bf16
		{"linalg/matmul", 65, map[string]int64{"type": 4}, nil, false}, // int8
		{"peak/int64", 64, nil, nil, true},
		{"peak/int8-dot", 64, nil, nil, false},
		{"zk/ntt", 64, nil, map[string]int64{"wide": 1}, true},
	} {
		t.Run(fmt.Sprint(c.id, c.params, c.tuning), func(t *testing.T) {
			w, err := suites.Find(c.id)
			if err != nil {
				t.Fatal(err)
			}
			b := build(w, c.size, "custom", 1, engine.PoolLimits(adapters))
			maps.Copy(b.Params, c.params)
			b.Tuning = c.tuning
			v := verified(t, engine.Spec{Workload: w, Adapters: adapters, Transport: "auto", Build: b})
			if refused := v.Digest == ""; refused != c.refused {
				t.Errorf("refused: %v", refused)
			}
		})
	}
}
