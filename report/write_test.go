package report_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/amgpu/amgpu/report"
)

// TestWriteFileOnAFullDisk: what was there stays, nothing half is left, and the error
// is no error of the request and names the file that was asked for. A child writes: it
// may make no file longer than 1000 bytes.
func TestWriteFileOnAFullDisk(t *testing.T) {
	if dir := os.Getenv("AMGPU_TEST_FULL"); dir != "" {
		writeOnAFullDisk(t, dir)
		return
	}
	dir := t.TempDir()
	old := filepath.Join(dir, "old.txt")
	if err := os.WriteFile(old, []byte("before"), 0o640); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "-test.run", "^TestWriteFileOnAFullDisk$")
	c.Env = append(os.Environ(), "AMGPU_TEST_FULL="+dir)
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	raw, err := os.ReadFile(old)
	if err != nil || string(raw) != "before" {
		t.Errorf("%q, %v", raw, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if err := report.WriteFile("/dev/full", []byte("x")); err == nil || errors.Is(err, report.ErrOutput) || !strings.Contains(err.Error(), "cannot write /dev/full: no space left on device") {
		t.Error(err)
	}
}

func writeOnAFullDisk(t *testing.T, dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1000, Max: 1000}); err != nil {
		t.Fatal(err)
	}
	failed := map[string]error{}
	for _, name := range []string{"old.txt", "new.txt"} {
		failed[name] = report.WriteFile(filepath.Join(dir, name), make([]byte, 5000))
	}
	_, failed["report.txt"] = report.Render(quick(), []string{"text"}, dir, nil)
	for name, err := range failed {
		if err == nil || errors.Is(err, report.ErrOutput) || !strings.Contains(err.Error(), "cannot write "+filepath.Join(dir, name)+": file too large; make room") || strings.Contains(err.Error(), ".amgpu-") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(path, []byte("before"), 0o600), os.Symlink("a", link)); err != nil {
		t.Fatal(err)
	}
	if err := report.WriteFile(link, []byte("after")); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	info, statErr := os.Lstat(path)
	if err != nil || statErr != nil || string(raw) != "after" || info.Mode() != 0o600 {
		t.Errorf("%q, %v, %v, %v", raw, info.Mode(), err, statErr)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced:", err)
	}
	if err := report.WriteFile(os.DevNull, []byte("x")); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{filepath.Join(dir, "no", "f"), dir} {
		if err := report.WriteFile(bad, nil); !errors.Is(err, report.ErrOutput) || !strings.Contains(err.Error(), "cannot write "+bad+": ") || !strings.HasSuffix(err.Error(), "; name another place") || strings.Contains(err.Error(), ".amgpu-") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
