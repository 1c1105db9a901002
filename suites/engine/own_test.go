package engine

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites/own"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
	"github.com/amgpu/amgpu/vk/vktest"
)

func saxpy(t *testing.T) *own.Workload {
	t.Helper()
	dir := filepath.Join("..", "own", "testdata")
	w, err := own.Load(t.Context(), filepath.Join(dir, "saxpy.spv"), filepath.Join(dir, "saxpy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A kernel with a push layout of its own runs in parts that each fit a binding,
// and over arrays that lie in several buffers: with the same outputs.
func TestOwnKernelIsCut(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	digests := map[string]bool{}
	for _, spec := range []Spec{{}, {testOnlyBindingLimit: 1 << 16}, {testOnlyBufferLimit: 100_000}} {
		w := saxpy(t)
		spec.Workload, spec.Adapters, spec.Transport = w, adapters, "auto"
		spec.Build = suitetest.Build(w, 100_003, 2)
		s, err := Launch(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Verify(t.Context(), true)
		if err != nil || v.Outcome.Wrong != "" || v.Outcome.Checked != 100_003 {
			t.Errorf("%+v %v", v.Outcome, err)
		}
		digests[v.Digest] = true
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(digests) != 1 {
		t.Errorf("digests differ: %v", digests)
	}
}

// Windows that would begin where the kernel cannot know are refused.
func TestOwnKernelNeedsAlignedWindows(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	w := saxpy(t)
	p, err := w.Build(suitetest.Build(w, 1000, 1))
	if err != nil {
		t.Fatal(err)
	}
	d := p.Steps[0].(program.Dispatch)
	d.On[0].First, d.On[0].Units = 3, 900
	s, err := Launch(t.Context(), Spec{Workload: fixture{prog: p}, Adapters: adapters, Transport: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Verify(t.Context(), true); err == nil || !strings.Contains(err.Error(), "12 bytes after a multiple of 256") {
		t.Errorf("error %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
