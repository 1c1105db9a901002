package table_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/table"
)

var update = flag.Bool("update", false, "rewrite golden files")

func load(t *testing.T, name string) *result.Result {
	t.Helper()
	res, err := result.Read(filepath.Join("..", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		if err := os.WriteFile(path+".new", got, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s differs; compare with %s.new, then run go test -update", path, path)
	}
}

func TestGolden(t *testing.T) {
	for _, name := range []string{"scaling", "unequal", "quick", "solo", "hostile"} {
		doc := table.Build(load(t, name))
		var text, md bytes.Buffer
		if err := table.Text(&text, doc); err != nil {
			t.Fatal(err)
		}
		if err := table.Markdown(&md, doc); err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", name+".txt"), text.Bytes())
		golden(t, filepath.Join("testdata", name+".md"), md.Bytes())
	}
}

// TestNoRateIsZeroOrInfinite: whatever went wrong, "-" stands for no number.
func TestNoRateIsZeroOrInfinite(t *testing.T) {
	res := load(t, "scaling")
	for i := range res.Trials {
		tr := &res.Trials[i]
		switch i % 3 {
		case 0:
			tr.Samples, tr.Times = []float64{0, 0}, nil
		case 1:
			tr.Work.Value = 0
		}
	}
	var b bytes.Buffer
	if err := table.Text(&b, table.Build(res)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"NaN", "Inf", " 0 FLOP", "0.00 TFLOP", " 0 B/s"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%q is printed:\n%s", bad, b.String())
		}
	}
}

func TestTextSteersNoTerminal(t *testing.T) {
	var b bytes.Buffer
	if err := table.Text(&b, table.Build(load(t, "hostile"))); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x1b\u202e\r") {
		t.Error("control characters reach the terminal")
	}
}

func TestMarkdownKeepsNamesInert(t *testing.T) {
	var b bytes.Buffer
	if err := table.Markdown(&b, table.Build(load(t, "hostile"))); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<") {
		t.Error("a name opens a tag")
	}
	width := 0
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, "|") {
			width = 0
			continue
		}
		n := strings.Count(line, "|") - strings.Count(line, `\|`)
		if width != 0 && n != width {
			t.Errorf("a name makes another column: %s", line)
		}
		width = n
	}
}

type failing struct{ after int }

func (f *failing) Write(p []byte) (int, error) {
	if f.after -= len(p); f.after < 0 {
		return 0, os.ErrClosed
	}
	return len(p), nil
}

func TestWriteErrors(t *testing.T) {
	doc := table.Build(load(t, "quick"))
	for after := range 40 {
		if table.Text(&failing{after * 20}, doc) == nil || table.Markdown(&failing{after * 20}, doc) == nil {
			t.Fatal("a write error is lost")
		}
	}
}

func TestEmpty(t *testing.T) {
	var b bytes.Buffer
	if err := table.Text(&b, table.Build(&result.Result{})); err != nil || !strings.Contains(b.String(), "no rows") {
		t.Errorf("%q, %v", b.String(), err)
	}
}
