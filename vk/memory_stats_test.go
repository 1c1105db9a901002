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
