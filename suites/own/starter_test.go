package own_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/suites/own"
	"github.com/amgpu/amgpu/suites/suitetest"
	"github.com/amgpu/amgpu/vk/vktest"
)

// Names that a module without debug information lacks leave no empty comment, and push
// values without names must be filled in: as 0 units they would be a kernel that
// computes nothing.
func TestStarterWithoutNames(t *testing.T) {
	m, err := own.ReadModule("testdata/saxpy.spv")
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Buffers {
		m.Buffers[i].Name = ""
	}
	for i := range m.PushWord {
		m.PushWord[i].Name = ""
	}
	text := own.Starter(m, "saxpy.spv")
	for line := range strings.Lines(text) {
		if line := strings.TrimRight(line, "\n"); strings.HasSuffix(line, "#") || strings.HasSuffix(line, " ") {
			t.Errorf("a comment without text: %q", line)
		}
	}
	for _, want := range []string{"line 11: value: fill it in", "line 12: value: fill it in"} {
		_, err := own.Load(t.Context(), "testdata/saxpy.spv", described(t, text))
		if !errors.Is(err, own.ErrInput) || !strings.Contains(err.Error(), want) {
			t.Fatalf("error %v, want %q\n%s", err, want, text)
		}
		text = strings.Replace(text, "value: FILL_IN", "value: n", 1)
	}
	w := load(t, "saxpy", described(t, text))
	if err := w.Try(suitetest.Build(w, 4096, 2)); err != nil {
		t.Error(err)
	}
}

// Names that say nothing of the value are left to be filled in as well; what the module
// leaves unused between its values is not.
func TestStarterGuessesNoCounts(t *testing.T) {
	m, err := own.ReadModule("testdata/saxpy.spv")
	if err != nil {
		t.Fatal(err)
	}
	m.Push, m.PushWord = 40, []own.Member{
		{Name: "rows", Type: "u32", Size: 4}, {Name: "scale", Type: "f32", Offset: 4, Size: 4},
		{Name: "v", Offset: 16, Size: 16}, {Name: "n", Type: "u64", Offset: 32, Size: 8},
	}
	var got []string
	for line := range strings.Lines(own.Starter(m, "saxpy.spv")) {
		if strings.HasPrefix(line, "  - {type") {
			got = append(got, strings.Fields(strings.NewReplacer("}", "", ",", "").Replace(line))[4])
		}
	}
	if s := strings.Join(got, " "); s != "FILL_IN 1.0 0 0 FILL_IN FILL_IN FILL_IN FILL_IN n" {
		t.Errorf("%s\n%s", s, own.Starter(m, "saxpy.spv"))
	}
}

// Elements narrower than a word come out as several to a unit, so that the description
// can be run as it is and every element is computed.
func TestStarterOfNarrowTypes(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	m, err := own.ReadModule("testdata/short.spv")
	if err != nil {
		t.Fatal(err)
	}
	const n = 1000 // units of two elements
	var x, y []byte
	for i := range 2 * n {
		x = binary.LittleEndian.AppendUint16(x, uint16(i))
		y = binary.LittleEndian.AppendUint16(y, uint16(i+1))
	}
	path := described(t, strings.NewReplacer("fill: philox", "fill: file, file: x.i16", "access: write", "access: write, expect_file: y.i16",
		"unchecked: true", "", "FILL_IN", "2 * n").Replace(own.Starter(m, "short.spv")))
	for name, data := range map[string][]byte{"x.i16": x, "y.i16": y} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := load(t, "short", path)
	if v := measure(t, w, suitetest.Build(w, n, 2), adapters); v.Outcome.Wrong != "" || v.Outcome.Checked != n {
		t.Errorf("%+v", v.Outcome)
	}
	for typ, want := range map[string]string{"f16": "count: 2 * n", "i8": "count: 4 * n", "f32": "count: n,"} {
		for i := range m.Buffers {
			m.Buffers[i].Type = typ
		}
		text := strings.ReplaceAll(own.Starter(m, "short.spv"), "FILL_IN", "n")
		k, err := own.ParseKernel(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		w, err := own.New(k, m)
		if err == nil {
			err = w.Try(suitetest.Build(w, n, 2))
		}
		if err != nil || strings.Count(text, want) != 2 {
			t.Errorf("%s: %v\n%s", typ, err, text)
		}
	}
}

// TestNoPipe: what is no plain file is refused at once, not waited for.
func TestNoPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	_, module := own.ReadModule(pipe)
	_, kernel := own.ReadKernel(pipe)
	_, folder := own.ReadModule(t.TempDir())
	for _, err := range []error{module, kernel, folder} {
		if !errors.Is(err, own.ErrInput) || !strings.Contains(err.Error(), "is no plain file") {
			t.Error(err)
		}
	}
}

// Buffers are as long as their elements lie apart: a shorter one would be written beyond
// its end.
func TestStarterOfShapes(t *testing.T) {
	m, err := own.ReadModule("testdata/shapes.spv")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(own.Starter(m, "shapes.spv"), "FILL_IN", "n")
	for _, want := range []string{
		"binding: 0, type: f32, count: 4 * n,", "binding: 1, type: u32, count: 8 * n,", "binding: 2, type: u32, count: n + 2,",
		"binding: 3, type: u32, count: 5,", "binding: 4, type: u32, count: 16 * n,",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	w := load(t, "shapes", described(t, text))
	if err := w.Try(suitetest.Build(w, 4096, 2)); err != nil {
		t.Error(err)
	}
}

// What the two files disagree on names the description, and no name where there is none.
func TestDisagreementNamesTheFile(t *testing.T) {
	path := described(t, "n: 64\ngroups: 1\nbindings:\n  - {binding: 1, type: f32, count: n, fill: zero}\nunchecked: true\n")
	_, err := own.Load(t.Context(), "testdata/saxpy.spv", path)
	want := "the module uses binding 0"
	if !errors.Is(err, own.ErrInput) || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "("+path+")") || strings.Contains(err.Error(), "()") {
		t.Errorf("%v", err)
	}
}
