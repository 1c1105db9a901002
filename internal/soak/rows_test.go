//go:build soak

package soak

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/suites"
	_ "github.com/amgpu/amgpu/suites/all" // the workloads
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/soft"
)

// timeEnv is how long rows are measured, a Go duration; defaultTime without it.
const (
	timeEnv     = "AMGPU_SOAK_TIME"
	defaultTime = 30 * time.Minute
)

// What the process holds is read every step rows; one reading of its memory varies by a
// few percent with what the driver's allocator holds at that moment, so medians of the
// first and the last readings are compared. By the row settled caches, heaps and the
// driver's pools have reached their size.
const step, settled, fewest = 10, 100, 10

// holding is what a process holds between two rows.
type holding struct{ resident, files, threads int64 }

// TestSoakRows launches, verifies and samples as many short rows of different
// communication as fit into the time, on two software devices in one process. Resident
// memory must stay within 5 % of what it was once settled, files and threads must not
// grow, and of all Vulkan objects none may be left.
func TestSoakRows(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls")
	t.Setenv("AMGPU_FAULT", "vulkan:log="+log)
	t.Run("rows", soakRows)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "alive ") {
			t.Errorf("left at the end: %s", line)
		}
	}
}

func soakRows(t *testing.T) {
	adapters := team(t)
	small := []struct {
		id   string
		size int64
	}{{"memory/triad", 1 << 18}, {"automata/life", 512}, {"linalg/reduction", 1 << 18}, {"comm/allreduce", 1 << 16}}
	var readings []holding
	rows, end := 0, time.Now().Add(soakTime(t))
	for ; time.Now().Before(end) || len(readings) < 2*fewest; rows++ {
		w := small[rows%len(small)]
		if err := measure(t.Context(), adapters, w.id, w.size); err != nil {
			t.Fatalf("row %d: %s: %v", rows, w.id, err)
		}
		if rows >= settled && rows%step == 0 {
			readings = append(readings, hold(t))
		}
	}
	part := max(len(readings)/4, fewest)
	first, last := readings[:part], readings[len(readings)-part:]
	memory := func(h holding) int64 { return h.resident }
	before, after := median(pick(first, memory)), median(pick(last, memory))
	t.Logf("%d rows; resident: %.1f MiB after %d rows, %.1f MiB at the end; open files %d and %d, threads %d and %d", rows, float64(before)/(1<<20), settled, float64(after)/(1<<20),
		first[0].files, last[part-1].files, first[0].threads, last[part-1].threads)
	t.Logf("MiB resident every %d rows: %v", step, mebibytes(pick(readings, memory)))
	if float64(after) > 1.05*float64(before) {
		t.Errorf("%d bytes resident at the end, %d once settled: more than 5 %% growth", after, before)
	}
	for name, of := range map[string]func(holding) int64{"open files": func(h holding) int64 { return h.files }, "threads": func(h holding) int64 { return h.threads }} {
		if a, b := slices.Max(pick(first, of)), slices.Max(pick(last, of)); b > a {
			t.Errorf("%s: %d at the end, %d once settled", name, b, a)
		}
	}
}

func soakTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv(timeEnv)
	if text == "" {
		return defaultTime
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", timeEnv, err)
	}
	return d
}

func pick(list []holding, of func(holding) int64) []int64 {
	out := make([]int64, len(list))
	for i, h := range list {
		out[i] = of(h)
	}
	return out
}

// hold reads what the process holds.
func hold(t *testing.T) holding {
	t.Helper()
	count := func(dir string) int64 {
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return int64(len(list))
	}
	return holding{resident(t), count("/proc/self/fd"), count("/proc/self/task")}
}

// mebibytes rounds readings for the log.
func mebibytes(v []int64) []int64 {
	out := make([]int64, len(v))
	for i, b := range v {
		out[i] = (b + 1<<19) >> 20
	}
	return out
}

func median(v []int64) int64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// team opens two software devices without the validation layer, whose own
// records would grow.
func team(t *testing.T) []*vk.Adapter {
	t.Helper()
	cleanup, err := soft.Prepare(soft.Spec{Lavapipe: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cleanup)
	in, err := vk.Open(vk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
	return in.Adapters()
}

// measure is one row: launch, check, three samples, close.
func measure(ctx context.Context, adapters []*vk.Adapter, id string, size int64) (err error) {
	w, err := suites.Find(id)
	if err != nil {
		return err
	}
	info := w.Info()
	b := suites.Build{
		Size: size, Base: size, Label: "custom", Count: len(adapters), Seed: 1,
		Params: map[string]int64{}, Limits: engine.PoolLimits(adapters), Divide: halves,
	}
	if len(info.Splits) > 0 {
		b.Split = info.Splits[0]
	}
	if len(info.Algorithms) > 0 {
		b.Algorithm = info.Algorithms[0]
	}
	for _, p := range info.Params {
		b.Params[p.Name] = p.Default
	}
	s, err := engine.Launch(ctx, engine.Spec{Workload: w, Build: b, Adapters: adapters, Transport: "auto"})
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := s.Close(); err == nil {
			err = closeErr
		}
	}()
	v, err := s.Verify(ctx, false)
	if err != nil {
		return err
	}
	if v.Outcome.Wrong != "" {
		return errors.New("wrong result: " + v.Outcome.Wrong)
	}
	for range 3 {
		if _, err := s.Sample(ctx, 2); err != nil {
			return err
		}
	}
	return nil
}

// halves divides units over two devices at a multiple of granule.
func halves(units, granule int64) []program.Share {
	middle := units / 2 / max(granule, 1) * max(granule, 1)
	return []program.Share{{Lo: 0, Hi: middle}, {Lo: middle, Hi: units}}
}

// resident is the resident set of this process in bytes, after Go has given
// back what it does not use.
func resident(t *testing.T) int64 {
	t.Helper()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, line, ok := strings.Cut(string(text), "VmRSS:")
	var kib int64
	if _, err := fmt.Sscan(line, &kib); !ok || err != nil {
		t.Fatalf("no VmRSS in /proc/self/status: %v", err)
	}
	return kib << 10
}
