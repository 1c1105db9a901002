//go:build soak

package soak

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/amgpu/amgpu/suites"
	_ "github.com/amgpu/amgpu/suites/all" // the workloads
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/soft"
)

// row is one of the mix that is repeated.
type row struct {
	id      string
	size    int64
	dynamic bool // shares are handed out, each time by another rule
	lost    bool // a device is lost at its fourth sample
}

var mix = []row{
	{id: "memory/triad", size: 1 << 18}, {id: "automata/life", size: 512}, {id: "linalg/reduction", size: 1 << 18}, {id: "comm/allreduce", size: 1 << 16},
	{id: "ga/product", size: 1 << 14, dynamic: true}, {id: "linalg/reduction", size: 1 << 16, dynamic: true}, // nothing is gathered; and a tree
	{id: "automata/life", size: 512, lost: true}, {id: "ga/product", size: 1 << 14, dynamic: true, lost: true},
}

// What the process holds is read every step rows. By the row settled caches, heaps and the
// driver's pools have reached their size.
const step, settled = 10, 400

// TestSoakRows launches, verifies and samples as many short rows of different
// communication as fit into two thirds of the time, on two software devices in one process:
// with shares that are cut beforehand and shares that are handed out, some of them until a
// device is lost. Resident memory must stay within 5 % of what it was once settled, files and
// threads must not grow, and of all Vulkan objects none may be left.
func TestSoakRows(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls")
	t.Setenv("AMGPU_FAULT", "vulkan:log="+log)
	t.Run("rows", soakRows)
	nothingAlive(t, log)
}

func soakRows(t *testing.T) {
	adapters := team(t)
	var readings []holding
	rows, end := 0, time.Now().Add(soakTime(t, 2.0/3))
	for ; time.Now().Before(end) || len(readings) < 2*fewest; rows++ {
		r := mix[rows%len(mix)]
		rule := partition.AssignNames()[rows/len(mix)%len(partition.AssignNames())]
		if err := measure(t, adapters, r, rule); err != nil {
			t.Fatalf("row %d: %+v: %v", rows, r, err)
		}
		if rows >= settled && rows%step == 0 {
			readings = append(readings, hold(t))
		}
	}
	t.Logf("%d rows, what the process holds from row %d on, every %d", rows, settled, step)
	flat(t, readings)
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

// measure is one row: launch, check, samples, close. A row whose device is lost must fail
// by that.
func measure(t *testing.T, adapters []*vk.Adapter, r row, rule string) (err error) {
	t.Helper()
	w, err := suites.Find(r.id)
	if err != nil {
		return err
	}
	info := w.Info()
	b := suites.Build{
		Size: r.size, Base: r.size, Label: "custom", Count: len(adapters), Seed: 1,
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
	spec := engine.Spec{Workload: w, Build: b, Adapters: adapters, Transport: "auto"}
	if r.dynamic {
		a, err := partition.LookupAssign(rule)
		if err != nil {
			return err
		}
		spec.Dynamic = &engine.Dynamic{Assign: a, Rates: slices.Repeat([]float64{1}, len(adapters))}
	}
	if !r.lost {
		return samples(t.Context(), spec, 3)
	}
	// The layer under Vulkan stays as the instance was opened with it. What t.Setenv keeps for
	// the end would add to the memory that the test watches.
	kept := os.Getenv("AMGPU_FAULT")
	if err := os.Setenv("AMGPU_FAULT", "device-lost:1"); err != nil { //nolint:usetesting // see above
		return err
	}
	err = samples(t.Context(), spec, 4)
	if set := os.Setenv("AMGPU_FAULT", kept); set != nil { //nolint:usetesting // see above
		return set
	}
	if !errors.Is(err, vk.ErrDeviceLost) {
		return errors.Join(errors.New("no device was lost"), err)
	}
	return nil
}

// samples launches, verifies and takes samples of two iterations.
func samples(ctx context.Context, spec engine.Spec, n int) (err error) {
	s, err := engine.Launch(ctx, spec)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := s.Close(); err == nil || closeErr != nil {
			err = errors.Join(err, closeErr)
		}
	}()
	v, err := s.Verify(ctx, false)
	if err != nil {
		return err
	}
	if v.Outcome.Wrong != "" {
		return errors.New("wrong result: " + v.Outcome.Wrong)
	}
	for range n {
		if _, err := s.Sample(ctx, min(2, s.MaxReps())); err != nil {
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
