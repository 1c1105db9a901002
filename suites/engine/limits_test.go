package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	_ "github.com/amgpu/amgpu/suites/all"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// limited runs a workload with smaller buffer and binding limits than the
// device's, as if it were too large for one binding.
func limited(t *testing.T, id string, size int64, adapters []*vk.Adapter, buffer, binding int64) (Verification, error) {
	t.Helper()
	s, err := start(t, id, size, adapters, buffer, binding)
	if err != nil {
		return Verification{}, err
	}
	return s.Verify(context.Background(), true)
}

// start launches a workload until the end of the test.
func start(t *testing.T, id string, size int64, adapters []*vk.Adapter, buffer, binding int64) (*Session, error) {
	t.Helper()
	w, err := suites.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	b := suites.Build{
		Size: size, Base: size, Label: "custom", Count: len(adapters), Seed: 3, Params: map[string]int64{}, Limits: PoolLimits(adapters),
		Divide: func(units, granule int64) []program.Share {
			shares := divide((units+granule-1)/max(granule, 1), len(adapters))
			for i := range shares {
				shares[i] = program.Share{Lo: min(shares[i].Lo*granule, units), Hi: min(shares[i].Hi*granule, units)}
			}
			return shares
		},
	}
	for _, p := range w.Info().Params {
		b.Params[p.Name] = p.Default
	}
	if a := w.Info().Algorithms; len(a) > 0 {
		b.Algorithm = a[0]
	}
	s, err := Launch(context.Background(), Spec{Workload: w, Build: b, Adapters: adapters, Transport: "auto", testOnlyBufferLimit: buffer, testOnlyBindingLimit: binding})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s, nil
}

// TestCutOverBindings: arrays larger than one binding, and than one buffer, give
// the same bits as uncut ones.
func TestCutOverBindings(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	for _, tc := range []struct {
		id              string
		size            int64
		buffer, binding int64
	}{
		{"memory/triad", 1 << 18, 300000, 100000},
		{"memory/vector-add", 99999, 70000, 65536},
		{"ga/product", 5000, 100000, 40000},
		{"linalg/reduction", 1 << 18, 1 << 20, 1 << 17},
		{"automata/life", 256, 1 << 20, 3000},
	} {
		t.Run(tc.id, func(t *testing.T) {
			whole, err := limited(t, tc.id, tc.size, adapters, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			cut, err := limited(t, tc.id, tc.size, adapters, tc.buffer, tc.binding)
			if err != nil {
				t.Fatal(err)
			}
			if whole.Outcome.Wrong != "" || cut.Outcome.Wrong != "" || whole.Digest != cut.Digest {
				t.Errorf("whole %s %q, cut %s %q", whole.Digest, whole.Outcome.Wrong, cut.Digest, cut.Outcome.Wrong)
			}
		})
	}
}

// TestTooLargeIsUnsupported: what cannot be cut is refused as a fact about the
// row, with advice.
func TestTooLargeIsUnsupported(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	_, err := limited(t, "relativity/nbody", 1024, adapters, 0, 4096)
	if !errors.Is(err, ErrUnsupported) {
		t.Errorf("positions larger than a binding: %v", err)
	}
	_, err = limited(t, "memory/triad", 1<<36, adapters, 0, 0)
	if !errors.Is(err, ErrUnsupported) {
		t.Errorf("768 GiB of arrays: %v", err)
	}
}

func TestFaults(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	t.Setenv("AMGPU_FAULT", "wrong-result")
	v, err := limited(t, "memory/triad", 4096, adapters, 0, 0)
	if err != nil || v.Outcome.Wrong == "" {
		t.Errorf("a corrupted output passed: %+v %v", v, err)
	}
	t.Setenv("AMGPU_FAULT", "device-lost:1")
	w, _ := suites.Find("memory/triad")
	s, err := Launch(context.Background(), Spec{
		Workload: w, Adapters: adapters, Transport: "auto",
		Build: suites.Build{Size: 4096, Base: 4096, Count: 2, Params: map[string]int64{}, Divide: func(u, _ int64) []program.Share { return divide(u, 2) }, Limits: PoolLimits(adapters)},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := s.Verify(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if _, err = s.Sample(context.Background(), 1); err != nil {
			break
		}
	}
	var call *vk.CallError
	if !errors.Is(err, vk.ErrDeviceLost) || !errors.As(err, &call) {
		t.Errorf("lost device: %v", err)
	}
}

// TestWindowsBeforeMemory: what no launch can bind is refused before memory is taken.
func TestWindowsBeforeMemory(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	_, err := limited(t, "automata/life", 256, adapters, 2000, 0) // a window across two buffers
	if err == nil || !strings.Contains(err.Error(), "placing arrays") || !strings.Contains(err.Error(), "array board does not fit one binding") {
		t.Errorf("%v", err)
	}
}
