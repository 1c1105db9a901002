package cmd

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/amgpu/amgpu/suites"
)

// TestWorkloadList: every workload has one line, none is longer than the terminal, and
// without one no column is wide because of the others.
func TestWorkloadList(t *testing.T) {
	var infos []workloadJSON
	for _, w := range suites.All() {
		infos = append(infos, describe(w.Info()))
	}
	for _, width := range []int{0, 60, 80, 120, 200} {
		var out bytes.Buffer
		if err := printWorkloads(&out, infos, width); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) != len(infos)+1 {
			t.Errorf("width %d: %d lines for %d workloads", width, len(lines), len(infos))
		}
		for i, line := range lines[1:] {
			if n := utf8.RuneCountInString(line); width > 0 && n > width {
				t.Errorf("width %d: %d characters: %s", width, n, line)
			}
			if !strings.HasPrefix(line, infos[i].ID+" ") || width == 0 && !strings.HasSuffix(line, infos[i].Doc) {
				t.Errorf("width %d: %s", width, line)
			}
		}
		if at := strings.Index(lines[0], "WHAT IT COMPUTES"); at > 70 {
			t.Errorf("width %d: what is computed begins at %d", width, at)
		}
	}
	// All of it is in the details.
	var out bytes.Buffer
	if err := printDetails(&out, infos); err != nil {
		t.Fatal(err)
	}
	for _, i := range infos {
		if !strings.Contains(out.String(), i.Communication) {
			t.Errorf("%s: the details leave out %q", i.ID, i.Communication)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"none", 16, "none"}, {"halo of a row, 32 B per column", 18, "halo of a row ..."}, {"halo of a row, 32 B", 19, "halo of a row, 32 B"},
		{"Überlagerungsempfänger", 16, "Überlagerung..."}, {"none; pipeline: more of it", 16, "none ..."},
	} {
		if got := shorten(c.text, c.n); got != c.want || utf8.RuneCountInString(got) > c.n {
			t.Errorf("%q in %d: %q, want %q", c.text, c.n, got, c.want)
		}
	}
}
