package vk_test

import (
	"context"
	"encoding/binary"
	"os"
	"testing"
	"time"

	"github.com/amgpu/amgpu/vk"
)

// spirv reads one of the test kernels.
func spirv(t testing.TB, name string) []uint32 {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".spv")
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words
}

const groupSize = 64

// kernel builds a test kernel with work-groups of 64 and further constants.
func kernel(t testing.TB, d *vk.Device, name string, bindings, pushWords int, spec ...vk.SpecConst) *vk.Kernel {
	t.Helper()
	k, err := d.NewKernel(spirv(t, name), vk.KernelOptions{
		Name: name, Bindings: bindings, PushBytes: 4 * pushWords,
		Spec: append([]vk.SpecConst{{ID: 0, Value: groupSize}}, spec...),
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func buffer(t testing.TB, d *vk.Device, size uint64, kind vk.MemKind) *vk.Buffer {
	t.Helper()
	b, err := d.NewBuffer(size, kind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closes(t, b) })
	return b
}

func set(t testing.TB, d *vk.Device, k *vk.Kernel, buffers ...*vk.Buffer) *vk.Set {
	t.Helper()
	var ranges []vk.BufferRange
	for _, b := range buffers {
		ranges = append(ranges, vk.BufferRange{Buffer: b, Size: b.Size()})
	}
	s, err := d.NewSet(k, ranges)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func record(t testing.TB, d *vk.Device, ops ...vk.Op) *vk.Commands {
	t.Helper()
	c, err := d.Record(ops)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closes(t, c) })
	return c
}

// do records, submits and waits.
func do(t testing.TB, d *vk.Device, ops ...vk.Op) {
	t.Helper()
	if err := d.Do(limit(t), record(t, d, ops...)); err != nil {
		t.Fatal(err)
	}
}

// waiting is how a schedule waits: vk.NewSchedule or vk.NewPollingSchedule.
type waiting func([]*vk.Device, []vk.Phase) (*vk.Schedule, error)

func schedule(t testing.TB, wait waiting, devices []*vk.Device, phases ...vk.Phase) *vk.Schedule {
	t.Helper()
	s, err := wait(devices, phases)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closes(t, s) })
	return s
}

// limit is a context that ends a hanging test.
func limit(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func closes(t testing.TB, c interface{ Close() error }) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func barrier(from, to vk.Stage) vk.Op { return vk.Op{Kind: vk.OpBarrier, From: from, To: to} }

func fill(b *vk.Buffer, value uint32) vk.Op {
	return vk.Op{Kind: vk.OpFill, Dst: b, Size: b.Size(), Value: value}
}

func copyAll(src, dst *vk.Buffer) vk.Op {
	return vk.Op{Kind: vk.OpCopy, Src: src, Dst: dst, Size: min(src.Size(), dst.Size())}
}

func dispatch(k *vk.Kernel, s *vk.Set, push ...uint32) vk.Op {
	return vk.Op{Kind: vk.OpDispatch, Kernel: k, Set: s, Push: push, Groups: [3]uint32{(push[0] + groupSize - 1) / groupSize, 1, 1}}
}

func words(b []byte) []uint32 {
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

func putWords(b []byte, word func(i int) uint32) {
	for i := range len(b) / 4 {
		binary.LittleEndian.PutUint32(b[4*i:], word(i))
	}
}

// check compares every word of a mapped buffer.
func check(t testing.TB, b []byte, want func(i int) uint32) {
	t.Helper()
	for i, got := range words(b) {
		if w := want(i); got != w {
			t.Fatalf("word %d is %#x, want %#x", i, got, w)
		}
	}
}
