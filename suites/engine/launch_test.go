package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
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

// launch opens the team of a workload. It is nil where a device lacks a feature that the
// workload, or a kernel chosen for it, needs: the device and the feature must then be named.
func launch(t *testing.T, spec engine.Spec) *engine.Session {
	t.Helper()
	s, err := engine.Launch(t.Context(), spec)
	lacks := lacking(spec)
	if err != nil && len(lacks) == 0 {
		lacks = lackingOf(spec, kernelNeeds(t, spec))
	}
	if len(lacks) > 0 {
		if !errors.Is(err, vk.ErrUnsupported) || !slices.ContainsFunc(lacks, func(lack string) bool { return strings.Contains(err.Error(), lack) }) {
			t.Fatalf("%v: %v", lacks, err)
		}
		return nil
	}
	if err != nil {
		t.Fatalf("launch: %v", err)
	}
	return s
}

// kernelNeeds are the features that the kernels of a program need.
func kernelNeeds(t *testing.T, spec engine.Spec) (names []string) {
	t.Helper()
	p, err := spec.Workload.Build(spec.Build)
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	for _, k := range p.Kernels {
		names = append(names, k.Needs...)
	}
	return names
}

// closing closes a session at the end of what it is measured by.
func closing(t *testing.T, s *engine.Session) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// verify runs one iteration and compares all of its outputs with the reference.
func verify(t *testing.T, s *engine.Session) engine.Verification {
	t.Helper()
	v, err := s.Verify(t.Context(), true)
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	if v.Outcome.Wrong != "" {
		t.Fatalf("wrong result: %s", v.Outcome.Wrong)
	}
	if v.Outcome.Checked == 0 {
		t.Fatal("nothing was compared with the reference")
	}
	return v
}

// sample takes samples of the given numbers of iterations back to back, and confirms that
// the devices still compute what was verified.
func sample(t *testing.T, s *engine.Session, samples ...int) {
	t.Helper()
	for _, reps := range samples {
		sample, err := s.Sample(t.Context(), min(reps, s.MaxReps()))
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
	wrong, err := s.Confirm(t.Context())
	if err != nil || wrong != "" {
		t.Fatalf("confirm: %s %v", wrong, err)
	}
}

// verified launches and verifies one workload.
func verified(t *testing.T, spec engine.Spec) (v engine.Verification) {
	t.Helper()
	if s := launch(t, spec); s != nil {
		defer closing(t, s)
		v = verify(t, s)
	}
	return v
}

// measure launches, verifies, samples and confirms one workload.
func measure(t *testing.T, spec engine.Spec, samples ...int) (v engine.Verification) {
	t.Helper()
	if s := launch(t, spec); s != nil {
		defer closing(t, s)
		v = verify(t, s)
		sample(t, s, samples...)
	}
	return v
}

// lacking says which features of the workload a device of the team does not have.
func lacking(spec engine.Spec) []string { return lackingOf(spec, spec.Workload.Info().Features) }

func lackingOf(spec engine.Spec, features []string) (lacks []string) {
	for _, name := range features {
		for _, a := range spec.Adapters {
			if info := a.Info(); !slices.Contains(info.Features.Names(), name) {
				lacks = append(lacks, info.Name+" lacks the feature "+name)
			}
		}
	}
	return lacks
}
