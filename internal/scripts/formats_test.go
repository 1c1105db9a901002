package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What is not installed is named and is no success unless that is allowed; a consumer
// that complains, and one that fails, decide the exit code.
func TestCheckFormats(t *testing.T) {
	j := newJob(t)
	bin := filepath.Join(j.dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	// A system with nothing but what the script itself uses.
	for _, tool := range []string{"amgpu", "bash", "basename", "cat", "dirname", "grep", "head", "mktemp", "rm", "sed"} {
		path, err := exec.LookPath(tool)
		if err == nil {
			err = os.Symlink(path, filepath.Join(bin, tool))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	stub := func(name, script string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!"+filepath.Join(bin, "bash")+"\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(repository(t), "scripts", "check-formats.sh")
	result := filepath.Join(repository(t), "report", "testdata", "scaling.json")
	run := func(arguments string) (int, string) {
		t.Helper()
		return j.bash(t, script+" "+arguments+" "+result, "PATH="+bin, "AMGPU=amgpu", "GO=false", "PYTHON="+filepath.Join(bin, "python"))
	}
	// A Python without modules comes before the system's own only if it has them.
	stub("python", "exit 0")
	code, out := run("")
	expect(t, "three are missing", code, 3, out, "ok      junitparser: scaling", "ok      junitparser: scaling, gate", "ok      pandas: scaling",
		"not checked: benchstat (go install", "not checked: promtool (Debian package prometheus)", "not checked: R (Debian package r-base-core)")
	code, out = run("--allow-missing")
	expect(t, "allowed to be missing", code, 0, out, "not checked: R")

	stub("benchstat", "cat $1 >/dev/null; echo sec/op")
	stub("promtool", "cat >/dev/null")
	stub("Rscript", "exit 0")
	code, out = run("")
	expect(t, "all are content", code, 0, out, "ok      benchstat: scaling", "ok      promtool: scaling", "ok      R: scaling")
	if strings.Contains(out, "not checked") || strings.Contains(out, "FAILED") {
		t.Error(out)
	}

	stub("promtool", "cat >/dev/null; echo amgpu_rate no unit >&2")
	code, out = run("--allow-missing")
	expect(t, "one complains", code, 1, out, "FAILED  promtool: scaling, exit code 0", "amgpu_rate no unit", "ok      R: scaling")
	stub("promtool", "cat >/dev/null; exit 4")
	code, out = run("")
	expect(t, "one fails", code, 1, out, "FAILED  promtool: scaling, exit code 4")
	stub("promtool", "cat >/dev/null")
	stub("benchstat", "echo nothing")
	code, out = run("")
	expect(t, "one finds nothing", code, 1, out, "FAILED  benchstat: scaling, exit code 1")

	code, out = run("--loud")
	expect(t, "unknown option", code, 2, out, "unknown option --loud")
}
