package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

func TestRenderFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	var out bytes.Buffer
	paths, err := report.Render(scaling(), report.Formats(), dir, &out)
	if err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 {
		t.Error("with a folder something went to the terminal")
	}
	var names []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", p, err)
			continue
		}
		names = append(names, filepath.Base(p))
	}
	for _, want := range []string{"report.txt", "report.html", "report.md", "report.csv", "report.json",
		"report.junit.xml", "report.bench.txt", "report.bmf.json", "report.prom", "report.trace.json",
		"linalg-matmul-speedup.png", "linalg-matmul-efficiency.png", "relativity-nbody-speedup.svg"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s among %v", want, names)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(paths) {
		t.Errorf("%d files named, %d made", len(paths), len(entries))
	}
	res, err := result.Read(filepath.Join(dir, "report.json"))
	if err != nil || len(res.Summary) != 32 {
		t.Errorf("report.json: %v", err)
	}
}

// TestTrainingFiles: loss curves are files of their own, also of workloads whose names
// differ in signs only.
func TestTrainingFiles(t *testing.T) {
	res, two, one := scaling(), 2.0, 1.0
	for _, i := range []int{0, 1} {
		res.Trials[i].Key.Workload = []string{"a/learns", "a-learns"}[i]
		res.Trials[i].Outcome = &result.Outcome{Training: &result.Training{Steps: []int64{0, 1}, Losses: []result.Loss{{Name: "total", Values: []*float64{&two, &one}}}}}
	}
	paths, err := report.Render(res, []string{"png", "svg"}, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a-learns-training.png", "a-learns-training-2.png", "a-learns-training.svg", "a-learns-training-2.svg"} {
		if !slices.ContainsFunc(paths, func(p string) bool { return filepath.Base(p) == want }) {
			t.Errorf("no %s among %v", want, paths)
		}
	}
}

func TestRenderToWriter(t *testing.T) {
	for format, want := range map[string]string{"text": "linalg/matmul  strong", "md": "## linalg/matmul", "csv": "workload,mode", "json": `"schema": "amgpu/v1"`, "html": "<!DOCTYPE html>",
		"junit": "<testsuites ", "benchfmt": "\nBenchmarkLinalg.matmul/mode=strong/", "bmf": `"latency": {`, "openmetrics": "# EOF\n", "trace": `{"traceEvents":[`} {
		var b bytes.Buffer
		paths, err := report.Render(scaling(), []string{format}, "", &b)
		if err != nil || len(paths) > 0 || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v, %v", format, paths, err)
		}
	}
}

// TestRenderWith: what was asked for reaches every format that can show it.
func TestRenderWith(t *testing.T) {
	o := report.Options{Ask: stat.Ask{Predict: []int{16}}, Factors: true}
	for format, wants := range map[string][]string{
		"text": {"N=16 by Amdahl: ", "parallel efficiency"},
		"md":   {"N=16 by Amdahl: ", "| parallel efficiency"},
		"html": {"N=16 by Amdahl: ", "parallel efficiency"},
		"json": {`"law": "amdahl"`, `"count": 16`, `"load_balance": {`},
	} {
		var b bytes.Buffer
		if _, err := report.RenderWith(scaling(), []string{format}, "", &b, o); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(b.String(), "\u2003", " ")
		for _, want := range wants {
			if !strings.Contains(text, want) && !strings.Contains(strings.ReplaceAll(text, "  ", " "), want) {
				t.Errorf("%s: no %q", format, want)
			}
		}
	}
	var b bytes.Buffer
	if _, err := report.Render(scaling(), []string{"text"}, "", &b); err != nil || strings.Contains(b.String(), "parallel efficiency") || strings.Contains(b.String(), "N=16") {
		t.Error("shown without being asked for")
	}
}

// TestInterruptedIsSaid: a result that holds less than its plan says so in every format
// for people and in JSON, also one that an older amgpu wrote without the warning.
func TestInterruptedIsSaid(t *testing.T) {
	res := quick()
	res.Plan.Order = make([]result.PlannedCell, len(res.Trials)+5)
	want := fmt.Sprintf("interrupted, %d of %d launches", len(res.Trials), len(res.Trials)+5)
	for _, format := range []string{"text", "md", "html", "json"} {
		var b bytes.Buffer
		if _, err := report.Render(res, []string{format}, "", &b); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s does not say %q (%v)", format, want, err)
		}
	}
	var b bytes.Buffer
	if _, err := report.Together([]report.Named{{Name: "a", Result: res}, {Name: "b", Result: quick()}}, "", &b, report.Options{}); err != nil || !strings.Contains(b.String(), want) {
		t.Errorf("the comparison does not say %q (%v)", want, err)
	}
}

