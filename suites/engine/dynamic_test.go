package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// handOut is dynamic division by a rule on n devices of which nothing is known.
func handOut(t testing.TB, rule string, n int) *engine.Dynamic {
	t.Helper()
	a, err := partition.LookupAssign(rule)
	if err != nil {
		t.Fatal(err)
	}
	return &engine.Dynamic{Assign: a, Rates: slices.Repeat([]float64{1}, n)}
}

// handedOut are workloads whose units can be handed out, some of each kind:
// several dispatches, a gather, a tree, halos filled once, replicated inputs.
var handedOut = []string{
	"ga/product", "hash/keccak256", "hash/merkle", "hash/sha256", "linalg/conv2d", "linalg/matmul", "linalg/reduction",
	"memory/copy", "memory/read", "memory/triad", "memory/vector-add", "tropical/matmul",
}

// TestDynamicWorkloads hands out the units of every workload, with validation on: the bits
// are those of equal shares. All are stolen on three devices; three of them, and every third
// of the rest by one, by the other rules on two (with the tag long all by all:
// TestDynamicRules). What cannot be handed out says so.
func TestDynamicWorkloads(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	others, divided := partition.AssignNames()[1:], 0
	for _, w := range suites.All() {
		id := w.Info().ID
		t.Run(id, func(t *testing.T) {
			spec := func(n int) engine.Spec {
				return engine.Spec{Workload: w, Adapters: adapters[:n], Transport: "auto", Build: build(w, w.Info().Sizes.S, "S", n, engine.PoolLimits(adapters))}
			}
			s := spec(3)
			s.Dynamic = handOut(t, "steal", 3)
			l, err := engine.Launch(t.Context(), s)
			if len(lacking(s)) > 0 && errors.Is(err, vk.ErrUnsupported) {
				return // TestWorkloadsAtS looks at what it says
			}
			if errors.Is(err, engine.ErrUnsupported) && strings.Contains(err.Error(), "cannot be divided while it runs") {
				if slices.Contains(handedOut, id) {
					t.Error(err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer closing(t, l)
			want := digest(t, spec(1))
			same := func(rule string, n int, got string) {
				if got != want {
					t.Errorf("%s on %d devices: digest %s, equal shares %s", rule, n, got, want)
				}
			}
			same("steal", 3, verify(t, l).Digest)
			sample(t, l, 1, 2)
			check := func(rule string, n int) {
				s := spec(n)
				s.Dynamic = handOut(t, rule, n)
				same(rule, n, measure(t, s, 1, 2).Digest)
			}
			if id == "ga/product" || id == "hash/merkle" || id == "linalg/reduction" {
				check("steal", 1)
				for _, rule := range others {
					check(rule, 2)
				}
				return
			}
			if divided++; divided%3 == 0 {
				check(others[divided/3%len(others)], 2)
			}
		})
	}
}

// TestDynamicUnequalPair hands out work to lavapipe and SwiftShader.
func TestDynamicUnequalPair(t *testing.T) {
	_, adapters := vktest.Team(t, "1+swiftshader")
	for _, id := range []string{"ga/product", "memory/triad", "linalg/reduction"} {
		w, err := suites.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range [][]*vk.Adapter{{adapters[0], adapters[1]}, {adapters[1], adapters[0]}} {
			measure(t, engine.Spec{
				Workload: w, Adapters: order, Transport: "auto", Dynamic: handOut(t, "steal", 2),
				Build: build(w, w.Info().Sizes.S, "S", 2, engine.PoolLimits(adapters)),
			}, 1, 2)
		}
	}
}

// TestDynamicSlowDevice: a device that is twenty times as slow gets less to do, whatever
// was known before, and the outputs stay what they are.
func TestDynamicSlowDevice(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	w, err := suites.Find("ga/product")
	if err != nil {
		t.Fatal(err)
	}
	spec := engine.Spec{Workload: w, Adapters: adapters, Transport: "auto", Build: build(w, 1<<16, "custom", 2, engine.PoolLimits(adapters))}
	spec.Build.Params["repeat"] = 64
	want := verified(t, spec).Digest
	t.Setenv("AMGPU_FAULT", "slow:0:20")
	spec.Dynamic = handOut(t, "steal", 2)
	s, err := engine.Launch(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	v, err := s.Verify(context.Background(), true)
	if err != nil || v.Digest != want {
		t.Fatalf("digest %s, equal shares %s; %v", v.Digest, want, err)
	}
	if _, err := s.Sample(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	if d := s.Facts().Division; d.Handed[0] >= d.Handed[1] {
		t.Errorf("chunks by device: %v", d.Handed)
	}
}
