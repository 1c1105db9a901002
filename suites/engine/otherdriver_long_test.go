//go:build long

package engine_test

import (
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestOtherDriverAlone runs every workload in every division on one device of SwiftShader,
// and in its first one with other values of its parameters.
func TestOtherDriverAlone(t *testing.T) {
	_, adapters := vktest.Team(t, "swiftshader")
	for _, w := range suites.All() {
		run := func(split string, p suites.Param, v int64) {
			t.Run(fmt.Sprintf("%s/%s/%s=%d", w.Info().ID, split, p.Name, v), func(t *testing.T) {
				b := build(w, w.Info().Sizes.S, "S", 1, engine.PoolLimits(adapters))
				b.Split = split
				if p.Name != "" {
					b.Params[p.Name] = v
				}
				measure(t, engine.Spec{Workload: w, Adapters: adapters, Transport: "auto", Build: b}, 2)
			})
		}
		for k, split := range w.Info().Splits {
			run(split, suites.Param{}, 0)
			for _, p := range w.Info().Params {
				for _, v := range values(p) {
					if k == 0 {
						run(split, p, v)
					}
				}
			}
		}
	}
}
