package docs

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/cmd"
)

// parses hands an amgpu command line to the real flag parser and stops before
// anything runs: with --help among the arguments flags are parsed first (an unknown
// one, or a value of the wrong type, is refused), then the help is printed.
func parses(command string) (code int, help, complaint string) {
	var stdout, stderr bytes.Buffer
	args := append(strings.Fields(command)[1:], "--help")
	code = cmd.Main(args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// amgpuLine finds a call of the program in a script, a Makefile or a document.
var amgpuLine = regexp.MustCompile(`(?m)(?:^|[\s(])(?:\./)?amgpu ((?:devices|suites|run|scale|report|version)\b[^|>)\n]*)`)

// Every amgpu command line in a document, in the Makefile and in a script parses:
// the command exists and so does every flag.
func TestCommandLinesParse(t *testing.T) {
	lines := map[string]string{}
	for name, text := range documents(t) {
		for _, command := range Commands(text) {
			if strings.HasPrefix(command, "amgpu ") || strings.HasPrefix(command, "./amgpu ") {
				lines[command] = name
			}
		}
	}
	if len(lines) < 5 {
		t.Fatalf("only %d command lines found in documents", len(lines))
	}
	for _, name := range []string{"Makefile", "scripts/gpu-check.sh"} {
		found := amgpuLine.FindAllStringSubmatch(read(t, name), -1)
		if len(found) == 0 {
			t.Errorf("%s calls amgpu nowhere", name)
		}
		for _, m := range found {
			lines["amgpu "+strings.TrimSpace(m[1])] = name
		}
	}
	for command, name := range lines {
		code, help, complaint := parses(command)
		if code != 0 {
			t.Errorf("%s: %s: exit code %d\n%s", name, command, code, complaint)
			continue
		}
		if sub := strings.Fields(command)[1]; !strings.Contains(help, "amgpu "+sub) {
			t.Errorf("%s: %s: no command %q", name, command, sub)
		}
	}
}

func TestParsesRefuses(t *testing.T) {
	for _, command := range []string{
		"amgpu scale --no-such-flag",
		"amgpu run --launches many",
		"amgpu report x.json --size M",
	} {
		if code, _, _ := parses(command); code != 2 {
			t.Errorf("%s: exit code %d, want 2", command, code)
		}
	}
	if _, help, _ := parses("amgpu nothing"); strings.Contains(help, "amgpu nothing") {
		t.Error("help of an unknown command names it like a known one")
	}
}

// The README's table of exit codes has the codes that the program's help lists.
func TestExitCodesMatchTheHelp(t *testing.T) {
	codes := func(pattern, text string) []string {
		var out []string
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
		return out
	}
	_, help, _ := parses("amgpu")
	_, table, ok := strings.Cut(help, "Exit codes:")
	if !ok {
		t.Fatal("no exit codes in the help")
	}
	_, section, _ := strings.Cut(read(t, "README.md"), "## Exit codes")
	section, _, _ = strings.Cut(section, "\n## ")
	if diff := cmp.Diff(codes(`(?m)^ +(\d+)  `, table), codes(`(?m)^\| (\d+) \|`, section)); diff != "" {
		t.Errorf("help (-) and README (+) differ:\n%s", diff)
	}
}
