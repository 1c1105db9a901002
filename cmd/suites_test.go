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
		if err := printDetails(&out, []workloadJSON{describe(info)}); err != nil {
			t.Fatal(err)
		}
		said := map[string]bool{}
		for line := range strings.Lines(out.String()) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "  ")
			said[name] = strings.TrimSpace(value) != ""
		}
		for _, name := range []string{"what", "formula", "source", "sizes", "rate in", "operations", "bytes", "splits", "communication", "weak scaling", "tolerance"} {
			if !said[name] {
				t.Errorf("%s has no %q:\n%s", info.ID, name, out.String())
			}
		}
		if !strings.Contains(out.String(), info.Note) {
			t.Errorf("%s: the note on sizes is missing", info.ID)
		}
	}
}
