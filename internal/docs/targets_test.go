package docs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/cmd"
	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/suites"
)

// docs/targets.md is what the gate writes about the results beside it.
func TestTargetsPage(t *testing.T) {
	var page, complaint bytes.Buffer
	code := cmd.Main([]string{"gate", root + "/docs/targets", "--rules", root + "/targets.yaml", "--format", "targets"}, &page, &complaint)
	if !slices.Contains([]int{0, 1, 5}, code) { // met, missed, not measured
		t.Fatalf("exit code %d\n%s", code, &complaint)
	}
	if diff := cmp.Diff(read(t, "docs/targets.md"), page.String()); diff != "" {
		t.Errorf("docs/targets.md (-want +got; make targets writes it anew):\n%s", diff)
	}
}

func targets(t *testing.T) *gate.Rules {
	t.Helper()
	rules, err := gate.ReadRules(strings.NewReader(read(t, "targets.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// No target is left out, and each has an origin.
func TestTargetsAreAll(t *testing.T) {
	origins := []string{"Amari design", "SuperVM M13.8", "kwavers sprint 152", "gocuda module 2", "gPAC request"}
	var got, want []string
	for i, target := range targets(t).Targets {
		got, want = append(got, target.ID), append(want, fmt.Sprintf("T%d", i+1))
		for origin := range strings.SplitSeq(target.Origin, ", ") {
			if !slices.Contains(origins, origin) {
				t.Errorf("%s: origin %q", target.ID, origin)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 32 {
		t.Errorf("%d targets: %s", len(got), diff)
	}
}

// planned are the workloads of targets that do not exist yet; one that comes has to
// leave this list and get its command line.
var planned []string

// The command lines in the head of targets.yaml parse and measure every row whose
// workload exists: those of two and four devices at the least.
func TestTargetsAreMeasured(t *testing.T) {
	lines := map[string]bool{} // workload, size, residency
	for line := range strings.Lines(read(t, "targets.yaml")) {
		command, ok := strings.CutPrefix(line, "#   amgpu ")
		if !ok {
			continue
		}
		command = strings.TrimSpace(command)
		if code, _, complaint := parses("amgpu " + command); code != 0 {
			t.Errorf("%s: %s", command, complaint)
		}
		words := strings.Fields(command)[1:]
		value := func(flag, otherwise string) string {
			if i := slices.Index(words, flag); i >= 0 {
				return words[i+1]
			}
			return otherwise
		}
		for _, residency := range strings.Split(strings.ReplaceAll(value("--residency", "resident"), "both", "resident,end-to-end"), ",") {
			for _, word := range words[:slices.Index(words, "--size")] {
				lines[word+" "+value("--size", "")+" "+residency] = true
			}
		}
	}
	for _, row := range targets(t).Rows {
		w, err := suites.Find(row.Workload)
		if (err != nil) != slices.Contains(planned, row.Workload) {
			t.Errorf("%s of %s: exists: %v; correct the name or the list planned", row.Workload, row.Target, err == nil)
		}
		if err != nil || row.Match["algorithm"] != "" && !slices.Contains(w.Info().Algorithms, row.Match["algorithm"]) {
			continue
		}
		if key := row.Workload + " " + row.Match["size"] + " " + residencyOf(row); !lines[key] {
			t.Errorf("no command line measures %s, %d GPUs, of %s", key, row.Count, row.Target)
		}
	}
}

// residencyOf is the residency a command line must have for the row.
func residencyOf(row gate.Rule) string {
	if r := row.Match["residency"]; r != "" {
		return r
	}
	return "resident"
}
