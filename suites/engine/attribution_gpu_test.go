//go:build gpu

package engine

import (
	"testing"
	"time"

	"github.com/amgpu/amgpu/vk/vktest"
)

// TestAttributionNamesCausesOnGPUs is the same on the first two GPUs of a machine.
func TestAttributionNamesCausesOnGPUs(t *testing.T) {
	adapters := vktest.GPUs(t, 2)
	nameCauses(t, adapters, injected{units: 1 << 20, repeat: 4096, shared: 1 << 20, weights: [2]int64{1, 1}}, 64, 2*time.Millisecond)
}
