//go:build long

package engine_test

import (
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestRandomSizesOtherDriver is TestRandomSizes on one device of SwiftShader, whose subgroups
// and limits differ.
func TestRandomSizesOtherDriver(t *testing.T) {
	_, other := vktest.Team(t, "swiftshader")
	eachAlgebraic(t, func(t *testing.T, w suites.Workload) {
		rng := random(w)
		for _, size := range edgeSizes(t, w, engine.PoolLimits(other), rng) {
			sameOnAll(t, w, size, rng.Uint64(), other, []int{1})
		}
	})
}
