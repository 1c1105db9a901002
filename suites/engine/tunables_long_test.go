//go:build long

package engine_test

import (
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestTunablesEverywhere is TestTunablesKeepBits on two drivers and in every split.
func TestTunablesEverywhere(t *testing.T) {
	_, adapters := vktest.Team(t, "1+swiftshader")
	for _, a := range adapters {
		for _, w := range suites.All() {
			for _, split := range w.Info().Splits {
				if len(w.Info().Tunables) > 0 {
					t.Run(fmt.Sprint(w.Info().ID, "/", split, "/", a.Info().Name), func(t *testing.T) { keepsBits(t, a, w, split) })
				}
			}
		}
	}
}
