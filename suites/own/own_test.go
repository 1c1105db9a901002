package own

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites/program"
)

func TestExpressions(t *testing.T) {
	values := map[string]float64{"n": 1000, "width": 7}
	for text, want := range map[string]float64{
		"n": 1000, "2*n+1": 2001, "2 + 3 * 4": 14, "(2 + 3) * 4": 20, "10 - 3 - 2": 5, "64 / 4 / 2": 8,
		"ceil(n / 256)": 4, "floor(n / 256)": 3, "n % width": 6, "-3 % 5": 2, "-(2)": -2, "--2": 2,
		"min(n, 3, width)": 3, "max(n, 2000)": 2000, "1e3 + .5": 1000.5, "1.5e-1*2": 0.3, "- 2 * - 3": 6,
	} {
		e, err := parseExpr(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := e.number(&scope{values: values}); err != nil || math.Abs(got-want) > 1e-15 {
			t.Errorf("%s = %v, want %v (%v)", text, got, want, err)
		}
	}
}

// Whole numbers wrap like 32-bit arithmetic does and divide downwards.
func TestWholeExpressions(t *testing.T) {
	for text, want := range map[string]uint32{
		"i * 2654435761 + 1": uint32(uint64(3000000000)*2654435761&0xffffffff) + 1, "floor(i / 7)": 428571428, "ceil(i / 7)": 428571429,
		"floor((0 - 7) / 2)": 0xfffffffc, "ceil((0 - 7) / 2)": 0xfffffffd, "(0 - 1) % 8": 7, "max(3, i) - min(3, i)": 2999999997, "-1": 0xffffffff,
		"x0[i % 10] * 3": 27, "floor(5)": 5,
	} {
		e, err := parseExpr(text)
		if err == nil {
			err = e.root.wholes(text)
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		s := &scope{values: map[string]float64{"i": 3000000000}, whole: func(_ int, i int64) (int64, error) { return i + 9, nil }}
		if got := uint32(e.root.whole(s)); got != want || s.err != nil {
			t.Errorf("%s = %d, want %d (%v)", text, got, want, s.err)
		}
	}
	s := &scope{}
	e, err := parseExpr("floor(1 / 0)")
	if err != nil {
		t.Fatal(err)
	}
	if e.root.whole(s); s.err == nil {
		t.Error("a division by zero passed")
	}
}

// Nested calls take time in proportion to their number.
func TestNestedCallsAreCheap(t *testing.T) {
	text := "1"
	for range maxExprDepth - 2 {
		text = "min(2, " + text + ")"
	}
	e, err := parseExpr(text)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := e.number(&scope{}); v != 1 || err != nil { // would not end in this century
		t.Errorf("%v %v", v, err)
	}
}

func TestExpressionsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"": "ends where", "1 +": "ends where", "(1": "not closed", "ceil(1": "not closed", "x0[1": "not closed", "1 2": "left over",
		"sin(1)": `no function "sin"`, "cel(1)": "did you mean ceil?", "min(1)": "1 arguments", "y[1]": "written x0[..]", "1e999": "no number",
		"1..2": "no number", "$": "not understood", strings.Repeat("(", 50) + "1": "deeper than", strings.Repeat("-", 50) + "1": "deeper than",
		strings.Repeat("1+", 600) + "1": "bytes, at most",
	} {
		if _, err := parseExpr(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzExpression(f *testing.F) {
	for _, text := range []string{"ceil(n / 256)", "a * x0[i] + i", "x0[row * width + (col + 1) % width]", "-1e3", "min(max(1,2),n)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parseExpr(text)
		if err != nil {
			return
		}
		s := &scope{
			values: map[string]float64{"n": 5},
			real:   func(int, int64) (float64, error) { return 1, nil },
			whole:  func(int, int64) (int64, error) { return 1, nil },
		}
		if v, err := e.size(map[string]float64{"n": 5}, 100); !strings.Contains(text, "[") && err == nil && (v < 0 || v > 100) {
			t.Errorf("%q gave a size of %d", text, v)
		}
		_, magnitude := e.root.real(s)
		if magnitude < 0 {
			t.Errorf("%q has magnitude %v", text, magnitude)
		}
		e.root.whole(s)
	})
}

func bytesOf(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".spv"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestReflect(t *testing.T) {
	m, err := Reflect(bytesOf(t, "stencil"))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Entries) != 1 || m.Entries[0].Name != "main" || m.Push != 8 || len(m.Needs) != 0 || m.Shared != 0 {
		t.Errorf("%+v", m)
	}
	if got := m.Entries[0].GroupSize(nil); got != [3]uint32{1, 1, 1} {
		t.Errorf("work-groups of %v by default", got)
	}
	if got := m.Entries[0].GroupSize(specOf(t, "stencil")); got != [3]uint32{64, 1, 1} {
		t.Errorf("specialized work-groups of %v", got)
	}
	if len(m.Buffers) != 2 || !m.Buffers[0].Readonly || !m.Buffers[1].Written || m.Buffers[0].Type != "f32" {
		t.Errorf("buffers %+v", m.Buffers)
	}
	if len(m.Spec) != 2 || m.Spec[1].Default != 64 {
		t.Errorf("constants %+v", m.Spec)
	}
	for name, want := range map[string]string{"wide": "int64", "far": "float32-atomics", "bytes": "int8 storage8"} {
		m, err := Reflect(bytesOf(t, name))
		if err != nil || strings.Join(m.Needs, " ") != want {
			t.Errorf("%s needs %v (%v)", name, m.Needs, err)
		}
	}
}

// specOf is the specialization of an example.
func specOf(t *testing.T, name string) []program.Spec {
	t.Helper()
	k, err := ReadKernel(filepath.Join("testdata", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := Reflect(bytesOf(t, name))
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(k, m)
	if err != nil {
		t.Fatal(err)
	}
	return w.spec
}

// A module cut anywhere, or with any word replaced by a hostile one, is refused or
// read, never a crash or a long computation.
func TestHostileModules(t *testing.T) {
	for _, name := range []string{"saxpy", "stencil", "wide"} {
		good := bytesOf(t, name)
		for end := range len(good) {
			if _, err := Reflect(good[:end]); !errors.Is(err, ErrInput) {
				t.Fatalf("%s cut at %d: %v", name, end, err)
			}
		}
		for at := 0; at+4 <= len(good); at += 4 {
			for _, evil := range []uint32{0, 1, 0xffffffff, 0x7fffffff, 0x0001ffff, 15} {
				data := slices.Clone(good)
				binary.LittleEndian.PutUint32(data[at:], evil)
				if m, err := Reflect(data); err == nil {
					_ = Starter(m, "evil")
				} else if !errors.Is(err, ErrInput) {
					t.Fatalf("%s word %d = %#x: %v", name, at/4, evil, err)
				}
			}
		}
	}
	for want, data := range map[string][]byte{
		"too short": nil, "no SPIR-V": []byte("#version 460\nvoid main(){ }\n"), "cut off": append(bytesOf(t, "saxpy"), 0),
	} {
		if _, err := Reflect(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func FuzzReflect(f *testing.F) {
	for _, name := range []string{"saxpy", "stencil", "wide", "far"} {
		f.Add(bytesOf(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Reflect(data)
		if err != nil {
			if !errors.Is(err, ErrInput) {
				t.Error(err)
			}
			return
		}
		if _, err := ParseKernel(strings.NewReader(strings.ReplaceAll(Starter(m, "x"), fillIn, "1"))); err != nil && len(m.Buffers) > 0 {
			t.Errorf("the starting description is refused: %v", err)
		}
	})
}

func TestStarter(t *testing.T) {
	for _, name := range []string{"saxpy", "stencil", "wide"} {
		m, err := Reflect(bytesOf(t, name))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(Starter(m, name+".spv"), fillIn, "n")
		k, err := ParseKernel(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		if _, err := New(k, m); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

func TestDescriptionsRefused(t *testing.T) {
	data, err := os.ReadFile("testdata/saxpy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	m, err := Reflect(bytesOf(t, "saxpy"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want string }{
		{good, "", "kernel init"},
		{good, "- 1", "expected `key: value`"},
		{"divide:", "dvide:", "did you mean divide?"},
		{"fill: iota", "fill: iotta", "did you mean iota?"},
		{"access: read_write", "acces: read_write", "did you mean access?"},
		{"type: f32, count: n, fill: philox", "type: f33, count: n, fill: philox", `line 6: type: "f33" is not understood`},
		{"n: {S: 1048576, M: 67108864, L: 1073741824}", "", "n is missing"},
		{"n: {S: 1048576,", "n: {S: 0,", "whole number from 1"},
		{"n: {S: 1048576,", "n: {", "no S: the size"},
		{"flops: 2", "flops: 2\nflops: 3", "given twice"},
		{"flops: 2", "flops: n", `no value "n"`},
		{"groups: [ceil(n / 256), 1, 1]", "groups: [ceil(m / 256)]", `no value "m"`},
		{"groups: [ceil(n / 256), 1, 1]", "groups: [1, 1, 1, 1]", "at most 3"},
		{"a * x0[i] + x1[i]", "b * x0[i]", `no value "b"`},
		{"a * x0[i] + x1[i]", "n * x0[i]", "differ between counts"},
		{"a * x0[i] + x1[i]", "a * x7[i]", "no binding 7"},
		{"a * x0[i] + x1[i]", "a * x0[i / 2]", "floor(a / b)"},
		{"count: n, fill: philox", "count: \"x0[1]\", fill: philox", "only be used in `expect`"},
		{"tolerance: 2u", "tolerance: 2", "such as 2u"},
		{"fill: philox", "fill: philox, range: [0, 1e39]", "does not fit type f32"},
		{"fill: philox", "fill: philox, range: [-3e38, 3e38]", "their difference"},
		{", expect: \"a * x0[i] + x1[i]\"", "", "tolerance without"},
		{", expect: \"a * x0[i] + x1[i]\", tolerance: 2u", "", "say what the kernel must compute"},
		{"flops: 2", "unchecked: true", "contradicts"},
		{"fill: philox", "fill: file", "belong together"},
		{"fill: philox", "fill: constant", "fill: constant needs its value"},
		{"fill: philox", "fill: philox, value: 0", "value belongs to fill: constant"},
		{"value: n}", "value: FILL_IN}", "line 8: value: fill it in"},
		{"count: n, fill: iota", "count: n, fill: constant, value: -", "expected a number"},
		{"{binding: 1,", "{binding: 0,", "described twice"},
		{"{binding: 1,", "{binding: 2,", "there is no binding 1"},
		{"  - {binding: 0, type: f32, count: n, fill: philox, access: read}\n", "  - {binding: 2, type: f32, count: n, fill: philox}\n", "there is no binding 0"},
		{"fill: philox, access: read", "fill: philox, access: write", "declares it readonly"},
		{"fill: philox, access: read", "access: read", "first contents are undefined"},
		{"push: [{type: u32, value: n}, ", "push: [", "push: 4 bytes"},
		{"flops: 2", "spec: [{id: 4, type: u32, value: 1}]", "no specialization constant 4"},
		{"flops: 2", "entry: start", `no compute entry point "start"`},
		{"type: f32, count: n, fill: iota", "type: u32, count: n, fill: iota", "tolerance: type u32 is compared exactly"},
		{"divide: elements", "width: 3", "belongs to divide: rows"},
		{"divide: elements", "a: &a 1\nb: *a", "no key \"a\""},
		{"flops: 2", "flops: &x 2\nbytes: *x #", "aliases"},
		{"name: a}]", "name: total}]", "is taken"},
		{"bytes: 12", "bytes: 12\n---\nn: 1", "second document"},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		if text == good {
			t.Errorf("%q is not in the example", c.from)
			continue
		}
		k, err := ParseKernel(strings.NewReader(text))
		if err == nil {
			_, err = New(k, m)
		}
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: error %v, want %q", c.to, c.from, err, c.want)
		}
	}
}

func FuzzKernelYAML(f *testing.F) {
	for _, name := range []string{"saxpy", "stencil", "wide", "far"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	m, err := Reflect(bytesOf(f, "saxpy"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := ParseKernel(strings.NewReader(text))
		if err != nil {
			if !errors.Is(err, ErrInput) {
				t.Error(err)
			}
			return
		}
		if w, err := New(k, m); err == nil {
			_ = w.Info()
		}
	})
}

// TestImagesAreNamed: a module that binds an image, a sampler or an acceleration structure
// is not damaged, and what is wrong is said.
func TestImagesAreNamed(t *testing.T) {
	good := bytesOf(t, "saxpy")
	words := make([]uint32, len(good)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(good[4*i:])
	}
	at := 5
	for words[at]&0xffff != opFunction {
		at += int(words[at] >> 16)
	}
	image, pointer, variable := words[3], words[3]+1, words[3]+2
	for op, args := range map[uint32][]uint32{opTypeImage: {1, 1, 0, 0, 0, 2, 4}, opTypeSampler: nil, opTypeAcceleration: nil} {
		more := append([]uint32{uint32(2+len(args))<<16 | op, image}, args...)
		more = append(more, 4<<16|opTypePointer, pointer, 0, image, 4<<16|opVariable, pointer, variable, 0)
		module := slices.Concat(words[:at], more, words[at:])
		module[3] += 3
		var data []byte
		for _, w := range module {
			data = binary.LittleEndian.AppendUint32(data, w)
		}
		if _, err := Reflect(data); err == nil || !strings.Contains(err.Error(), "image or sampler") {
			t.Errorf("type %d: %v", op, err)
		}
	}
}
