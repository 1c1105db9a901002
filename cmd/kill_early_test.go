package cmd

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Killed before anything was measured, also before there is a journal: what is there is
// completed, else it is said that there is nothing to resume; either way the same
// command works afterwards, and nothing is left but the result.
func TestKilledEarly(t *testing.T) { killedEarly(t, 4) }

func killedEarly(t *testing.T, moments int) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	cache := t.TempDir()
	tmp, dir := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	whole := filepath.Join(dir, "whole.json")
	begin := time.Now()
	p := start(t, cache, append(sweepOnce, "-o", whole)...)
	begun(t, whole)
	until := time.Since(begin) // the journal is there
	if code, said := ended(t, p, 0, 0); code != 0 {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	want := launches(t, whole)
	early := 0
	for n := range moments {
		path := filepath.Join(dir, fmt.Sprintf("r%d.json", n))
		args := append(slices.Clone(sweepOnce), "-o", path, "--trace", filepath.Join(dir, "trace.json"))
		wait := time.Duration(rng.Int64N(int64(until)))
		if n == 0 {
			wait = until / 4 // for sure before
		}
		sig := []syscall.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT}[n%4]
		code, said := ended(t, start(t, cache, args...), wait, sig)
		if code != -1 && code != codeInterrupted {
			t.Fatalf("%v after %v: exit code %d\n%s", sig, wait, code, said)
		}
		if held(path) || held(path+".journal") {
			args = []string{"scale", "--resume", path, "--no-progress", "--trace", filepath.Join(dir, "trace.json")}
		} else {
			early++
			code, said := ended(t, start(t, cache, "scale", "--resume", path), 0, 0)
			if code != codeUsage || !strings.Contains(said, "there is nothing to resume: ") || !strings.Contains(said, "-o "+path) {
				t.Errorf("%v after %v, resumed: exit code %d\n%s", sig, wait, code, said)
			}
		}
		if code, said := ended(t, start(t, cache, args...), 0, 0); code != 0 {
			t.Fatalf("%v after %v, then %v: exit code %d\n%s", sig, wait, args, code, said)
		}
		if got := launches(t, path); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v after %v: launches %v, want %v", sig, wait, got, want)
		}
	}
	if early == 0 {
		t.Error("no signal came before the journal")
	}
	// What a kill leaves in the temporary folder goes with the next command, once it is a minute old.
	old := time.Now().Add(-time.Hour)
	for _, name := range entries(t, tmp) {
		if err := os.Chtimes(filepath.Join(tmp, name), old, old); err != nil {
			t.Error(err)
		}
	}
	if code, said := ended(t, start(t, cache, "devices", "--software", "1"), 0, 0); code != 0 {
		t.Errorf("exit code %d\n%s", code, said)
	}
	if left := entries(t, tmp); len(left) > 0 {
		t.Errorf("the temporary folder holds %v", left)
	}
	if left := entries(t, dir); len(left) != moments+2 {
		t.Errorf("beside %d results and a timeline: %v", moments+1, left)
	}
}

// entries are the entries of a folder.
func entries(t *testing.T, dir string) (out []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

// held says whether a file has content.
func held(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}
