//go:build long

package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk/vktest"
)

// dealt is the sample of the median time of several of dynamic division, with its
// division, and the median of what part of a sample handing out took.
func dealt(t *testing.T, spec engine.Spec, rule string) (engine.Sample, *result.Division, float64) {
	t.Helper()
	ctx := context.Background()
	spec.Dynamic = handOut(t, rule, len(spec.Adapters))
	s, err := engine.Launch(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := s.Verify(ctx, false); err != nil {
		t.Fatal(err)
	}
	type taken struct {
		sample   engine.Sample
		division *result.Division
	}
	var all []taken
	var parts []float64
	for range 7 {
		x, err := s.Sample(ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		division := *s.Facts().Division
		division.Handed = slices.Clone(division.Handed)
		parts = append(parts, slices.Max(division.Decisions)/x.Seconds)
		all = append(all, taken{x, &division})
	}
	slices.SortFunc(all, func(x, y taken) int { return cmp.Compare(x.sample.Seconds, y.sample.Seconds) })
	slices.Sort(parts)
	mid := all[len(all)/2]
	return mid.sample, mid.division, parts[len(parts)/2]
}

// TestDynamicTargets needs an idle machine. By the medians of eleven blocks, two devices
// of one thread each, one of them made three times as slow, reach 90 % of the sum of their
// rates; busy times are within 10 %, of equal devices within 5 %; handing out takes less
// than 1 % of the run. What an equal pair reaches is what two cores share of a cache, and
// only logged.
func TestDynamicTargets(t *testing.T) {
	t.Setenv("LP_NUM_THREADS", "1")
	_, adapters := vktest.Timed(t, "2")
	for _, c := range []struct {
		id         string
		size, base int64 // of tropical/matmul rows and columns
		repeat     int64
	}{{"ga/product", 1 << 16, 1 << 16, 1024}, {"tropical/matmul", 8192, 256, 0}} {
		w, err := suites.Find(c.id)
		if err != nil {
			t.Fatal(err)
		}
		spec := func(devices ...int) engine.Spec {
			s := engine.Spec{Workload: w, Transport: "auto", Build: build(w, c.size, "custom", len(devices), engine.PoolLimits(adapters))}
			s.Build.Base, s.Build.Weak = c.base, c.base != c.size
			if c.repeat > 0 {
				s.Build.Params["repeat"] = c.repeat
			}
			for _, d := range devices {
				s.Adapters = append(s.Adapters, adapters[d])
			}
			return s
		}
		for _, fault := range []struct {
			text  string
			limit float64
		}{{"", 0.05}, {"slow:1:2", 0.10}} {
			t.Run(fmt.Sprintf("%s/%s", c.id, cmp.Or(fault.text, "equal")), func(t *testing.T) {
				t.Setenv("AMGPU_FAULT", fault.text)
				var reached, cvs, handing []float64
				for range 11 { // blocks: what else runs reaches the three alike
					a, _, _ := dealt(t, spec(0), "steal")
					b, _, _ := dealt(t, spec(1), "steal")
					both, d, decisions := dealt(t, spec(0, 1), "steal")
					x, y := both.Times.Compute[0], both.Times.Compute[1]
					reached = append(reached, 1/both.Seconds/(1/a.Seconds+1/b.Seconds))
					cvs = append(cvs, math.Abs(x-y)/(x+y)) // of two values
					handing = append(handing, decisions)
					t.Logf("%s %q: %.1f ms and %.1f ms alone, %.1f ms together: %.1f %% of the sum; imbalance %.1f %%; decisions %.3f %%; chunks %v in %d batches, %d stolen",
						c.id, fault.text, 1e3*a.Seconds, 1e3*b.Seconds, 1e3*both.Seconds, 100*reached[len(reached)-1], 100*cvs[len(cvs)-1], 100*decisions, d.Handed, d.Batches, d.Moved)
				}
				for _, values := range [][]float64{reached, cvs, handing} {
					slices.Sort(values)
				}
				t.Logf("%s %q: medians of 11: %.1f %% of the sum (%.1f-%.1f), imbalance %.1f %%, decisions %.3f %%",
					c.id, fault.text, 100*reached[5], 100*reached[0], 100*reached[10], 100*cvs[5], 100*handing[5])
				if fault.text != "" && reached[5] < 0.9 || cvs[5] > fault.limit || handing[5] > 0.01 {
					t.Errorf("%s %q: a target is missed", c.id, fault.text)
				}
			})
		}
	}
}
