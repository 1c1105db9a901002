package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// interrupted starts a sweep that writes a trace as well, sends signals to it once it has
// begun, and returns its end with the names of all files that are left beside its result
// and in its temporary folder.
func interrupted(t *testing.T, signals func(p *os.Process)) (code int, said string, left []string) {
	t.Helper()
	dir, tmp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	path := filepath.Join(dir, "r.json")
	c := start(t, t.TempDir(), append(sweepOnce, "--launches", "50", "-o", path, "--trace", filepath.Join(dir, "r.trace"))...)
	begun(t, path)
	time.Sleep(300 * time.Millisecond) // into a launch
	signals(c.Process)
	code, said = ended(t, c, 0, 0)
	for _, folder := range []string{dir, tmp} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			left = append(left, e.Name())
		}
	}
	return code, said, left
}

// The signal that comes first counts once, however often it comes within a second: the
// step in progress ends, the result holds what was measured and the trace shows it, if it is anything.
func TestSameSignalCountsOnce(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		code, said, left := interrupted(t, func(p *os.Process) {
			for range 3 {
				_ = p.Signal(sig) // it may have ended
				time.Sleep(20 * time.Millisecond)
			}
		})
		if text := strings.Join(left, " "); code != codeInterrupted || text != "r.json" && text != "r.json r.trace" {
			t.Errorf("%v: exit code %d, left %q\n%s", sig, code, left, said)
		}
	}
}

// Another signal ends the process at once: what was measured is in the journal, the last
// line says how to go on, and no temporary file or folder is left.
func TestSecondSignal(t *testing.T) {
	code, said, left := interrupted(t, func(p *os.Process) {
		_ = p.Signal(syscall.SIGTERM)
		time.Sleep(5 * time.Millisecond)
		_ = p.Signal(syscall.SIGINT)
	})
	text := strings.Join(left, " ")
	// It may have ended in good order in between.
	if code != codeInterrupted || text != "r.json.journal" && text != "r.json" && text != "r.json r.trace" {
		t.Errorf("exit code %d, left %q\n%s", code, left, said)
	}
	lines := strings.Split(strings.TrimSpace(said), "\n")
	last := lines[len(lines)-1]
	if text == "r.json.journal" && !strings.HasPrefix(last, "hint: `amgpu scale --resume ") && last != "hint: start the command again" {
		t.Errorf("the last line is %q", last)
	}
}

// What is named is removed, files by the beginning of their names only where a * asks for it.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a-1", "a-2", "b", "b-1"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gone := leftover(filepath.Join(dir, "b-1"))
	defer leftover(filepath.Join(dir, "a-*"))()
	defer leftover(filepath.Join(dir, "b"))()
	gone()
	gone()
	removeLeftovers()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "b-1" {
		t.Errorf("left: %v %v", entries, err)
	}
}
