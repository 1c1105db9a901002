package scripts

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakeGo writes a go command that reports a version and a GOTOOLCHAIN setting.
func fakeGo(t *testing.T, version string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "go")
	text := fmt.Sprintf("#!/bin/sh\ncase $1 in\nversion) echo 'go version %s linux/amd64' ;;\nenv) echo local ;;\nesac\n", version)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestToolchain(t *testing.T) {
	cases := []struct {
		version string
		setting string // empty: refused
	}{
		{"go1.19.8", ""},
		{"go1.20", ""},
		{"go1.21.0", "auto"},
		{"go1.24.4", "auto"},
		{"go1.26.0", "local"},
		{"go1.26.8", "local"},
		{"go1.26.8-custom", "local"},
		{"go1.30.1", "local"},
		{"devel +abc", "local"},
	}
	for _, c := range cases {
		t.Run(c.version, func(t *testing.T) {
			goCommand := fakeGo(t, c.version)
			cmd := exec.Command("../../scripts/toolchain.sh")
			cmd.Env = append(os.Environ(), "GO="+goCommand)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if c.setting == "" {
				var exit *exec.ExitError
				if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(stderr.String(), "go.dev/dl") {
					t.Fatalf("%v, stdout %q, stderr %q: want exit 2 and instructions", err, out, &stderr)
				}
				return
			}
			if want := goCommand + " " + c.setting + "\n"; err != nil || string(out) != want {
				t.Fatalf("got %q, %v; want %q", out, err, want)
			}
		})
	}
}

// Without what it needs and without apt, packages.sh names what is missing and
// exits 2; with everything there it says nothing.
func TestPackages(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	// The few commands the script itself uses.
	for _, name := range []string{"bash", "id", "sed", "grep", "dirname"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(empty, name)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(bash, "../../scripts/packages.sh", "build")
	cmd.Env = []string{"PATH=" + empty}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("without a compiler: %v, want exit 2\n%s", err, out)
	}
	for _, want := range []string{"gcc (C compiler)", "libvulkan-dev", "no apt-get", "make build"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}

	cmd = exec.Command(bash, "../../scripts/packages.sh", "test")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("with everything installed: %v, output %q", err, out)
	}

	cmd = exec.Command(bash, "../../scripts/packages.sh", "everything")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "usage") {
		t.Errorf("unknown step: %v, output %q", err, out)
	}
}
