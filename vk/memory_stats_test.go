package vk

import (
	"errors"
	"os"
	"testing"

	"github.com/amgpu/amgpu/vk/soft"
)

// opened is one software device with a memory budget.
func opened(t *testing.T, budget uint64) *Device {
	t.Helper()
	t.Setenv("AMGPU_VKTEST", "1")
	cleanup, err := soft.Prepare(soft.Spec{Lavapipe: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cleanup)
	in, err := Open(Options{Validation: true})
	if err != nil {
		t.Fatal(err)
	}
	d, err := in.Adapters()[0].Open(DeviceOptions{MemoryBudget: budget, CacheDir: os.DevNull})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(d.Close(), in.Close()); err != nil {
			t.Error(err)
		}
	})
	return d
}

// Within the budget buffers are made, beyond it they are refused, and what is given
// back can be taken again. Memory of the host is not in it.
func TestMemoryBudget(t *testing.T) {
	const mib = 1 << 20
	d := opened(t, 160*mib)
	small, err := d.NewBuffer(mib, DeviceLocal) // takes a block of 64 MiB
	if err != nil {
		t.Fatal(err)
	}
	again, err := d.NewBuffer(mib, DeviceLocal)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.NewBuffer(100*mib, DeviceLocal); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("beyond the budget: %v", err)
	}
	if _, err := d.NewBuffer(200*mib, HostWrite); err != nil {
		t.Errorf("host memory: %v", err)
	}
	large, err := d.NewBuffer(70*mib, DeviceLocal)
	if err != nil {
		t.Fatal(err)
	}
	want := MemoryStats{Budget: 160 * mib, Device: 64*mib + large.block.heap.size, HighWater: 64*mib + large.block.heap.size, Host: 200 * mib, Reused: 1, Taken: 3}
	if got := d.Memory(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, b := range []*Buffer{small, again, large} {
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	// The emptied block of small buffers makes room for a large one.
	if _, err := d.NewBuffer(150*mib, DeviceLocal); err != nil {
		t.Errorf("after giving back: %v", err)
	}
	if got := d.Memory(); got.Device < 150*mib || got.HighWater != got.Device {
		t.Errorf("%+v", got)
	}
}

// What nobody gave back is said at the end.
func TestLeak(t *testing.T) {
	d := opened(t, 0)
	if _, err := d.NewBuffer(1<<20, DeviceLocal); err != nil {
		t.Fatal(err)
	}
	block := d.memory.blocks[0]
	block.heap.take(16, 16) // a range without a buffer
	if err := d.memory.close(); !errors.Is(err, ErrLeak) {
		t.Errorf("a lost range: %v", err)
	}
	block.heap = newHeap(block.heap.size)
}

// TestMemoryUse: of a budget that was given what buffers took of it; a software device alone
// knows no other. The driver is asked anew for its heaps and says the same of what does not change.
func TestMemoryUse(t *testing.T) {
	const mib = 1 << 20
	d := opened(t, 200*mib)
	for _, want := range []uint64{0, 64 * mib} {
		if used, budget, ok := d.MemoryUse(); used != want || budget != 200*mib || !ok {
			t.Errorf("%d of %d, %v; want %d in use", used, budget, ok, want)
		}
		if want == 0 {
			if _, err := d.NewBuffer(mib, DeviceLocal); err != nil {
				t.Fatal(err)
			}
		}
	}
	d.options.MemoryBudget = 0
	if used, budget, ok := d.MemoryUse(); ok {
		t.Errorf("a software device has %d of %d in use", used, budget)
	}
	heaps := d.adapter.Heaps()
	if len(heaps) == 0 || len(heaps) != len(d.Info().Heaps) {
		t.Fatalf("%+v, before %+v", heaps, d.Info().Heaps)
	}
	for i, h := range d.Info().Heaps {
		if g := heaps[i]; g.Size != h.Size || g.DeviceLocal != h.DeviceLocal || g.BudgetKnown != h.BudgetKnown || (g.Budget == 0) != (h.Budget == 0) {
			t.Errorf("heap %d: %+v, before %+v", i, g, h)
		}
	}
	if absent := Absent(*d.Info()); len(absent.Heaps()) != len(heaps) {
		t.Error("nothing is known of an absent adapter")
	}
}
