package vktest

import (
	"testing"

	"github.com/amgpu/amgpu/vk"
)

// GPUs opens the first n GPUs of this machine, for tests with the build tag gpu.
// Fewer of them fail the test.
func GPUs(t testing.TB, n int) []*vk.Adapter {
	t.Helper()
	in, err := vk.Open(vk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		Quiet(t, in) // with AMGPU_VALIDATION=1
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
	var use []*vk.Adapter
	for _, a := range in.Adapters() {
		if a.Err() == nil && !a.Info().Software() && a.Info().DuplicateOf < 0 {
			use = append(use, a)
		}
	}
	if len(use) < n {
		t.Fatalf("%d GPUs on this machine, the test needs %d", len(use), n)
	}
	return use[:n]
}
