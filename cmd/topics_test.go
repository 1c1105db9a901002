package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/gate"
)

// Every format that can be written is in the help with what it is for.
func TestFormatsTopicIsComplete(t *testing.T) {
	text := formatsText()
	for _, name := range append(report.Formats(), gate.Formats()...) {
		if formatUse[name] == "" {
			t.Errorf("format %s: not described in formatUse", name)
		}
		if !strings.Contains(text, "\n    "+name+" ") {
			t.Errorf("format %s: not in the help:\n%s", name, text)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string // in what is printed
	}{
		{[]string{"help"}, 0, "Additional help topics:"},
		{[]string{"help", "exit-codes"}, 0, exitCodes},
		{[]string{"exit-codes"}, 0, exitCodes},
		{[]string{"help", "formats"}, 0, formatsText()},
		{[]string{"help", "kernel", "init"}, 0, "SPIR-V"},
		{[]string{"help", "scale"}, 0, "help for scale"},
		{[]string{"help", "nothing"}, 2, `no command or topic "nothing"`},
		{[]string{"help", "kernel", "nothing"}, 2, `no command or topic "kernel nothing"`},
		{[]string{"__complete", "help", "ex"}, 0, "exit-codes\t"},
	} {
		var stdout, stderr bytes.Buffer
		code := Main(c.args, &stdout, &stderr)
		if code != c.code || !strings.Contains(stdout.String()+stderr.String(), c.want) {
			t.Errorf("%v: code %d, want %d with %q\n%s%s", c.args, code, c.code, c.want, &stdout, &stderr)
		}
	}
}

// Manual pages exist for commands and topics, and keep the lines of lists apart.
func TestManPages(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	if code := Main([]string{"man", dir}, &out, &out); code != 0 {
		t.Fatalf("code %d: %s", code, &out)
	}
	for name, want := range map[string]string{ // .EX to .EE stands as it is
		"amgpu-scale.1":      "\n130  interrupted; partial results saved\n.EE\n",
		"amgpu-exit-codes.1": "\n.EX\n  0  ok\n",
		"amgpu-formats.1":    "\ntrace        events in time, for Perfetto and chrome://tracing\n.EE\n",
	} {
		page, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(page), want) {
			t.Errorf("%s lacks %q: %v\n%s", name, want, err, page)
		}
	}
}
