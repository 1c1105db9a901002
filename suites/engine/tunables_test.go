package engine_test

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestTunablesKeepBits runs every workload with each value of each of its constants: correct,
// and with the bits that the defaults give. On the other driver, in the other splits and with other
// parameters: TestTunablesEverywhere, TestTunablesWithParams.
func TestTunablesKeepBits(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	for _, w := range suites.All() {
		if len(w.Info().Tunables) > 0 {
			t.Run(w.Info().ID, func(t *testing.T) { keepsBits(t, adapters[0], w, w.Info().Splits[0], nil) })
		}
	}
}

func keepsBits(t *testing.T, a *vk.Adapter, w suites.Workload, split string, params map[string]int64) {
	limits := engine.PoolLimits([]*vk.Adapter{a})
	run := func(tuning map[string]int64) string {
		b := build(w, oddSize(t, w, limits), "custom", 1, limits)
		b.Split, b.Tuning = split, tuning
		maps.Copy(b.Params, params)
		if _, err := w.Build(b); err != nil { // a work-group that is too large for the driver
			t.Logf("%v: %v", tuning, err)
			return ""
		}
		spec := engine.Spec{Workload: w, Adapters: []*vk.Adapter{a}, Transport: "auto", Build: b}
		if lacks := lackingOf(spec, kernelNeeds(t, spec)); len(lacks) > 0 {
			launch(t, spec)
			return ""
		}
		return digest(t, spec)
	}
	want := run(nil)
	for _, k := range w.Info().Tunables {
		for _, v := range k.Values {
			if v == k.For(limits.Class) {
				continue
			}
			if got := run(map[string]int64{k.Name: v}); got != want && got != "" {
				t.Errorf("%s=%d: digest %s, with the defaults %s", k.Name, v, got, want)
			}
		}
	}
}

// digest is that of one iteration, of which a sample of the outputs is compared with the
// reference.
func digest(t *testing.T, spec engine.Spec) string {
	t.Helper()
	s, err := engine.Launch(context.Background(), spec)
	if err != nil {
		t.Fatalf("launch with %v: %v", spec.Build.Tuning, err)
	}
	v, err := s.Verify(context.Background(), false)
	if err = errors.Join(err, s.Close()); err != nil || v.Outcome.Wrong != "" {
		t.Fatalf("with %v: %s %v", spec.Build.Tuning, v.Outcome.Wrong, err)
	}
	return v.Digest
}

// TestLifePasses divides passes of several steps in every way that the halo and the overlap
// allow: the bits are those of single steps on one device.
func TestLifePasses(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	w, err := suites.Find("automata/life")
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		n                   int
		size, halo, overlap int64
	}{{1, 224, 8, 0}, {3, 224, 3, 1}, {3, 224, 16, 0}, {2, 224, 1, 1}, {3, 2048, 8, 1}, {3, 2048, 7, 3}}
	run := func(n int, size, pass, halo, overlap int64) string {
		b := build(w, size, "custom", n, engine.PoolLimits(adapters))
		b.Params["halo"], b.Params["overlap"], b.Params["steps"] = halo, overlap, 22
		b.Tuning = map[string]int64{"pass": pass}
		return digest(t, engine.Spec{Workload: w, Adapters: adapters[:n], Transport: "auto", Build: b})
	}
	want := map[int64]string{224: run(1, 224, 1, 8, 0), 2048: run(1, 2048, 1, 8, 0)}
	for _, pass := range []int64{4, 8} {
		for _, c := range cases {
			if got := run(c.n, c.size, pass, c.halo, c.overlap); got != want[c.size] {
				t.Errorf("pass %d, %+v: other bits", pass, c)
			}
		}
	}
}
