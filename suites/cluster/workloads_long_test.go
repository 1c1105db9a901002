//go:build long

package cluster

import (
	"testing"
	"time"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestEveryWorkloadOverRanks: every workload, four ranks of one device against one process
// with four.
func TestEveryWorkloadOverRanks(t *testing.T) {
	_, adapters := vktest.Team(t, "4")
	rank, pool, home, _ := jobOf(t, adapters, []int{1, 1, 1, 1}, time.Minute)
	for _, w := range suites.All() {
		t.Run(w.Info().ID, func(t *testing.T) {
			sameBits(t, w, rank, pool, home, adapters, engine.PoolLimits(adapters))
		})
	}
}
