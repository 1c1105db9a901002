//go:build long

package engine_test

import (
	"math"
	"slices"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestDynamicUnequalTargets: what is handed out to lavapipe and SwiftShader keeps both at
// work, with an imbalance below 10 % by the median of seven launches: standard deviation
// over mean of their busy times in all samples of a launch.
func TestDynamicUnequalTargets(t *testing.T) {
	_, adapters := vktest.Timed(t, "1+swiftshader")
	w, err := suites.Find("ga/product")
	if err != nil {
		t.Fatal(err)
	}
	spec := engine.Spec{Workload: w, Adapters: adapters, Transport: "auto", Dynamic: handOut(t, "steal", 2), Build: build(w, 1<<16, "custom", 2, engine.PoolLimits(adapters))}
	spec.Build.Params["repeat"] = 1024
	var imbalances []float64
	for range 7 {
		s := launch(t, spec)
		verify(t, s)
		var busy [2]float64
		for range 7 {
			x, err := s.Sample(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			for i, seconds := range x.Times.Compute {
				busy[i] += seconds
			}
		}
		handed := s.Facts().Division.Handed
		closing(t, s)
		if handed[0] == 0 || handed[1] == 0 {
			t.Errorf("chunks by device: %v", handed)
		}
		imbalances = append(imbalances, math.Abs(busy[0]-busy[1])/(busy[0]+busy[1])) // of two values
		t.Logf("imbalance %.2f %%, busy %.3f s and %.3f s, chunks at last %v", 100*imbalances[len(imbalances)-1], busy[0], busy[1], handed)
	}
	slices.Sort(imbalances)
	if mid := imbalances[len(imbalances)/2]; mid > 0.1 {
		t.Errorf("imbalance %.1f %%", 100*mid)
	}
}
