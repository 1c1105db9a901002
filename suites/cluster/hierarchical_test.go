package cluster

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestHierarchicalRanks: sums that go within ranks first and then between them have the bits of
// one process; auto tries that way beside the others, on all
// ranks alike, and says so.
func TestHierarchicalRanks(t *testing.T) {
	_, adapters := vktest.Team(t, "4")
	hierarchically(t, adapters, []int{2, 2}, []sum{{program.Hierarchical, 1003, 3}, {program.Auto, 1 << 14, 0}})
}

// sum is an all-reduce to try.
type sum struct {
	algorithm string
	size, op  int64
}

// hierarchically compares sums over ranks with those of one process.
func hierarchically(t *testing.T, adapters []*vk.Adapter, per []int, sums []sum) {
	t.Helper()
	limits := engine.PoolLimits(adapters)
	w, err := suites.Find("comm/allreduce")
	if err != nil {
		t.Fatal(err)
	}
	n := len(adapters)
	rank, pool, home, _ := jobOf(t, adapters, per, time.Minute)
	for _, c := range sums {
		t.Run(fmt.Sprint(per, c), func(t *testing.T) {
			b := request(w, n, limits)
			b.Size, b.Base, b.Label, b.Algorithm, b.Params["op"] = c.size, c.size, "custom", program.OneShot, c.op
			one, err := engine.Launch(context.Background(), engine.Spec{Workload: w, Build: b, Adapters: adapters, Transport: "auto"})
			if err != nil {
				t.Fatal(err)
			}
			want := digestOf(t, one)
			b.Algorithm = c.algorithm
			many, err := rank.Launch(context.Background(), engine.Spec{Workload: w, Build: b, Adapters: pool, Transport: "auto"}, home)
			if err != nil {
				t.Fatal(err)
			}
			said := fmt.Sprint(many.Facts().Warnings)
			if got := digestOf(t, many); got != want {
				t.Errorf("digest %s over ranks, %s in one process", got, want)
			}
			if tried := strings.Contains(said, "auto chose ") && strings.Contains(said, program.Hierarchical); tried != (c.algorithm == program.Auto) {
				t.Errorf("tried %v: %s", tried, said)
			}
		})
	}
}

// TestHierarchicalTrees: sums over canonical chunks that go within ranks first have the bits of
// one process, single values and long vectors. What the devices of one rank send arrives as
// theirs, whichever is ready first.
func TestHierarchicalTrees(t *testing.T) {
	_, adapters := vktest.Team(t, "4")
	limits := engine.PoolLimits(adapters)
	rank, pool, home, _ := jobOf(t, adapters, []int{2, 2}, time.Minute)
	w, err := suites.Find("infogeo/fisher")
	if err != nil {
		t.Fatal(err)
	}
	b := request(w, 4, limits)
	one, err := engine.Launch(context.Background(), engine.Spec{Workload: w, Build: b, Adapters: adapters, Transport: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	want := digestOf(t, one)
	b.Algorithm = program.Hierarchical
	many, err := rank.Launch(context.Background(), engine.Spec{Workload: w, Build: b, Adapters: pool, Transport: "auto"}, home)
	if err != nil {
		t.Fatal(err)
	}
	if got := digestOf(t, many); got != want {
		t.Errorf("digest %s over ranks, %s in one process", got, want)
	}
}
