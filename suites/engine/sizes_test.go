package engine_test

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// algebraic are the families whose kernels meet every size here: the spread of others is
// that of TestWorkloadsOddSizes.
var algebraic = []string{"ga/", "tropical/", "dual/", "infogeo/", "fusion/", "enumerative/", "relativity/"}

// TestRandomSizes runs workloads at sizes that kernels may get wrong: one item, primes, one
// item less and more than a work-group takes, and random ones with inputs of a random seed.
// All outputs are compared with the reference, on one, two and three devices in turn; with
// the tag long every size is run on one and on two or three devices, which must leave the
// same bits. A size of nothing is refused with what to choose.
func TestRandomSizes(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	eachAlgebraic(t, func(t *testing.T, w suites.Workload) {
		limits := engine.PoolLimits(adapters)
		if _, err := w.Build(build(w, 0, "custom", 1, limits)); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("size 0: %v", err)
		}
		rng := random(w)
		for k, size := range edgeSizes(t, w, limits, rng) {
			counts := []int{1 + k%3}
			if extent == all {
				counts = []int{1, 2 + k%2}
			}
			sameOnAll(t, w, size, rng.Uint64(), adapters, counts)
		}
	})
}

// eachAlgebraic runs a test for every workload of these families.
func eachAlgebraic(t *testing.T, run func(*testing.T, suites.Workload)) {
	for _, w := range suites.All() {
		id := w.Info().ID
		if slices.ContainsFunc(algebraic, func(family string) bool { return strings.HasPrefix(id, family) }) {
			t.Run(id, func(t *testing.T) { run(t, w) })
		}
	}
}

// random is a source of its own for every workload.
func random(w suites.Workload) *rand.Rand {
	seed := fnv.New64()
	seed.Write([]byte(w.Info().ID))
	return rand.New(rand.NewPCG(seed.Sum64(), 27))
}

// verifiedShape runs a workload at a size with some of its parameters and compares all of its
// outputs with the reference.
func verifiedShape(t *testing.T, adapters []*vk.Adapter, id string, size int64, params, tuning map[string]int64) {
	t.Run(fmt.Sprint(id, "/", size, params, tuning), func(t *testing.T) {
		w, err := suites.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		b := build(w, size, "custom", 1, engine.PoolLimits(adapters))
		maps.Copy(b.Params, params)
		b.Tuning = tuning
		verified(t, engine.Spec{Workload: w, Adapters: adapters, Transport: "auto", Build: b})
	})
}

// TestTilesOfNetworks runs tropical networks whose layers end inside tiles, of both sizes of
// tiles, with rows of whole vectors and of others, forward and in a training step.
func TestTilesOfNetworks(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	for _, c := range [][2]int64{{1, 4}, {63, 68}, {65, 20}, {130, 132}, {67, 66}} {
		for _, edge := range []int64{64, 128} {
			verifiedShape(t, adapters, "tropical/nn", c[0], map[string]int64{"width": c[1], "layers": 2}, map[string]int64{"tile": edge})
		}
	}
	for _, c := range [][2]int64{{3, 5}, {131, 132}} {
		verifiedShape(t, adapters, "tropical/nn", c[0], map[string]int64{"width": c[1], "layers": 2, "train": 1}, nil)
	}
}

// TestShapesOfIntersections runs enumerative workloads in several dimensions of projective
// space and on Grassmannians with few and many members, whose kernels sum and group by them.
func TestShapesOfIntersections(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	run := func(id string, size int64, params map[string]int64) {
		verifiedShape(t, adapters, id, size, params, nil)
	}
	for _, n := range []int64{1, 2, 3, 4, 5, 6, 8, 15} {
		run("enumerative/chow", 67, map[string]int64{"n": n})
	}
	for _, n := range []int64{1, 2, 4, 15} {
		run("enumerative/chow", 67, map[string]int64{"n": n, "bezout": 1})
	}
	for _, g := range [][3]int64{{1, 2, 2}, {1, 40, 40}, {2, 4, 6}, {4, 8, 70}, {5, 7, 21}, {6, 40, 700}, {9, 12, 220}, {10, 30, 700}, {20, 24, 700}} {
		run("enumerative/schubert", g[2], map[string]int64{"k": g[0], "n": g[1]})
	}
	run("enumerative/schubert", 462, map[string]int64{"k": 5, "n": 11, "class1": 321, "class2": 21, "class3": 4})
}

// edgeSizes are sizes around what the first kernel's work-group takes, at most S.
func edgeSizes(t *testing.T, w suites.Workload, limits suites.Limits, rng *rand.Rand) []int64 {
	s := w.Info().Sizes.S
	p, err := w.Build(build(w, s, "S", 1, limits))
	if err != nil {
		t.Fatal(err)
	}
	group := s
	for _, step := range slices.Concat(p.Setup, p.Steps) {
		if d, ok := step.(program.Dispatch); ok {
			l := d.On[0]
			group = max(max(l.Div, 1)*s/(max(l.Mul, 1)*p.Units), 2)
			break
		}
	}
	most := min(max(4*group, 64), s)
	sizes := []int64{1, 13, 61, group - 1, group, group + 1, 2 + rng.Int64N(most-1), 2 + rng.Int64N(most-1)}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	return slices.DeleteFunc(sizes, func(n int64) bool { return n < 1 || n > s })
}

// sameOnAll verifies a size on numbers of devices, and compares the bits.
func sameOnAll(t *testing.T, w suites.Workload, size int64, seed uint64, adapters []*vk.Adapter, counts []int) {
	t.Run(fmt.Sprint(size), func(t *testing.T) {
		digests := map[string]bool{}
		dependent := false
		for _, n := range counts {
			b := build(w, size, "custom", n, engine.PoolLimits(adapters))
			b.Seed = seed
			v := verified(t, engine.Spec{Workload: w, Adapters: adapters[:n], Transport: "auto", Build: b})
			digests[v.Digest], dependent = true, dependent || v.CountDependent
		}
		if len(digests) != 1 && !dependent {
			t.Errorf("seed %d: digests differ between %v devices: %v", seed, counts, digests)
		}
	})
}
