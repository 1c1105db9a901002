//go:build soak

package soak

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/amgpu/amgpu/cmd"
	"github.com/amgpu/amgpu/report/result"
)

// childArgs, when set in the environment, makes this test binary the program
// itself, so that the peak memory of one command can be seen alone.
const childArgs = "AMGPU_SOAK_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childArgs) != "" {
		os.Exit(cmd.Main(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestSoakTrials writes 10,000 trials of 200 samples through the journal, whose
// cost per trial must not grow with the file, and renders and compares them in under
// 500 MB.
func TestSoakTrials(t *testing.T) {
	const trials, limit = 10_000, 500_000_000
	path := filepath.Join(t.TempDir(), "big.json")
	var devices []result.Device
	for i := range 4 {
		devices = append(devices, result.Device{Index: i, Name: "soak device", UUID: fmt.Sprintf("%032x", i+1), Type: "discrete", Driver: "1", API: "1.3.0"})
	}
	j, err := result.OpenJournal(path, &result.Result{
		Schema: result.Schema, Created: time.Unix(1_700_000_000, 0).UTC(), Tool: result.Tool{Name: "amgpu", Version: "soak"},
		Host: result.Host{OS: "linux", Arch: "amd64", Cores: 2}, Devices: devices,
		Plan: result.Plan{Seed: 1, Preset: "default", Counts: []int{1, 2, 4}, Modes: []string{"strong"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var first, last time.Duration
	start := time.Now()
	for i := range trials {
		if err := j.Append(trial(i)); err != nil {
			t.Fatal(err)
		}
		switch i + 1 {
		case trials / 4:
			first = time.Since(start)
		case trials * 3 / 4:
			last = -time.Since(start)
		}
	}
	last += time.Since(start)
	t.Logf("first quarter %v, last quarter %v", first, last)
	if last > 3*first {
		t.Errorf("the last quarter of the trials took %v to write, the first %v: not linear", last, first)
	}
	if _, err := j.Fold(); err != nil {
		t.Fatal(err)
	}

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"report", path},
		{"report", path, "--format", "text,md,csv,html", "-o", filepath.Join(t.TempDir(), "report")},
		{"gate", path, path, "-o", filepath.Join(t.TempDir(), "gate.txt")},
	} {
		child := exec.Command(self, args...)
		child.Env = append(os.Environ(), childArgs+"=1")
		start = time.Now()
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %.2000s", args[0], err, out)
		}
		peak := child.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
		t.Logf("%d trials, %s %v: %v, peak %d MB", trials, args[0], args[2:], time.Since(start), peak/1_000_000)
		if peak > limit {
			t.Errorf("%s needed %d bytes, more than %d", args[0], peak, limit)
		}
	}
}

// trial is the i-th of 50 workloads x 3 counts, launch after launch.
func trial(i int) result.Trial {
	counts := []int{1, 2, 4}
	count := counts[i%len(counts)]
	devices := make([]int, count)
	samples := make([]float64, 200)
	for d := range devices {
		devices[d] = d
	}
	for s := range samples {
		samples[s] = (1 + 0.001*float64((i*31+s*17)%13)) / float64(count)
	}
	return result.Trial{
		Key: result.Key{
			Workload: fmt.Sprintf("soak/w%02d", i/3%50), Mode: "strong", Size: result.Size{Label: "M", N: 1 << 20},
			Strategy: "equal", Split: "units", Residency: "resident", Cache: "hot",
		},
		Count: count, Devices: devices, Launch: i / 150, Block: i / 150, Status: result.OK, Verified: true,
		Digest: "00", Total: 1 << 20, Samples: samples, Reps: 1, Work: result.Work{Value: 1 << 20, Unit: "flop"},
		Started: time.Unix(1_700_000_000+int64(i), 0).UTC(),
	}
}
