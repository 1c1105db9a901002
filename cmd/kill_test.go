package cmd

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
)

// sweepOnce is a sweep of 8 launches that takes some seconds.
var sweepOnce = []string{"scale", "memory/triad", "comm/allreduce", "--software", "2", "--gpus", "1,2", "--mode", "strong", "--size", "1024",
	"--preset", "quick", "--launches", "2", "--samples", "3", "--max-time", "20ms", "--no-progress"}

// Killed at any moment, also while it is being completed, a sweep can be read and
// completed: the same launches, each once, with the same outputs.
func TestKilled(t *testing.T) { killedAt(t, 3) }

func killedAt(t *testing.T, moments int) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.json")
	if code, said := ended(t, start(t, dir, append(sweepOnce, "-o", whole)...), 0, 0); code != 0 {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	want := launches(t, whole)
	for n := range moments {
		path := filepath.Join(dir, fmt.Sprintf("r%d.json", n))
		args := append(sweepOnce, "-o", path)
		signals := 0
		for {
			c := start(t, dir, args...)
			begun(t, path)
			wait, sig := time.Duration(0), syscall.Signal(0)
			if rng.IntN(3+signals) < 3 { // more and more rarely, so that it ends
				wait = time.Duration(rng.Int64N(int64(2500 * time.Millisecond)))
				sig = []syscall.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT}[rng.IntN(4)]
				signals++
			}
			code, said := ended(t, c, wait, sig)
			if code == 0 {
				break
			}
			if code != -1 && code != codeInterrupted {
				t.Fatalf("moment %d, %v after %v: exit code %d\n%s", n, sig, wait, code, said)
			}
			for row, count := range launches(t, path) {
				if count > want[row] {
					t.Errorf("moment %d: %d launches of %s", n, count, row)
				}
			}
			args = []string{"scale", "--resume", path, "--no-progress"}
		}
		got := launches(t, path)
		if len(got) != len(want) {
			t.Errorf("moment %d: %d rows, want %d", n, len(got), len(want))
		}
		for row, count := range want {
			if got[row] != count {
				t.Errorf("moment %d: %d launches of %s, want %d", n, got[row], row, count)
			}
		}
		if _, err := os.Stat(path + ".journal"); err == nil {
			t.Errorf("moment %d: the journal is still there", n)
		}
	}
}

type process struct {
	*exec.Cmd
	said bytes.Buffer
}

func start(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.CommandContext(t.Context(), "amgpu", args...)}
	p.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir, "XDG_RUNTIME_DIR="+dir)
	p.Stderr = &p.said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// begun waits until there is something that can be lost.
func begun(t *testing.T, path string) {
	t.Helper()
	for range 6000 {
		for _, name := range []string{path, path + ".journal"} {
			if info, err := os.Stat(name); err == nil && info.Size() > 0 {
				return
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("no journal of %s after 30 s", path)
}

// ended sends a signal after a while, unless it is 0, and waits for the end: the exit
// code, or -1.
func ended(t *testing.T, p *process, wait time.Duration, sig syscall.Signal) (int, string) {
	t.Helper()
	if sig != 0 {
		time.Sleep(wait)
		_ = p.Process.Signal(sig) // it may have ended
	}
	_ = p.Wait() // the code says it
	return p.ProcessState.ExitCode(), p.said.String()
}

// launches counts what a file holds by row and output; no launch may be there twice.
func launches(t *testing.T, path string) map[string]int {
	t.Helper()
	res, err := result.Read(path)
	if err != nil {
		t.Fatalf("the file cannot be read: %v", err)
	}
	out, seen := map[string]int{}, map[string]bool{}
	for _, tr := range res.Trials {
		if tr.Status != result.OK || !tr.Verified {
			t.Errorf("%s: %s (%s)", path, tr.Status, tr.Reason)
		}
		id := fmt.Sprint(tr.Key, tr.Count, tr.Launch)
		if seen[id] && tr.Stop != "interrupted" {
			t.Errorf("%s: launch %s is there twice", path, id)
		}
		seen[id] = true
		out[fmt.Sprint(tr.Key, tr.Count, tr.Digest)]++
	}
	return out
}
