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
					t.Run(fmt.Sprint(w.Info().ID, "/", split, "/", a.Info().Name), func(t *testing.T) { keepsBits(t, a, w, split, nil) })
				}
			}
		}
	}
}

// TestTunablesWithParams is TestTunablesKeepBits with other values of every parameter, one at a
// time: they choose other kernels, which take the same constants.
func TestTunablesWithParams(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	for _, w := range suites.All() {
		for _, p := range w.Info().Params {
			for _, v := range values(p) {
				if len(w.Info().Tunables) > 0 {
					t.Run(fmt.Sprintf("%s/%s=%d", w.Info().ID, p.Name, v), func(t *testing.T) {
						keepsBits(t, adapters[0], w, w.Info().Splits[0], map[string]int64{p.Name: v})
					})
				}
			}
		}
	}
}
