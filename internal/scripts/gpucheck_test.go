package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGPUCheckRows: rows are measured by their commands and printed in their units; one
// that needs more GPUs is named, a failing one decides the exit code.
func TestGPUCheckRows(t *testing.T) {
	j := newJob(t)
	program, err := exec.LookPath("amgpu")
	if err != nil {
		t.Fatal(err)
	}
	// A tree of its own, in which ./amgpu is the program under test.
	for name, target := range map[string]string{"scripts": filepath.Join(repository(t), "scripts"), "amgpu": program} {
		if err := os.Symlink(target, filepath.Join(j.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	list := func(rows ...string) string {
		path := filepath.Join(j.dir, "rows.tsv")
		if err := os.WriteFile(path, []byte("# name\n\n"+strings.ReplaceAll(strings.Join(rows, "\n"), "|", "\t")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return "GPU_CHECK_ROWS=" + path
	}
	const flags = "GPU_CHECK_FLAGS=--software 2 --launches 1 --samples 3 --max-time 20ms"
	code, out := j.bash(t, "scripts/gpu-check.sh --rows rows", flags, list(
		"copy|rate|1e-9|GB/s|1|2|run memory/copy --size S",
		"step|empty|1e6|us|30|20|scale memory/copy --gpus 2 --mode strong --size S",
		"many|rate|1|B/s|1|2|scale memory/copy --gpus 16 --size S"))
	expect(t, "rows", code, 0, out)
	for _, want := range []string{`copy +[0-9.e-]+ GB/s +at least 1, aim 2 +amgpu run memory/copy --size S`, `step +[0-9.e+]+ us `, `many +too few GPUs B/s`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no line like %q:\n%s", want, out)
		}
	}
	code, out = j.bash(t, "scripts/gpu-check.sh --rows rows", flags, list(
		"wrong|rate|1|B/s|1|2|run memory/nothing", "copy|rate|1|B/s|1|2|run memory/copy --size S"))
	expect(t, "a row that fails", code, 2, out, "exit 2")
	if !regexp.MustCompile(`copy +[0-9.e+]+ B/s`).MatchString(out) {
		t.Errorf("the rows after it were not measured:\n%s", out)
	}
}
