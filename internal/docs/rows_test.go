package docs

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gpuRows are the rows that `make gpu-check` prints.
func gpuRows(t *testing.T) [][]string {
	t.Helper()
	var out [][]string
	for line := range strings.Lines(read(t, "scripts/gpu-rows.tsv")) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 7 {
			t.Fatalf("%q has %d fields", line, len(fields))
		}
		out = append(out, fields)
	}
	if len(out) < 15 {
		t.Fatalf("%d rows", len(out))
	}
	return out
}

// TestPerformanceRows: the table against bound and peers has the rows, commands and
// targets of the list that `make gpu-check` measures.
func TestPerformanceRows(t *testing.T) {
	_, text, ok := strings.Cut(read(t, "docs/performance.md"), "## Against bound and peers\n")
	text, _, _ = strings.Cut(text, "\n## ")
	if !ok {
		t.Fatal("the table is gone")
	}
	var have, want [][]string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if !strings.HasPrefix(line, "| ") || cells[0] == "row" {
			continue
		}
		if len(cells) != 8 {
			t.Fatalf("%q has %d cells", line, len(cells))
		}
		have = append(have, cells[:4])
	}
	for _, f := range gpuRows(t) {
		if code, _, complaint := parses("amgpu " + f[6]); code != 0 {
			t.Errorf("%s: exit code %d\n%s", f[6], code, complaint)
		}
		if _, err := strconv.ParseFloat(f[2], 64); err != nil || f[1] != "rate" && f[1] != "empty" {
			t.Errorf("%v: %v", f, err)
		}
		want = append(want, []string{f[0], "`" + f[6] + "`", f[4] + " " + f[3], f[5]})
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("scripts/gpu-rows.tsv and docs/performance.md differ (-list +document):\n%s", diff)
	}
}
