//go:build long

package vk_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/soft"
)

// resident is this process's resident memory in bytes.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// flat runs cycle many times and compares the resident memory after the second
// fifth, when caches are warm, with that at the end.
func flat(t *testing.T, cycles int, cycle func()) {
	t.Helper()
	var early int
	for i := range cycles {
		cycle()
		if i == cycles*2/5 {
			early = resident(t)
		}
	}
	end := resident(t)
	t.Logf("resident memory: %d MiB after %d cycles, %d MiB after %d", early>>20, cycles*2/5, end>>20, cycles)
	if end > early+early/20 {
		t.Errorf("resident memory grew from %d to %d bytes", early, end)
	}
}

// work uses every kind of object of a device once.
func work(t *testing.T, a *vk.Adapter) {
	t.Helper()
	d, err := a.Open(vk.DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer closes(t, d)
	b, err := d.NewBuffer(1<<20, vk.HostRead)
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.NewKernel(spirv(t, "step"), vk.KernelOptions{Name: "step", Bindings: 1, PushBytes: 4, Spec: []vk.SpecConst{{ID: 0, Value: groupSize}}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := d.NewQueries(1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Record([]vk.Op{
		fill(b, 1), barrier(vk.StageTransfer, vk.StageCompute), dispatch(k, set(t, d, k, b), 1024),
		{Kind: vk.OpTimestamp, Queries: q}, barrier(vk.StageCompute, vk.StageHost),
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := vk.NewSchedule([]*vk.Device{d}, []vk.Phase{{Submissions: [][]*vk.Commands{{c}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer closes(t, s)
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := words(b.Bytes())[9]; got != 12 {
		t.Fatalf("got %d", got)
	}
}

func TestOpenInstanceAThousandTimes(t *testing.T) {
	cleanup, err := soft.Prepare(soft.Spec{Lavapipe: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer cleanup()
	flat(t, 1000, func() {
		in, err := vk.Open(vk.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range in.Adapters() {
			work(t, a)
		}
		closes(t, in)
	})
}

func TestOpenDeviceAThousandTimes(t *testing.T) {
	cleanup, err := soft.Prepare(soft.Spec{Lavapipe: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer cleanup()
	in, err := vk.Open(vk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closes(t, in)
	flat(t, 1000, func() { work(t, in.Adapters()[0]) })
}
