package cmd

import (
	"os"
	"strings"
	"testing"
)

// A complaint about a word that there is not names the one that was meant.
func TestMistyped(t *testing.T) {
	for line, want := range map[string]string{
		"devces":                "did you mean `amgpu devices`?",
		"nonsense":              "there is completion, devices, exit-codes, formats, gate,",
		"kernel int":            "did you mean `amgpu kernel init`?",
		"scale --sotware 2":     "did you mean --software? `amgpu scale -h` lists its flags",
		"suites --jsn":          "did you mean --json? `amgpu suites -h`",
		"gate --qqqqqqqqqqqqqq": "hint: `amgpu gate -h` lists its flags",
		"devices all":           `amgpu devices takes no argument: "all"`,
		"man":                   "man takes one folder for the pages, 0 were given",
		"help nonsense":         "`amgpu help` lists both",
		"run --max-devices -1":  "use a number above 0, or 0 for all",
	} {
		var out, errs strings.Builder
		code := Main(strings.Fields(line), &out, &errs)
		if stderr := errs.String(); code != codeUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: code %d, %s; want %d with %q", line, code, stderr, codeUsage, want)
		}
	}
}

// What no output command writes by itself, cobra does; a full disk is no success there either.
func TestHelpOnFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = full.Close() }()
	for _, line := range []string{"", "help", "help formats", "exit-codes", "scale -h", "kernel", "completion", "completion bash", "completion zsh", "--version"} {
		var stderr strings.Builder
		code := Main(strings.Fields(line), full, &stderr)
		if text := stderr.String(); code != codeOther || !strings.HasPrefix(text, "amgpu: write /dev/full: no space left on device\n") || strings.Contains(text, "hint") {
			t.Errorf("amgpu %s: code %d, %q; want %d and what went wrong", line, code, text, codeOther)
		}
	}
}
