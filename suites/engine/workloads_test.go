package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	_ "github.com/amgpu/amgpu/suites/all"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// divide is the equal strategy at a granule.
func divide(n int) func(units, granule int64) []program.Share {
	return func(units, granule int64) []program.Share {
		granule = max(granule, 1)
		blocks := (units + granule - 1) / granule
		shares := make([]program.Share, n)
		var at int64
		for i := range shares {
			size := blocks / int64(n)
			if int64(i) < blocks%int64(n) {
				size++
			}
			hi := min(at+size*granule, units)
			shares[i] = program.Share{Lo: at, Hi: hi}
			at = hi
		}
		return shares
	}
}

func build(w suites.Workload, size int64, label string, n int, limits suites.Limits) suites.Build {
	info := w.Info()
	b := suites.Build{
		Size: size, Base: size, Label: label, Count: n, Seed: 42, Params: map[string]int64{},
		Divide: divide(n), Limits: limits,
	}
	for _, p := range info.Params {
		b.Params[p.Name] = p.Default
		if p.Name == "steps" { // enough for what most tests look at
			b.Params[p.Name] = min(p.Default, max(p.Min, 4))
		}
	}
	if len(info.Splits) > 0 {
		b.Split = info.Splits[0]
	}
	if len(info.Algorithms) > 0 {
		b.Algorithm = info.Algorithms[0]
	}
	return b
}

// measure launches, verifies, samples and confirms one workload.
func measure(t *testing.T, spec engine.Spec) engine.Verification {
	t.Helper()
	ctx := context.Background()
	s, err := engine.Launch(ctx, spec)
	if names := lacking(spec); len(names) > 0 {
		if !errors.Is(err, vk.ErrUnsupported) || !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(err.Error(), name) }) {
			t.Fatalf("a device lacks the features %v: %v", names, err)
		}
		return engine.Verification{}
	}
	if err != nil {
		t.Fatalf("launch: %v", err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	v, err := s.Verify(ctx, true)
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	if v.Outcome.Wrong != "" {
		t.Fatalf("wrong result: %s", v.Outcome.Wrong)
	}
	if v.Outcome.Checked == 0 {
		t.Fatal("nothing was compared with the reference")
	}
	for _, reps := range []int{1, 3, 3} {
		reps = min(reps, s.MaxReps())
		sample, err := s.Sample(ctx, reps)
		if err != nil {
			t.Fatalf("sample: %v", err)
		}
		if sample.Seconds <= 0 {
			t.Fatalf("a sample of %g s", sample.Seconds)
		}
		if sample.Times == nil {
			t.Fatal("no device times on drivers that have timestamps")
		}
		if sample.Times.Device > sample.Seconds*1.05 {
			t.Errorf("devices were busy %g s in %g s of wall time", sample.Times.Device, sample.Seconds)
		}
	}
	wrong, err := s.Confirm(ctx)
	if err != nil || wrong != "" {
		t.Fatalf("confirm: %s %v", wrong, err)
	}
	return v
}

// lacking are the features of the workload that a device of the team does not have.
func lacking(spec engine.Spec) (names []string) {
	for _, name := range spec.Workload.Info().Features {
		for _, a := range spec.Adapters {
			if !slices.Contains(a.Info().Features.Names(), name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// TestWorkloadsAtS runs every registered workload at size S, divided in every way it
// offers, on one, two and three devices with validation on: correct by its tolerance
// class, and bit-identical for every count.
func TestWorkloadsAtS(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	for _, w := range suites.All() {
		for _, split := range w.Info().Splits {
			t.Run(w.Info().ID+"/"+split, func(t *testing.T) {
				digests := map[string]bool{}
				countDependent := false
				for n := 1; n <= 3; n++ {
					b := build(w, w.Info().Sizes.S, "S", n, engine.PoolLimits(adapters))
					b.Split = split
					for _, p := range w.Info().Params {
						b.Params[p.Name] = p.Default
					}
					v := measure(t, engine.Spec{Workload: w, Adapters: adapters[:n], Transport: "auto", Build: b})
					digests[v.Digest] = true
					countDependent = v.CountDependent
				}
				if len(digests) != 1 && !countDependent {
					t.Errorf("digests differ between 1, 2 and 3 devices: %v", digests)
				}
			})
		}
	}
}

// values of a parameter worth a run of their own: all others than the default of a short
// range, else the smallest and those that a kernel treats in their own ways.
func values(p suites.Param) []int64 {
	own := map[string][]int64{"class1": {21}, "model": {1, 2, 3, 4, 5, 6, 7, 8}, "dim": {128}, "bytes": {16, 32, 48, 112, 128, 256, 272}}
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
					measure(t, engine.Spec{Workload: w, Adapters: adapters, Transport: "auto", Build: b})
				})
			}
		}
	}
}

// TestResidencyAndCache runs every workload end to end and with a cold cache:
// the same bits as resident data in a hot cache.
func TestResidencyAndCache(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	for _, w := range suites.All() {
		t.Run(w.Info().ID, func(t *testing.T) {
			digests := map[string]bool{}
			for _, spec := range []engine.Spec{{}, {Residency: engine.EndToEnd}, {Residency: engine.EndToEnd, Cache: engine.Cold}} {
				spec.Workload, spec.Adapters, spec.Transport = w, adapters, "auto"
				spec.Build = build(w, w.Info().Sizes.S, "S", 2, engine.PoolLimits(adapters))
				digests[measure(t, spec).Digest] = true
			}
			if len(digests) != 1 {
				t.Errorf("digests differ between residencies or cache states: %v", digests)
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
				v := measure(t, engine.Spec{
					Workload: w, Adapters: adapters[:n], Transport: "staging",
					Build: build(w, size, "custom", n, engine.PoolLimits(adapters)),
				})
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

// TestUnequalPair runs every workload on lavapipe beside SwiftShader: two
// drivers with other limits and subgroup sizes must agree within tolerance.
func TestUnequalPair(t *testing.T) {
	_, adapters := vktest.Team(t, "1+swiftshader")
	for _, w := range suites.All() {
		t.Run(w.Info().ID, func(t *testing.T) {
			for _, order := range [][]*vk.Adapter{{adapters[0], adapters[1]}, {adapters[1]}} {
				t.Run(fmt.Sprint(len(order), order[0].Info().Name), func(t *testing.T) {
					measure(t, engine.Spec{
						Workload: w, Adapters: order, Transport: "auto",
						Build: build(w, w.Info().Sizes.S, "S", len(order), engine.PoolLimits(adapters)),
					})
				})
			}
		})
	}
}
