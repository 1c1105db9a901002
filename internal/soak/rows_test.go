//go:build soak

package soak

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	_ "github.com/amgpu/amgpu/suites/all" // the workloads
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/soft"
)

// rows is how many launches one process makes. Memory is read every step rows;
// one reading varies by a few percent with what the driver's allocator holds at
// that moment, so medians over window readings are compared. By the row settled
// caches, heaps and the driver's pools have reached their size.
const rows, step, window, settled = 1000, 10, 20, 100

// TestSoakRows launches, verifies and samples a thousand rows of different
// communication on two software devices in one process. Resident memory must
// stay within 5 % of what it was once settled.
func TestSoakRows(t *testing.T) {
	adapters := team(t)
	small := []struct {
		id   string
		size int64
	}{{"memory/triad", 1 << 18}, {"automata/life", 512}, {"linalg/reduction", 1 << 18}, {"comm/allreduce", 1 << 16}}
	var readings []int64
	for row := 1; row <= rows; row++ {
		w := small[row%len(small)]
		if err := measure(t.Context(), adapters, w.id, w.size); err != nil {
			t.Fatalf("row %d: %s: %v", row, w.id, err)
		}
		if row > settled && row%step == 0 {
			readings = append(readings, resident(t))
		}
	}
	t.Logf("MiB resident every %d rows from row %d: %v", step, settled+step, mebibytes(readings))
	before, after := median(readings[:window]), median(readings[len(readings)-window:])
	t.Logf("resident: %.1f MiB after %d rows, %.1f MiB after %d", float64(before)/(1<<20), settled, float64(after)/(1<<20), rows)
	if float64(after) > 1.05*float64(before) {
		t.Errorf("%d bytes resident at the end, %d once settled: more than 5 %% growth", after, before)
	}
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
