package report_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/result"
)

// example is the result of which docs/formats.md shows every format: one workload
// on one and two devices, with the spans of a copy that is partly hidden, and of what the
// devices did before and after.
func example() *result.Result {
	res := quick()
	kept := res.Trials[:0]
	for _, t := range res.Trials {
		if t.Workload != "linalg/matmul" || t.Mode != "strong" {
			continue
		}
		t.Transport = "host"
		t.Reps = 1
		const start = 2e-5
		last := 0.0
		for k := range t.Devices {
			last = max(last, start+t.Times.At(0).Compute[k]+t.Times.At(0).Transfer[k])
		}
		for k, d := range t.Devices {
			add := func(kind, label string, from, to float64) {
				if to > from {
					t.Spans = append(t.Spans, result.Span{Device: d, Kind: kind, Label: label, Start: from, End: to})
				}
			}
			c, x := start+t.Times.At(0).Compute[k], t.Times.At(0).Transfer[k]
			add("host", "start", 0, start)
			add("compute", "", start, c)
			add("transfer", "", c-x, c+x)
			add("wait", "", c+x, last)
			add("host", "end", last, last+1e-5)
		}
		kept = append(kept, t)
	}
	res.Trials = kept
	return res
}

// shown is how many lines of a long format the document shows.
var shown = map[string]int{"json": 30, "csv": 2, "openmetrics": 32, "trace": 18}

// TestFormatsDocument: docs/formats.md has a section with an example for every
// format, and the example is what the format writes today.
func TestFormatsDocument(t *testing.T) {
	path := filepath.Join("..", "docs", "formats.md")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(raw)
	for _, name := range report.Formats() {
		if !strings.Contains(doc, "\n## "+name+"\n") {
			t.Errorf("%s has no section %q", path, "## "+name)
		}
		block := regexp.MustCompile(`(?s)(<!-- example ` + name + ` -->\n).*?(<!-- end -->\n)`)
		if n := len(block.FindAllString(doc, -1)); n != 1 {
			t.Errorf("%s has %d examples of %s", path, n, name)
			continue
		}
		fresh := exampleOf(t, name)
		doc = block.ReplaceAllStringFunc(doc, func(old string) string {
			m := block.FindStringSubmatch(old)
			return m[1] + fresh + m[2]
		})
	}
	golden(t, path, []byte(doc))
}

// exampleOf is a fenced block; formats for the eye show the names of their files.
func exampleOf(t *testing.T, name string) string {
	dir := t.TempDir()
	paths, err := report.Render(example(), []string{name}, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "```text\n")
	if name == "html" || name == "png" || name == "svg" {
		for _, p := range paths {
			fmt.Fprintln(&b, filepath.Base(p))
		}
	} else {
		content, err := os.ReadFile(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(strings.TrimSuffix(string(content), "\n")+"\n", "\n")
		lines = lines[:len(lines)-1]
		limit := shown[name]
		if limit == 0 || limit > len(lines) {
			limit = len(lines)
		}
		for _, l := range lines[:limit] {
			b.WriteString(l)
		}
		if limit < len(lines) {
			fmt.Fprintf(&b, "... %d more lines\n", len(lines)-limit)
		}
	}
	fmt.Fprintf(&b, "```\n")
	return b.String()
}
