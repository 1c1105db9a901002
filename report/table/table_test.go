package table_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
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
	for _, name := range []string{"scaling", "unequal", "quick", "solo", "hostile", "job"} {
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

// TestFactors: the table of measurement.md A10, asked for, in text and Markdown.
func TestFactors(t *testing.T) {
	for _, name := range []string{"unequal", "quick"} {
		doc := table.Build(load(t, name))
		doc.WithFactors = true
		var text, md bytes.Buffer
		if err := table.Text(&text, doc); err != nil {
			t.Fatal(err)
		}
		if err := table.Markdown(&md, doc); err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", name+"-factors.txt"), text.Bytes())
		golden(t, filepath.Join("testdata", name+"-factors.md"), md.Bytes())
	}
}

// TestLostNamesTheLargest: a gain that explains the row is not hidden by losses.
func TestLostNamesTheLargest(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	r := result.Summary{Count: 2, Base: 1, Efficiency: &result.Value{Value: 1.3}, Lost: &result.Lost{Imbalance: f(.01), Serialization: f(.03),
		Transfer: f(.18), Orchestration: f(.15), Rate: f(-.67)}}
	if got, want := table.Lost(r), "gained by computation scaling 67.0 %, transfer 18.0 %, orchestration 15.0 %, ..."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Lost.Clock = f(.5)
	if got, want := table.Lost(r), "gained by rate 67.0 %, clock 50.0 %, transfer 18.0 %, ..."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Lost.Clock = nil
	r.Lost.Rate, r.Lost.Transfer = f(-.004), f(.0005)
	if got, want := table.Lost(r), "orchestration 15.0 %, serialization 3.0 %, imbalance 1.0 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestNoise: what the A/A test found is printed.
func TestNoise(t *testing.T) {
	res := load(t, "solo")
	res.Noise = &result.Noise{Phi: .0123, Q95: .0123, Comparisons: 12, Launches: 8, Detectable: .034}
	const want = "noise floor (A/A) 1.2 %, smallest detectable change 3.4 % (12 comparisons, 8 launches a row, 95 % of the differences within 1.2 %)"
	var text, md bytes.Buffer
	if err := table.Text(&text, table.Build(res)); err != nil || !strings.Contains(text.String(), want) {
		t.Errorf("%v: %s", err, text.String())
	}
	if err := table.Markdown(&md, table.Build(res)); err != nil || !strings.Contains(md.String(), "- "+want) {
		t.Errorf("%v: %s", err, md.String())
	}
}

// TestPredictions: what a law expects, and why it expects nothing.
func TestPredictions(t *testing.T) {
	res := load(t, "scaling")
	rows, laws, warnings := stat.SummaryFor(res, stat.Ask{Predict: []int{16, 64}})
	var text bytes.Buffer
	if err := table.Text(&text, table.Layout(res, rows, laws, warnings)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"N=16 by Amdahl: ", "N=16 by Gustafson: ", "TFLOP/s ±", ", speedup 1", ", efficiency 0.", "N=64: not predicted: more than twice the largest count measured (8)"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not said:\n%s", want, text.String())
		}
	}
}

// TestNoRateIsZeroOrInfinite: whatever went wrong, "-" stands for no number.
func TestNoRateIsZeroOrInfinite(t *testing.T) {
	res := load(t, "scaling")
	for i := range res.Trials {
		tr := &res.Trials[i]
		switch i % 3 {
		case 0:
			tr.Samples, tr.Times = []float64{0, 0}, result.Times{}
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
