package engine_test

import (
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestMatmulRagged runs every split and type of linalg/matmul at a size that divides nothing,
// on one and three devices: the same bits.
func TestMatmulRagged(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	w, err := suites.Find("linalg/matmul")
	if err != nil {
		t.Fatal(err)
	}
	for typ, name := range []string{"fp32", "fp64", "fp16", "bf16", "int8"} {
		for _, split := range w.Info().Splits {
			if split == "rows" && typ > 0 {
				continue // in TestWorkloadsParams
			}
			t.Run(fmt.Sprint(name, "/", split), func(t *testing.T) {
				digests := map[string]bool{}
				for _, n := range []int{1, 3} {
					b := build(w, 299, "custom", n, engine.PoolLimits(adapters))
					b.Split, b.Params["type"] = split, int64(typ)
					spec := engine.Spec{Workload: w, Adapters: adapters[:n], Transport: "auto", Build: b}
					if n == 1 {
						digests[verified(t, spec).Digest] = true
					} else {
						digests[measure(t, spec, 2).Digest] = true
					}
				}
				if len(digests) != 1 {
					t.Errorf("digests differ between 1 and 3 devices: %v", digests)
				}
			})
		}
	}
}
