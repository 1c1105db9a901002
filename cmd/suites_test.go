package cmd

import (
	"bytes"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
)

// TestSuitesSayEverything: formula, data, counts, divisions, communication, tolerance and
// source of every workload are printed.
func TestSuitesSayEverything(t *testing.T) {
	for _, w := range suites.All() {
		var out bytes.Buffer
		info := w.Info()
		said := describe(info)
		var err error
		if said.Arrays, err = arraysOf(w); err != nil || len(said.Arrays) == 0 {
			t.Fatalf("%s: arrays %v, %v", info.ID, said.Arrays, err)
		}
		if err := printDetails(&out, []workloadJSON{said}); err != nil {
			t.Fatal(err)
		}
		has := map[string]bool{}
		for line := range strings.Lines(out.String()) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "  ")
			has[name] = strings.TrimSpace(value) != ""
		}
		for _, name := range []string{"what", "formula", "source", "sizes", "layout", "rate in", "operations", "bytes", "splits", "communication", "weak scaling", "tolerance"} {
			if !has[name] {
				t.Errorf("%s has no %q:\n%s", info.ID, name, out.String())
			}
		}
		if !strings.Contains(out.String(), info.Note) {
			t.Errorf("%s: the note on sizes is missing", info.ID)
		}
	}
}
