package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	_ "github.com/amgpu/amgpu/suites/all"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk/vktest"
)

// How much of what workloads are crossed with is run: each of it once, or all combinations.
const (
	each = iota
	all
)

// teams are the numbers of devices on which a workload is divided in its k-th way. The first
// way is also run on three, at another size, by TestWorkloadsOddSizes.
func teams(w suites.Workload, k int) []int {
	switch {
	case extent == all || strings.HasPrefix(w.Info().ID, "comm/"):
		return []int{1, 2, 3}
	case k == 0:
		return []int{1, 2}
	}
	return []int{1, 3}
}

// TestWorkloadsAtS runs every registered workload at size S, divided in every way it
// offers, on one and several devices with validation on: correct by its tolerance
// class, and bit-identical for every count. On two devices data comes from the host and
// goes back: the same bits as resident data.
func TestWorkloadsAtS(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	for _, w := range suites.All() {
		for k, split := range w.Info().Splits {
			t.Run(w.Info().ID+"/"+split, func(t *testing.T) {
				digests := map[string]bool{}
				countDependent := false
				for _, n := range teams(w, k) {
					b := build(w, w.Info().Sizes.S, "S", n, engine.PoolLimits(adapters))
					b.Split = split
					for _, p := range w.Info().Params {
						b.Params[p.Name] = p.Default
					}
					spec := engine.Spec{Workload: w, Adapters: adapters[:n], Transport: "auto", Build: b}
					if n == 2 && k == 0 && extent == each {
						spec.Residency = engine.EndToEnd
					}
					v := measure(t, spec, 1, 2, 2)
					digests[v.Digest] = true
					countDependent = v.CountDependent
				}
				if len(digests) != 1 && !countDependent {
					t.Errorf("digests differ between %v devices: %v", teams(w, k), digests)
				}
			})
		}
	}
}

// values of a parameter worth a run of their own: all others than the default of a short
// range, else the smallest and those that a kernel treats in their own ways.
func values(p suites.Param) []int64 {
	own := map[string][]int64{"class1": {21}, "repeat": {64}, "model": {1, 2, 3, 4, 5, 6, 7, 8}, "dim": {128}, "bytes": {16, 32, 48, 112, 128, 256, 272}}
	list := own[p.Name]
	if p.Max-p.Min < 8 {
		list = nil
		for v := p.Min; v <= p.Max; v++ {
			list = append(list, v)
		}
	} else if len(list) == 0 {
		list = []int64{p.Min}
	}
	return slices.DeleteFunc(list, func(v int64) bool { return v == p.Default })
}

// TestWorkloadsParams runs every workload with other values of its parameters, one at a
// time, on two devices.
func TestWorkloadsParams(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	for _, w := range suites.All() {
		for _, p := range w.Info().Params {
			for _, v := range values(p) {
				t.Run(fmt.Sprintf("%s/%s=%d", w.Info().ID, p.Name, v), func(t *testing.T) {
					b := build(w, w.Info().Sizes.S, "S", 2, engine.PoolLimits(adapters))
					b.Params[p.Name] = v
					measure(t, engine.Spec{Workload: w, Adapters: adapters, Transport: "auto", Build: b}, 2)
				})
			}
		}
	}
}

// TestResidencyAndCache runs workloads end to end and with a cold cache: the same bits as
// resident data in a hot cache. What displaces the cache does not depend on the workload
// and takes longer than most of them, so it is some of each kind, and those whose bits
// depend on the count, for which TestWorkloadsAtS compares nothing; with the tag long all.
func TestResidencyAndCache(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	some := []string{"automata/life", "ga/product", "linalg/matmul", "linalg/reduction", "pinn/train"}
	for _, w := range suites.All() {
		if id := w.Info().ID; extent == each && !strings.HasPrefix(id, "comm/") && !slices.Contains(some, id) {
			continue
		}
		t.Run(w.Info().ID, func(t *testing.T) {
			spec := engine.Spec{Workload: w, Adapters: adapters, Transport: "auto", Build: build(w, w.Info().Sizes.S, "S", 2, engine.PoolLimits(adapters))}
			want := verified(t, spec).Digest
			spec.Residency = engine.EndToEnd
			if got := measure(t, spec, 1, 2).Digest; got != want {
				t.Errorf("end to end: digest %s, resident %s", got, want)
			}
			spec.Cache = engine.Cold
			if got := measure(t, spec, 1).Digest; got != want {
				t.Errorf("with a cold cache: digest %s, with a hot one %s", got, want)
			}
		})
	}
}

// TestWorkloadsOddSizes uses sizes that divide nothing, and staging.
func TestWorkloadsOddSizes(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	for _, w := range suites.All() {
		size := oddSize(t, w, engine.PoolLimits(adapters))
		t.Run(w.Info().ID, func(t *testing.T) {
			digests := map[string]bool{}
			countDependent := false
			for _, n := range []int{1, 3} {
				spec := engine.Spec{
					Workload: w, Adapters: adapters[:n], Transport: "staging",
					Build: build(w, size, "custom", n, engine.PoolLimits(adapters)),
				}
				var v engine.Verification
				if n == 1 && extent == each { // nothing is moved
					v = verified(t, spec)
				} else {
					v = measure(t, spec, 2)
				}
				digests[v.Digest] = true
				countDependent = v.CountDependent
			}
			if len(digests) != 1 && !countDependent {
				t.Errorf("digests differ between 1 and 3 devices: %v", digests)
			}
		})
	}
}

// oddSize is the largest size below S that the workload can be built with: odd where it
// may be, else a multiple of what it needs and no other power of two.
func oddSize(t *testing.T, w suites.Workload, limits suites.Limits) int64 {
	s := w.Info().Sizes.S
	for size := s - 1; size > 0 && size >= s-128; size-- {
		if _, err := w.Build(build(w, size, "custom", 3, limits)); err == nil {
			return size
		}
	}
	t.Fatalf("%s builds no size from %d to %d", w.Info().ID, s-128, s-1)
	return 0
}

// TestUnequalPair runs every workload on lavapipe beside SwiftShader, divided in its first
// and its last way: two drivers with other limits and subgroup sizes must agree within
// tolerance; with the tag long in every way, and also those that are made of others' kernels
// or have the same in each division and take SwiftShader longest to compile.
func TestUnequalPair(t *testing.T) {
	_, adapters := vktest.Team(t, "1+swiftshader")
	for _, w := range suites.All() {
		id, splits := w.Info().ID, w.Info().Splits
		if extent == each {
			switch {
			case id == "zk/proxy": // zk/ntt and hash/merkle
				continue
			case id == "zk/msm" || id == "pinn/train" || id == "zk/ntt": // divided as linalg/fft
				splits = splits[:1]
			case len(splits) > 2:
				splits = []string{splits[0], splits[len(splits)-1]}
			}
		}
		for _, split := range splits {
			t.Run(id+"/"+split, func(t *testing.T) {
				b := build(w, w.Info().Sizes.S, "S", 2, engine.PoolLimits(adapters))
				b.Split = split
				measure(t, engine.Spec{Workload: w, Adapters: adapters, Transport: "auto", Build: b}, 2)
			})
		}
	}
}