// TestBrokenIdentity: numbers that contradict each other are an error of their own,
// after the rest was written.
func TestBrokenIdentity(t *testing.T) {
	res := quick()
	res.Trials[0].Warnings = []result.Warning{{Code: stat.IdentityBroken, Text: "internal: factors multiply to 2"}}
	for _, dir := range []string{"", t.TempDir()} {
		var b bytes.Buffer
		paths, err := report.Render(res, []string{"text"}, dir, &b)
		if !errors.Is(err, report.ErrInternal) || !strings.Contains(err.Error(), "factors multiply to 2") || b.Len() == 0 && len(paths) == 0 {
			t.Errorf("%v, %v", paths, err)
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		formats []string
		dir     string
		kind    error
		says    string
	}{
		{[]string{"pdf"}, "", report.ErrRequest, "use text, html"},
		{nil, "", report.ErrRequest, "no format"},
		{[]string{"text", "png"}, "", report.ErrRequest, "-o"},
		{[]string{"text"}, blocked, report.ErrOutput, "cannot make the folder"},
		{[]string{"text"}, filepath.Join(blocked, "x"), report.ErrOutput, "cannot make the folder"},
	} {
		var b bytes.Buffer
		paths, err := report.Render(quick(), c.formats, c.dir, &b)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) || len(paths) > 0 || b.Len() > 0 {
			t.Errorf("%v into %q: %v", c.formats, c.dir, err)
		}
	}
	// A folder where a file belongs: the error names the file, no scrap stays.
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "report.txt", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := report.Render(quick(), []string{"text"}, dir, nil); !errors.Is(err, report.ErrOutput) || !strings.Contains(err.Error(), "report.txt") {
		t.Errorf("%v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("a temporary file stayed: %v", entries)
	}
}

// TestHostileFileNames: a workload's name decides no path.
func TestHostileFileNames(t *testing.T) {
	for _, name := range []string{"../../etc/passwd", "/abs/olute", "..", "", "a\x00b", strings.Repeat("x", 5000), "-rf", ".hidden"} {
		res := unequal()
		for i := range res.Trials {
			res.Trials[i].Workload = name
		}
		dir := t.TempDir()
		paths, err := report.Render(res, []string{"svg"}, dir, nil)
		if err != nil || len(paths) != 2 {
			t.Errorf("%.20q: %v, %v", name, paths, err)
		}
		for _, p := range paths {
			if base := filepath.Base(p); filepath.Dir(p) != dir || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "-") {
				t.Errorf("%.20q becomes %s", name, p)
			}
		}
	}
}

// ten is 4 counts of 10 workloads, strong and weak: the size that must render
// within 2 s.
func ten() *result.Result {
	base := scaling()
	res := *base
	res.Trials = nil
	for i := range 10 {
		for _, t := range base.Trials {
			if t.Workload == "linalg/matmul" {
				t.Workload = "family/workload" + string(rune('a'+i))
				res.Trials = append(res.Trials, t)
			}
		}
	}
	return &res
}

func BenchmarkReport(b *testing.B) {
	res := ten()
	for _, formats := range [][]string{{"text"}, {"html"}, {"html", "png"}, report.Formats()} {
		b.Run(strings.Join(formats, "+"), func(b *testing.B) {
			dir := b.TempDir()
			for b.Loop() {
				if _, err := report.Render(res, formats, dir, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestMemory bounds what a report of 10,000 trials of 200 samples holds at once.
func TestMemory(t *testing.T) {
	base := ten()
	res := *base
	res.Trials = nil
	for i := range 10_000 {
		trial := base.Trials[i%len(base.Trials)]
		trial.Launch, trial.Times = i, result.Times{}
		samples := make([]float64, 200)
		for k := range samples {
			samples[k] = trial.Samples[k%len(trial.Samples)] + float64(i*200+k)*1e-12
		}
		trial.Samples = samples
		res.Trials = append(res.Trials, trial)
	}
	peak := watchHeap(t, func() {
		if _, err := report.Render(&res, []string{"text", "html", "csv"}, t.TempDir(), nil); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("peak heap %d MB", peak>>20)
	if peak > 500<<20 {
		t.Errorf("the heap reached %d MB", peak>>20)
	}
}

// watchHeap runs f and returns the largest heap seen meanwhile, in bytes.
func watchHeap(t *testing.T, f func()) uint64 {
	t.Helper()
	done, peak := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-done:
				peak <- most
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	f()
	close(done)
	return <-peak
}
