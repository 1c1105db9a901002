//go:build soak

package soak

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// timeEnv is how long rows and commands are repeated, a Go duration; defaultTime without it.
const (
	timeEnv     = "AMGPU_SOAK_TIME"
	defaultTime = 30 * time.Minute
)

// soakTime is the part of that time that a test gets.
func soakTime(t *testing.T, part float64) time.Duration {
	t.Helper()
	d := defaultTime
	if text := os.Getenv(timeEnv); text != "" {
		var err error
		if d, err = time.ParseDuration(text); err != nil {
			t.Fatalf("%s: %v", timeEnv, err)
		}
	}
	return time.Duration(part * float64(d))
}

// fewest is how many readings of what the process holds a median is of at least; one
// reading of its memory varies by a few percent with what the driver's allocator holds at
// that moment.
const fewest = 10

// holding is what a process holds between two rows; heap is what Go holds of it, in bytes: the
// rest is the driver's.
type holding struct{ resident, heap, files, threads, goroutines int64 }

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
	rss := resident(t) // collects garbage first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return holding{rss, int64(m.HeapAlloc), count("/proc/self/fd"), count("/proc/self/task"), int64(runtime.NumGoroutine())}
}

// flat compares the first and the last readings: resident memory must stay within 5 %, Go's
// part of it within a quarter of a MiB, and files, threads and goroutines must not grow.
func flat(t *testing.T, readings []holding) {
	t.Helper()
	part := max(len(readings)/4, fewest)
	first, last := readings[:part], readings[len(readings)-part:]
	memory := func(h holding) int64 { return h.resident }
	before, after := median(pick(first, memory)), median(pick(last, memory))
	t.Logf("resident: %.1f MiB at first, %.1f MiB at the end; open files %d and %d, threads %d and %d", float64(before)/(1<<20), float64(after)/(1<<20),
		first[0].files, last[part-1].files, first[0].threads, last[part-1].threads)
	heap := func(h holding) int64 { return h.heap }
	heapBefore, heapAfter := median(pick(first, heap)), median(pick(last, heap))
	t.Logf("Go's heap: %d KiB at first, %d KiB at the end", heapBefore>>10, heapAfter>>10)
	if heapAfter > heapBefore+1<<18 {
		t.Errorf("Go's heap grew from %d to %d bytes", heapBefore, heapAfter)
	}
	t.Logf("MiB resident: %v", mebibytes(pick(readings, memory)))
	if float64(after) > 1.05*float64(before) {
		t.Errorf("%d bytes resident at the end, %d once settled: more than 5 %% growth", after, before)
	}
	for name, of := range map[string]func(holding) int64{"open files": func(h holding) int64 { return h.files }, "threads": func(h holding) int64 { return h.threads },
		"goroutines": func(h holding) int64 { return h.goroutines }} {
		if a, b := slices.Max(pick(first, of)), slices.Max(pick(last, of)); b > a {
			t.Errorf("%s: %d at the end, %d once settled", name, b, a)
		}
	}
}

func pick(list []holding, of func(holding) int64) []int64 {
	out := make([]int64, len(list))
	for i, h := range list {
		out[i] = of(h)
	}
	return out
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

// nothingAlive reads what the fault layer wrote at the end of an instance: no Vulkan object
// may be left.
func nothingAlive(t *testing.T, log string) {
	t.Helper()
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
