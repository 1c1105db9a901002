//go:build long

package engine

import (
	"testing"
	"time"

	"github.com/amgpu/amgpu/vk/vktest"
)

// TestAttributionNamesCauses runs on two software devices and needs two idle
// cores, so it is not part of `make test`.
func TestAttributionNamesCauses(t *testing.T) {
	_, adapters := vktest.Timed(t, "2")
	nameCauses(t, adapters, injected{units: 1 << 18, repeat: 256, shared: 8 << 20, weights: [2]int64{1, 1}}, 8, 24*time.Millisecond)
}
