package network

import (
	"context"
	"errors"
	"fmt"
	"strings"
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

// TestHubOnDevices: a node that very many point at gets what they send, whatever rounding leaves
// of sums of so many: most edges lie in one row.
func TestHubOnDevices(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	var text strings.Builder
	for i := 1; i <= 100_000; i++ {
		fmt.Fprintf(&text, "%d 0\n", i)
	}
	file := write(t, "star", text.String())
	for _, w := range []suites.Workload{pagerank{}, diffusion{}} {
		digests := map[string]bool{}
		for _, count := range []int{1, 2} {
			b := suitetest.Build(w, 1, count)
			b.Input, b.Limits = file, engine.PoolLimits(adapters)
			b.Params["steps"] = 2
			s, err := engine.Launch(context.Background(), engine.Spec{Workload: w, Adapters: adapters[:count], Transport: "auto", Build: b})
			if err != nil {
				t.Fatal(err)
			}
			v, err := s.Verify(context.Background(), true)
			if err = errors.Join(err, s.Close()); err != nil || v.Outcome.Wrong != "" {
				t.Fatalf("%s on %d: %v %s", w.Info().ID, count, err, v.Outcome.Wrong)
			}
			digests[v.Digest] = true
		}
		if len(digests) != 1 {
			t.Errorf("%s: digests %v", w.Info().ID, digests)
		}
	}
}
