package cmd

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/suites"
)

// What the shells offer after a part of a line: the names without their descriptions.
func TestCompletion(t *testing.T) {
	var ids []string
	for _, w := range suites.All() {
		ids = append(ids, w.Info().ID)
	}
	without := func(id string) []string {
		return slices.DeleteFunc(slices.Clone(ids), func(x string) bool { return x == id })
	}
	for _, c := range []struct {
		line string
		want []string
	}{
		{"scale ", ids},
		{"run memory/triad ", without("memory/triad")},
		{"suites ", ids},
		{"scale --preset ", []string{"quick", "default", "release"}},
		{"scale --mode ", []string{"strong", "weak"}},
		{"scale --mode strong,", []string{"strong,weak"}},
		{"run --roof ", []string{"auto", "measured", "none"}},
		{"run --residency ", []string{"both", "resident", "end-to-end"}},
		{"gate --format ", gate.Formats()},
		{"gate a.json b.json --across ", []string{"driver", "shader", "power-limit", "ecc"}},
	} {
		var stdout, stderr bytes.Buffer
		if code := Main(append([]string{"__complete"}, strings.Split(c.line, " ")...), &stdout, &stderr); code != 0 {
			t.Fatalf("%s: exit code %d: %s", c.line, code, &stderr)
		}
		var got []string
		for line := range strings.Lines(stdout.String()) {
			if name, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); !strings.HasPrefix(name, ":") {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q:\n%s", c.line, diff)
		}
	}
}

// A script for each shell, and an error for what is none.
func TestCompletionShells(t *testing.T) {
	for shell, want := range map[string]int{"bash": 0, "zsh": 0, "fish": 0, "powershell": 0, "foo": 2} {
		var stdout, stderr bytes.Buffer
		if code := Main([]string{"completion", shell}, &stdout, &stderr); code != want || (stdout.Len() > 0) != (want == 0) {
			t.Errorf("%s: exit code %d, %d characters: %s", shell, code, stdout.Len(), &stderr)
		}
		if want == 2 && !strings.Contains(stderr.String(), `no script for "foo"; there is one for bash, fish, powershell, zsh`) {
			t.Errorf("%s", &stderr)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"completion"}, &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), "amgpu completion") {
		t.Errorf("exit code %d: %s%s", code, &stdout, &stderr)
	}
}
