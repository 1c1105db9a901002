package engine

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// chains launches ga/product with chains of products, of which an iteration lasts as long
// as is asked for: handed out by a rule, or equal shares. It is closed with the test.
func chains(t *testing.T, adapters []*vk.Adapter, units, repeat int64, rule string) *Session {
	t.Helper()
	w, err := suites.Find("ga/product")
	if err != nil {
		t.Fatal(err)
	}
	n := len(adapters)
	spec := Spec{Workload: w, Adapters: adapters, Transport: "auto", Build: suites.Build{
		Size: units, Base: units, Label: "custom", Count: n, Seed: 5, Params: map[string]int64{}, Limits: PoolLimits(adapters),
		Split: w.Info().Splits[0], Divide: func(units, _ int64) []program.Share { return divide(units, n) },
	}}
	for _, p := range w.Info().Params {
		spec.Build.Params[p.Name] = p.Default
	}
	spec.Build.Params["repeat"] = repeat
	if rule != "" {
		a, err := partition.LookupAssign(rule)
		if err != nil {
			t.Fatal(err)
		}
		spec.Dynamic = &Dynamic{Assign: a, Rates: slices.Repeat([]float64{1}, n)}
	}
	s, err := Launch(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestSlowFromTheMiddle: a device that becomes four times as slow in the middle of the
// checked iteration, whose outputs were poisoned before, changes no bit, whatever the rule
// by which chunks are handed out.
func TestSlowFromTheMiddle(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	const units, repeat = 1 << 15, 512
	plain := chains(t, adapters, units, repeat, "")
	want, err := plain.Verify(t.Context(), true)
	if err != nil || want.Outcome.Wrong != "" {
		t.Fatal(want.Outcome.Wrong, err)
	}
	seconds := math.Inf(1)
	for range 3 {
		sample, err := plain.Sample(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		seconds = min(seconds, sample.Seconds)
	}
	t.Setenv("AMGPU_FAULT", fmt.Sprintf("slow:1:3:%g", seconds/4))
	for _, rule := range partition.AssignNames() {
		s := chains(t, adapters, units, repeat, rule)
		v, err := s.Verify(t.Context(), true)
		if err != nil || v.Outcome.Wrong != "" {
			t.Fatalf("%s: %s %v", rule, v.Outcome.Wrong, err)
		}
		if v.Digest != want.Digest {
			t.Errorf("%s: digest %s, undisturbed %s", rule, v.Digest, want.Digest)
		}
		if s.deal.lag[1] == 0 {
			t.Errorf("%s: device 1 was not slower", rule)
		}
	}
}
