package own_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/own"
	"github.com/amgpu/amgpu/suites/suitetest"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

func load(t *testing.T, shader, description string) *own.Workload {
	t.Helper()
	w, err := own.Load(t.Context(), filepath.Join("testdata", shader+".spv"), description)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func example(t *testing.T, name string) *own.Workload {
	t.Helper()
	return load(t, name, filepath.Join("testdata", name+".yaml"))
}

// described writes a description beside the test's other files.
func described(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kernel.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// measure checks in full, samples and confirms.
func measure(t *testing.T, w suites.Workload, b suites.Build, adapters []*vk.Adapter) engine.Verification {
	t.Helper()
	b.Limits = engine.PoolLimits(adapters)
	ctx := context.Background()
	s, err := engine.Launch(ctx, engine.Spec{Workload: w, Build: b, Adapters: adapters, Transport: "auto"})
	if err != nil {
		t.Fatalf("launch: %v", err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	v, err := s.Verify(ctx, true)
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	if v.Outcome.Wrong != "" {
		return v
	}
	for range 2 {
		if _, err := s.Sample(ctx, 2); err != nil {
			t.Fatalf("sample: %v", err)
		}
	}
	if wrong, err := s.Confirm(ctx); err != nil || wrong != "" {
		t.Fatalf("confirm: %s %v", wrong, err)
	}
	return v
}

// The worked examples of docs/own-kernel.md on 1, 2 and 3 devices, equally and
// unequally divided: right, and with the same bits.
func TestExamplesOnDevices(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	for _, c := range []struct {
		name  string
		size  int64
		class string
	}{{"saxpy", 100_003, "E1"}, {"stencil", 130, "E1"}, {"wide", 10_000, "E0"}, {"bytes", 3000, "D0"}} {
		t.Run(c.name, func(t *testing.T) {
			w := example(t, c.name)
			digests := map[string]bool{}
			for count := 1; count <= 3; count++ {
				b := suitetest.Build(w, c.size, count)
				for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
					if p, err := w.Build(b); err != nil {
						t.Fatal(err)
					} else if err := suitetest.Invariants(p, count); err != nil {
						t.Fatal(err)
					}
					v := measure(t, w, b, adapters[:count])
					if v.Outcome.Wrong != "" || v.Outcome.Class != c.class || c.class != "D0" && v.Outcome.Checked < c.size {
						t.Errorf("%d devices: %+v", count, v.Outcome)
					}
					digests[v.Digest] = true
				}
			}
			if len(digests) != 1 {
				t.Errorf("digests differ between counts: %v", digests)
			}
		})
	}
}

// More work-groups than one launch takes: the share runs in several, each with its
// own n.
func TestGridIsDivided(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	w := example(t, "saxpy")
	most := int64(adapters[0].Info().Limits.GroupCount[0])
	if most > 1<<17 {
		t.Fatalf("the software device takes %d work-groups: choose another way to test", most)
	}
	v := measure(t, w, suitetest.Build(w, 256*most+1000, 1), adapters)
	if v.Outcome.Wrong != "" {
		t.Error(v.Outcome.Wrong)
	}
}

// A description whose expected output is not what the kernel makes.
func TestWrongResult(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	text, err := os.ReadFile("testdata/saxpy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w := load(t, "saxpy", described(t, strings.Replace(string(text), "a * x0[i] + x1[i]", "a * x0[i] + x1[i] + 0.01", 1)))
	if v := measure(t, w, suitetest.Build(w, 4096, 2), adapters); !strings.Contains(v.Outcome.Wrong, "x1[0]") {
		t.Errorf("%+v", v.Outcome)
	}
}

// Files as input and as expected output, and outputs that are only compared
// between counts.
func TestFilesAndUnchecked(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	const n = 1000
	var x, y []byte
	for i := range n {
		x = appendFloat(x, float32(i)/8)
		y = appendFloat(y, 2*float32(i)/8+float32(i))
	}
	dir := t.TempDir()
	text := `
n: 1000
groups: ceil(n / local_x)
bindings:
  - {binding: 0, type: f32, count: n, fill: file, file: x.f32}
  - {binding: 1, type: f32, count: n, fill: iota, expect_file: y.f32, tolerance: 2u}
push: [{type: u32, value: n}, {type: f32, value: 2, name: a}]
`
	for name, data := range map[string][]byte{"x.f32": x, "y.f32": y, "k.yaml": []byte(text)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := load(t, "saxpy", filepath.Join(dir, "k.yaml"))
	if v := measure(t, w, suitetest.Build(w, n, 2), adapters); v.Outcome.Wrong != "" || v.Outcome.Checked != n {
		t.Errorf("%+v", v.Outcome)
	}
	if _, err := w.Build(suitetest.Build(w, n+1, 2)); err == nil || !strings.Contains(err.Error(), "x.f32 has 4000 bytes") {
		t.Errorf("a size beyond the file: %v", err)
	}
	y[40] ^= 1
	if err := os.WriteFile(filepath.Join(dir, "y.f32"), y, 0o600); err != nil {
		t.Fatal(err)
	}
	if v := measure(t, w, suitetest.Build(w, n, 2), adapters); v.Outcome.Wrong != "" {
		t.Errorf("one bit within the tolerance: %+v", v.Outcome)
	}
	y[43] ^= 0x40
	if err := os.WriteFile(filepath.Join(dir, "y.f32"), y, 0o600); err != nil {
		t.Fatal(err)
	}
	if v := measure(t, w, suitetest.Build(w, n, 2), adapters); !strings.Contains(v.Outcome.Wrong, "x1[10]") {
		t.Errorf("a wrong expected file: %+v", v.Outcome)
	}
	m, err := own.ReadModule("testdata/saxpy.spv")
	if err != nil {
		t.Fatal(err)
	}
	w = load(t, "saxpy", described(t, strings.ReplaceAll(own.Starter(m, "saxpy.spv"), "FILL_IN", "n")))
	if v := measure(t, w, suitetest.Build(w, n, 2), adapters); v.Outcome.Class != "D0" || v.Outcome.Checked != 0 || v.Digest == "" {
		t.Errorf("the starting description: %+v", v)
	}
}

func appendFloat(b []byte, v float32) []byte {
	w := math.Float32bits(v)
	return append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
}

// What a device lacks is named, whether the device or amgpu is the reason.
func TestUnsupportedFeature(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	w := example(t, "far")
	_, err := engine.Launch(t.Context(), engine.Spec{Workload: w, Build: suitetest.Build(w, 64, 1), Adapters: adapters, Transport: "auto"})
	if !errors.Is(err, vk.ErrUnsupported) || !strings.Contains(err.Error(), "float32-atomics") {
		t.Errorf("error %v", err)
	}
	// Work-groups larger than the device takes.
	text, err := os.ReadFile("testdata/stencil.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w = load(t, "stencil", described(t, strings.Replace(string(text), "{id: 0, type: u32, value: 64}", "{id: 0, type: u32, value: 1000000}", 1)))
	_, err = engine.Launch(t.Context(), engine.Spec{Workload: w, Build: suitetest.Build(w, 64, 1), Adapters: adapters, Transport: "auto"})
	if !errors.Is(err, engine.ErrUnsupported) || !strings.Contains(err.Error(), "1000000") {
		t.Errorf("error %v", err)
	}
}
