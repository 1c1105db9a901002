package docs

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
)

var (
	codeSpan    = regexp.MustCompile("`([^`]+)`")
	measuring   = regexp.MustCompile(`^(?:amgpu )?(?:run|scale|devices) \S`)
	placeholder = regexp.MustCompile(`=N\b`)
	workloadID  = regexp.MustCompile(`^[a-z]+/[a-z0-9-]+$`)
)

// measured are the commands that stand beside figures, inline in a document, with a
// value in place of N.
func measured(markdown string) []string {
	var out []string
	for _, m := range codeSpan.FindAllStringSubmatch(markdown, -1) {
		c := strings.Join(strings.Fields(m[1]), " ")
		if !measuring.MatchString(c) {
			continue
		}
		c = strings.TrimSuffix(strings.TrimSuffix(c, " ..."), " --param")
		c = placeholder.ReplaceAllString(strings.ReplaceAll(c, "'", ""), "=1")
		out = append(out, "amgpu "+strings.TrimPrefix(c, "amgpu "))
	}
	return out
}

// stale says what a command asks for that the program has not, empty for nothing: flags,
// workloads, and their parameters, constants and splits.
func stale(command string) string {
	if code, _, complaint := parses(command); code != 0 {
		return complaint
	}
	words := strings.Fields(command)
	var of []suites.Info
	for _, w := range words {
		if workloadID.MatchString(w) {
			found, err := suites.Find(w)
			if err != nil {
				return err.Error()
			}
			of = append(of, found.Info())
		}
	}
	for i := 1; i < len(words) && len(of) > 0; i++ {
		known := func(has func(suites.Info) bool) bool { return slices.ContainsFunc(of, has) }
		name, text, _ := strings.Cut(words[i], "=")
		v, _ := strconv.ParseInt(text, 10, 64)
		ok := true
		switch words[i-1] {
		case "--param":
			ok = known(func(info suites.Info) bool {
				return slices.ContainsFunc(info.Params, func(p suites.Param) bool { return p.Name == name && v >= p.Min && v <= p.Max })
			})
		case "--constant":
			ok = known(func(info suites.Info) bool {
				return slices.ContainsFunc(info.Tunables, func(c suites.Tunable) bool { return c.Name == name && slices.Contains(c.Values, v) })
			})
		case "--split":
			ok = known(func(info suites.Info) bool { return slices.Contains(info.Splits, name) })
		}
		if !ok {
			return fmt.Sprintf("no chosen workload has %s %s", words[i-1], words[i])
		}
	}
	return ""
}

// The commands beside measured figures can still be run: TestPerformanceRows and
// TestCommandLinesParse see tables and blocks, this one what stands in a line of text.
func TestMeasuredCommands(t *testing.T) {
	n := 0
	for _, name := range []string{"docs/performance.md", "docs/tuning.md", "docs/roofline.md", "docs/matmul.md"} {
		for _, c := range measured(read(t, name)) {
			n++
			if why := stale(c); why != "" {
				t.Errorf("%s: %s: %s", name, c, why)
			}
		}
	}
	if n < 60 {
		t.Fatalf("only %d commands found", n)
	}
}

func TestStaleCommandsAreSeen(t *testing.T) {
	text := "`run linalg/matmul --param kernel=5` `amgpu scale zk/ntt --split batch --param halo=N` `runs` `scale ID --size M --param ...`"
	if got := measured(text); len(got) != 3 || stale(got[0]) != "" || stale(got[1]) == "" || stale(got[2]) != "" {
		t.Errorf("found %q", got)
	}
	for _, c := range []string{
		"amgpu run linalg/nothing", "amgpu run linalg/matmul --split half", "amgpu run linalg/matmul --param kernel=9",
		"amgpu run linalg/matmul --constant band=3", "amgpu run linalg/matmul --sizes M",
	} {
		if stale(c) == "" {
			t.Errorf("%s passes", c)
		}
	}
}
