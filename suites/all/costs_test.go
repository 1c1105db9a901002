package all_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/amgpu/amgpu/suites"
	_ "github.com/amgpu/amgpu/suites/all"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestNominalCosts: operations and compulsory bytes of a unit of a workload, as counted by
// hand from its formula. Rates and shares of roofs rest on them.
func TestNominalCosts(t *testing.T) {
	for _, c := range []struct {
		id           string
		params       map[string]int64
		flops, bytes float64 // bytes 0: they depend on the size
	}{
		{"ga/product", nil, 64 + 56, 96},
		{"ga/product", map[string]int64{"repeat": 64}, 64 * 120, 96},
		{"ga/rotor", nil, 2 * 120, 64},
		{"ga/rotor", map[string]int64{"mode": 1}, 2 * 120, 96},
		{"ga/rotor", map[string]int64{"mode": 2}, 30, 24},
		{"ga/normalize", nil, 23 + 2, 64},
		{"tropical/add", nil, 1, 12},
		{"tropical/matmul", nil, 2 * 256 * 256, 4 * 3 * 256},
		{"tropical/nn", nil, 4 * 2 * 64 * 64, 0},
		{"tropical/attention", nil, 2 * 256 * 64, 0},
		{"tropical/viterbi", nil, 31 * 2 * 128 * 128, 0},
		{"dual/forward", nil, 30 + 6, 16},
		{"dual/gradient", nil, 19 * 64 * 63, 8 * 64},
		{"infogeo/fisher", nil, 64*65 + 2*64, 4 * 64},
		{"infogeo/fisher", map[string]int64{"model": 1, "samples": 100}, 12 * 100, 0},
		{"infogeo/fisher", map[string]int64{"model": 2}, 20, 8 + 12},
		{"infogeo/divergence", nil, 64 * (5 + 2), 64*8 + 4},
		{"infogeo/geodesic", nil, 100 * 240, 0},
		{"infogeo/geodesic", map[string]int64{"tensor": 1}, 10, 0},
		{"fusion/tdc-product", nil, 120 + 368 + 120, 384},
		{"fusion/tdc-score", nil, 25 * 4096, 0},
		{"fusion/tdc-score", map[string]int64{"attention": 1}, 41 * 4096, 0},
		{"relativity/spacetime", nil, 2 * (256 + 240), 128},
		{"relativity/spacetime", map[string]int64{"normalise": 1}, 7 + 2, 16 + 20},
		{"relativity/geodesic", map[string]int64{"steps": 100}, 100 * (32 + 1), 0},
		{"relativity/nbody", map[string]int64{"steps": 1}, 20 * 512, 0},
	} {
		t.Run(fmt.Sprint(c.id, c.params), func(t *testing.T) {
			w, err := suites.Find(c.id)
			if err != nil {
				t.Fatal(err)
			}
			b := suitetest.Build(w, w.Info().Sizes.S, 1)
			b.Limits.SharedBytes = 48 << 10
			maps.Copy(b.Params, c.params)
			p, err := w.Build(b)
			if err != nil {
				t.Fatal(err)
			}
			flops, bytes := p.Flops/float64(b.Size), p.Bytes/float64(b.Size)
			if flops != c.flops || c.bytes != 0 && bytes != c.bytes {
				t.Errorf("%g operations and %g bytes of a unit, expected %g and %g", flops, bytes, c.flops, c.bytes)
			}
		})
	}
}
