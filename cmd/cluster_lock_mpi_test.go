//go:build mpi

package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/report/result"
)

// TestMPILocks: each rank takes the locks of its own devices and waits for one that is taken;
// two jobs on one node at the same time get through one after the other.
func TestMPILocks(t *testing.T) {
	dir := t.TempDir()
	taken, err := os.Create(filepath.Join(dir, lockName(result.Device{Software: true, Index: 1})))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	if err := unix.Flock(int(taken.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	said, err := os.Create(filepath.Join(dir, "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = said.Close() }()
	var jobs []*process
	for i := range 2 {
		line, _ := mpirun(t, false, 2, "scale", "memory/triad", "--mode", "strong", "--gpus", "2", "--launches", "1", "--samples", "3", "--preset", "quick",
			"--max-time", "50ms", "--software", "1", "--no-progress", "-o", filepath.Join(dir, fmt.Sprint(i, ".json")))
		p := started(t, dir, line, said)
		jobs = append(jobs, p)
		if i == 0 { // it holds the lock before the one it waits for
			waits(t, said.Name(), "device 1 ")
		}
	}
	waits(t, said.Name(), "device 0 ")
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	for _, p := range jobs {
		if code := within(t, p, time.Minute); code != 0 {
			text, _ := os.ReadFile(said.Name())
			t.Errorf("exit code %d\n%s", code, text)
		}
	}
}

// waits waits until it was said that a device is waited for.
func waits(t *testing.T, path, device string) {
	t.Helper()
	var text []byte
	for range 3000 {
		text, _ = os.ReadFile(path)
		for line := range bytes.Lines(text) {
			if bytes.Contains(line, []byte("amgpu: "+device)) && bytes.Contains(line, []byte("waiting for it")) {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("nobody waits for %s\n%s", device, text)
}
