package cmd

import (
	"fmt"
	"math"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/scale"
)

// TestHugeSizes asks every workload for sizes that no machine has: refused, or a
// program whose arrays can be counted in bytes.
func TestHugeSizes(t *testing.T) {
	equal, err := partition.ParseDivision("equal")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range suites.All() {
		params := map[string]int64{}
		for _, p := range w.Info().Params {
			params[p.Name] = p.Default
		}
		for _, n := range []int64{1 << 31, 3037000512, 1 << 40, 1 << 61, 1 << 62, math.MaxInt64 - 31, math.MaxInt64} {
			for _, mode := range []string{scale.Strong, scale.Weak} {
				m := &machine{division: equal}
				c := scale.Cell{Item: scale.Item{Workload: w, Params: params}, Total: n}
				c.Count, c.Mode, c.Size.N, c.Size.Label = 2, mode, n, "custom"
				t.Run(fmt.Sprintf("%s/%s/%d", w.Info().ID, mode, n), func(t *testing.T) {
					p, err := w.Build(m.build(c))
					if err != nil {
						return
					}
					for _, a := range p.Arrays {
						if a.Units < 1 || a.Stride < 1 || a.Units > 1<<57/a.Stride {
							t.Errorf("array %s of %d x %d values", a.Name, a.Units, a.Stride)
						}
					}
				})
			}
		}
	}
}
