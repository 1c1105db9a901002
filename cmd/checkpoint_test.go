package cmd

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/checkpoint"
)

// Killed at any moment, a training leaves a file that it goes on from, to the same loss
// curve and parameters.
func TestCheckpointKilled(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	training := func(path string, more ...string) *process {
		return start(t, dir, append([]string{"run", "pinn/train", "--software", "1", "--size", "20", "--param", "steps=40", "--param", "width=4",
			"--samples", "1", "--launches", "1", "--preset", "quick", "--no-progress", "-o", path}, more...)...)
	}
	whole := filepath.Join(dir, "whole.json")
	if code, said := ended(t, training(whole), 0, 0); code != 0 {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	file, path := filepath.Join(dir, "train.ckpt"), filepath.Join(dir, "killed.json")
	var last int64
	for n := range 4 {
		p := training(path, "--checkpoint", file, "--every", "1")
		wait, sig := time.Duration(0), syscall.Signal(0)
		if n < 3 {
			saved(t, file, last)
			wait, sig = time.Duration(1+rng.Int64N(int64(50*time.Millisecond))), syscall.SIGKILL
		}
		if code, said := ended(t, p, wait, sig); code != 0 && sig == 0 {
			t.Fatalf("exit code %d\n%s", code, said)
		}
		last = saved(t, file, last)
	}
	a, b := trained(t, whole), trained(t, path)
	if a.Digest == "" || a.Digest != b.Digest || !reflect.DeepEqual(a.Outcome, b.Outcome) {
		t.Errorf("continued: digest %s, want %s; outcome %+v, want %+v", b.Digest, a.Digest, b.Outcome, a.Outcome)
	}
	if fmt.Sprint(b.Warnings) == fmt.Sprint(a.Warnings) {
		t.Errorf("nothing says that the launch was continued: %+v", b.Warnings)
	}
}

// saved waits until a file holds a state after so many steps or more, and returns how many.
func saved(t *testing.T, file string, least int64) int64 {
	t.Helper()
	for range 6000 {
		content, err := os.ReadFile(file)
		if err == nil {
			h, at, err := checkpoint.ReadHeader(content)
			if err == nil {
				_, err = h.State(content, at)
			}
			if err != nil {
				t.Fatal(err)
			}
			if h.Done >= least {
				return h.Done
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%s holds no state after %d steps within 30 s", file, least)
	return 0
}

func trained(t *testing.T, path string) result.Trial {
	t.Helper()
	res, err := result.Read(path)
	if err != nil || len(res.Trials) != 1 || res.Trials[0].Outcome == nil {
		t.Fatalf("%s: %v", path, err)
	}
	return res.Trials[0]
}
