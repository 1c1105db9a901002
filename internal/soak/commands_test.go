//go:build soak

package soak

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/partition"
)

// How many turns of commands there are at least, and from which on files are counted: by
// then the cache holds all pipelines.
const fewestTurns, settledTurns = 8, 4

// TestSoakCommands repeats whole commands for a third of the time, each a process of its
// own with one cache for all: a sweep whose shares are handed out, one whose second device is
// lost for good (exit code 7), and its completion with --resume. The memory of none may grow with what
// those before left behind: the peaks of the last quarter stay within 5 % of those of the first.
// No Vulkan object, no temporary file and no further file in the cache may be left.
func TestSoakCommands(t *testing.T) {
	dir := t.TempDir()
	tmp, kept := filepath.Join(dir, "tmp"), filepath.Join(dir, "kept")
	for _, d := range []string{tmp, kept} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	log, file := filepath.Join(dir, "calls"), filepath.Join(dir, "r.json")
	var peaks [3][]int64 // by command of a turn
	command := func(k int, fault string, want int, args ...string) {
		t.Helper()
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		child := exec.Command(self, args...)
		child.Env = append(os.Environ(), childArgs+"=1", "AMGPU_FAULT="+fault, "TMPDIR="+tmp, "XDG_CACHE_HOME="+kept, "XDG_RUNTIME_DIR="+kept)
		out, _ := child.CombinedOutput() // the exit code says it
		if code := child.ProcessState.ExitCode(); code != want {
			t.Fatalf("%v: exit code %d, want %d\n%s", args, code, want, out)
		}
		peaks[k] = append(peaks[k], child.ProcessState.SysUsage().(*syscall.Rusage).Maxrss<<10)
		if n := filesBelow(t, tmp); n > 0 {
			t.Errorf("%v: %d temporary files are left", args, n)
		}
	}
	sweep := func(workload string, more ...string) []string {
		return append([]string{"scale", workload, "--software", "2", "--gpus", "1,2", "--mode", "strong", "--size", "4096",
			"--launches", "2", "--samples", "3", "--preset", "quick", "--max-time", "20ms", "--no-progress", "-o", file}, more...)
	}
	logged, dies := "vulkan:log="+log, []string{"device-lost:1", "vulkan:call=vkQueueSubmit2,nth=20,times=1000000,device=1,log=" + log}
	turns, files, end := 0, 0, time.Now().Add(soakTime(t, 1.0/3))
	for ; time.Now().Before(end) || turns < fewestTurns; turns++ {
		rule := partition.AssignNames()[turns%len(partition.AssignNames())]
		command(0, logged, 0, sweep("ga/product", "--strategy", "dynamic", "--assign", rule)...)
		nothingAlive(t, log)
		complete(t, file, turns)

		fault := dies[turns%len(dies)]
		command(1, fault, 7, sweep("memory/triad", "--retries", "1", "--retry-wait", "1ms")...)
		if fault != dies[0] {
			nothingAlive(t, log)
		}
		command(2, logged, 0, "scale", "--resume", file, "--no-progress")
		nothingAlive(t, log)
		complete(t, file, turns)
		n := filesBelow(t, kept)
		if turns > settledTurns && n > files {
			t.Errorf("turn %d: %d files in the cache, %d before", turns, n, files)
		}
		files = n
	}
	part := max(turns/4, 2)
	for k, of := range peaks {
		before, after := median(of[:part]), median(of[len(of)-part:])
		t.Logf("%d turns, command %d: peak %.1f MiB at first, %.1f MiB at the end, at most %.1f MiB", turns, k, float64(before)/(1<<20), float64(after)/(1<<20), float64(slices.Max(of))/(1<<20))
		if float64(after) > 1.05*float64(before) {
			t.Errorf("command %d: peak %d bytes at the end, %d at first", k, after, before)
		}
	}
	t.Logf("%d files in the cache", files)
}

// filesBelow counts what is not a folder.
func filesBelow(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// complete looks at two launches of two counts, verified, and removes the file.
func complete(t *testing.T, file string, turn int) {
	t.Helper()
	res, err := result.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, x := range res.Trials {
		if x.Status == result.OK && x.Verified {
			good++
		}
	}
	if good != 4 || len(res.Trials) != good {
		t.Fatalf("turn %d: %d launches of 4 are verified, %d in all", turn, good, len(res.Trials))
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}
