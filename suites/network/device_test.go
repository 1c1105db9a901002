package network

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/suitetest"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestGivenPathsOnDevices: shortest paths of a graph from a file, some of length 0, and the
// pairs that have one through each node; the same on any team.
func TestGivenPathsOnDevices(t *testing.T) {
	_, adapters := vktest.Team(t, "2+swiftshader")
	file := streets(t, 197)
	for squaring := range int64(2) {
		digests := map[string]bool{}
		for _, count := range []int{1, 3} {
			t.Run(fmt.Sprint(squaring, count), func(t *testing.T) {
				b := suitetest.Build(apsp{}, 197, count)
				b.Input, b.Limits = file, engine.PoolLimits(adapters)
				b.Params["squaring"], b.Params["count"] = squaring, 1
				s, err := engine.Launch(context.Background(), engine.Spec{Workload: suites.Workload(apsp{}), Adapters: adapters[:count], Transport: "auto", Build: b})
				if err != nil {
					t.Fatal(err)
				}
				v, err := s.Verify(context.Background(), true)
				if err = errors.Join(err, s.Close()); err != nil || v.Outcome.Wrong != "" {
					t.Fatalf("%v %s", err, v.Outcome.Wrong)
				}
				digests[v.Digest] = true
			})
		}
		if len(digests) != 1 {
			t.Errorf("squaring %d: digests %v", squaring, digests)
		}
	}
}
