//go:build long

package cluster

import (
	"fmt"
	"testing"
	"time"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestEveryWorkloadOverRanks: every workload, four ranks of one device and two of two against
// one process with four.
func TestEveryWorkloadOverRanks(t *testing.T) {
	_, adapters := vktest.Team(t, "4")
	for _, per := range [][]int{{1, 1, 1, 1}, {2, 2}} {
		rank, pool, home, _ := jobOf(t, adapters, per, time.Minute)
		for _, w := range suites.All() {
			t.Run(fmt.Sprint(w.Info().ID, per), func(t *testing.T) {
				sameBits(t, w, rank, pool, home, adapters, engine.PoolLimits(adapters))
			})
		}
	}
}

// TestHierarchicalThreeRanks: between three ranks sums go by a reduce-scatter and an all-gather.
func TestHierarchicalThreeRanks(t *testing.T) {
	_, adapters := vktest.Team(t, "6")
	hierarchically(t, adapters, []int{2, 2, 2}, []sum{{program.Hierarchical, 1003, 0}, {program.Hierarchical, 1 << 14, 3}, {program.Auto, 1 << 14, 0}})
}
