package own_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites/own"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// What can be read but not used is found before anything is measured, with the line
// and the field; the example itself and the other ones pass.
func TestTry(t *testing.T) {
	data, err := os.ReadFile("testdata/saxpy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	short := filepath.Join(t.TempDir(), "short.f32")
	if err := os.WriteFile(short, make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	array := filepath.Join(t.TempDir(), "x.npy")
	if err := os.WriteFile(array, suitetest.Npy("<f4", "8192,", make([]float32, 8192)), 0o600); err != nil {
		t.Fatal(err)
	}
	const groups, expect = "groups: [ceil(n / 256), 1, 1]", `expect: "a * x0[i] + x1[i]", tolerance: 2u`
	for _, c := range []struct {
		from, to string
		want     []string // of the error; none: no error
	}{
		{good, good, nil},
		{groups, "groups: 0", []string{"line 4: groups[0]: 0 is 0", "such as ceil(n / local_x)"}},
		{groups, "groups: -1", []string{"line 4: groups[0]", "-1 is -1", "from 1 on"}},
		{groups, "groups: n/0", []string{"line 4: groups[0]", "n/0 is +Inf", "divides by zero"}},
		{groups, "groups: [1, n / 3]", []string{"line 4: groups[1]", "not a whole number"}},
		{groups, "groups: first", []string{"line 4: groups[0]: first is 0"}},
		{"flops: 2", "flops: -2", []string{"line 9: flops: -2 per unit is -2", "above 0"}},
		{"bytes: 12", "bytes: 1/0", []string{"line 10: bytes", "above 0"}},
		{"{type: u32, value: n}", "{type: u32, value: 0-1}", []string{"line 8: push[0]: 0-1 is -1", "type u32 does not hold", "from 0 to 4294967295"}},
		{"{type: u32, value: n}", "{type: u32, value: n / 7}", []string{"line 8: push[0]", "whole number"}},
		{"value: 2.0", "value: 1/0", []string{"line 8: push[1]: 1/0 is +Inf", "type f32"}},
		{"count: n, fill: iota", "count: n-1, fill: iota", []string{"line 7: binding 1", "expected output needs a count that is a multiple of n"}},
		{"count: n, fill: iota", "count: 0 - n, fill: iota", []string{"line 7: count of binding 1 at n = 1"}},
		{"count: n, fill: philox", "count: 0, fill: philox", []string{"line 6: count of binding 0 is 0"}},
		{expect, `expect: "x0[i+1]"`, []string{"line 7: binding 1: expect at i = 4095 of 4096: x0[4096] lies outside its 4096 elements", "stays inside for every i, such as x0[min(i + 1, 4095)]"}},
		{"count: n, fill: philox", "count: n * n, fill: philox", []string{"x0[..]: every device has contents of its own", "multiple of n"}},
		{expect, `expect: "x0[i - 1]"`, []string{"expect at i = 0 of 4096: x0[-1] lies outside"}},
		{expect, `expect: "x0[i * i]"`, []string{"lies outside its 4096 elements"}},
		{expect, `expect: "1 / i"`, []string{"line 7: binding 1: expect at i = 0 of 4096 is +Inf"}},
		{expect, `expect: "x0[floor(i / (i - 5)) % 4]"`, []string{"division by zero"}},
		{expect, "expect_file: " + short, []string{"line 7: binding 1: expect_file", "has 1000 bytes", "needs 16384"}},
		{"fill: philox", "fill: file, file: " + short, []string{"line 6: binding 0", "has 1000 bytes", "give a longer file or a smaller --size"}},
		{"fill: philox", "fill: file, file: " + array, []string{"line 6: binding 0", "x.npy is a NumPy array (.npy): give the numbers alone"}},
		{"fill: philox", "fill: file, file: absent.f32", []string{"line 6: binding 0", "absent.f32: no such file"}},
		{"divide: elements", "multiple: 1000000", []string{"size 4096 is no multiple of 1000000", "choose 1000000"}},
		{"divide: elements", "halo: 4000", []string{"the halo is 4000 deep", "larger --size"}},
	} {
		path := described(t, strings.Replace(good, c.from, c.to, 1))
		w := load(t, "saxpy", path)
		err := w.Try(suitetest.Build(w, 4096, 2))
		if c.want == nil {
			if err != nil {
				t.Errorf("%s: %v", c.to, err)
			}
			continue
		}
		if !errors.Is(err, own.ErrInput) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v: not of kind ErrInput, or without its file", c.to, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: error %v, want %q", c.to, err, want)
			}
		}
	}
	for _, name := range []string{"stencil", "wide", "bytes", "far"} {
		w := example(t, name)
		if err := w.Try(suitetest.Build(w, w.Info().Sizes.S, 2)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A specialization constant must not make a work-group empty.
func TestEmptyWorkGroup(t *testing.T) {
	data, err := os.ReadFile("testdata/stencil.yaml")
	if err != nil {
		t.Fatal(err)
	}
	path := described(t, strings.Replace(string(data), "{id: 0, type: u32, value: 64}", "{id: 0, type: u32, value: 0}", 1))
	if _, err := own.Load(t.Context(), "testdata/stencil.spv", path); !errors.Is(err, own.ErrInput) || !strings.Contains(err.Error(), "work-groups of 0 x 1 x 1") {
		t.Errorf("%v", err)
	}
}
