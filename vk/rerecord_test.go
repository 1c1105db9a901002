package vk_test

import (
	"testing"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestRerecord records other work into commands that ran, with a set that binds another
// buffer, and hands them out again.
func TestRerecord(t *testing.T) {
	_, devices := vktest.Devices(t, "1")
	d := devices[0]
	const n = 64
	a, b := buffer(t, d, 4*n, vk.HostRead), buffer(t, d, 4*n, vk.HostRead)
	k := kernel(t, d, "step", 1, 1)
	s := set(t, d, k, a)
	c := record(t, d, fill(a, 1), barrier(vk.StageTransfer, vk.StageCompute), dispatch(k, s, n), barrier(vk.StageCompute, vk.StageHost))
	runs := func() {
		t.Helper()
		ticket, err := d.Hand([]*vk.Commands{c}, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Await(t.Context(), ticket); err != nil {
			t.Fatal(err)
		}
	}
	runs()
	for _, value := range []uint32{5, 9} {
		if err := d.UpdateSet(s, k, []vk.BufferRange{{Buffer: b, Size: 4 * n}}); err != nil {
			t.Fatal(err)
		}
		if err := c.Rerecord([]vk.Op{fill(b, value), barrier(vk.StageTransfer, vk.StageCompute), dispatch(k, s, n), barrier(vk.StageCompute, vk.StageHost)}); err != nil {
			t.Fatal(err)
		}
		runs()
		check(t, b.Bytes(), func(i int) uint32 { return 3*value + uint32(i) })
	}
	check(t, a.Bytes(), func(i int) uint32 { return 3 + uint32(i) })

	if err := d.UpdateSet(s, k, nil); err == nil {
		t.Error("a set was bound to nothing")
	}
	if err := c.Rerecord([]vk.Op{{Kind: vk.OpKind(99)}}); err == nil {
		t.Error("an unknown operation was recorded")
	}
	if err := c.Rerecord(nil); err != nil {
		t.Error(err)
	}
	runs()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Rerecord(nil); err == nil {
		t.Error("closed commands were recorded again")
	}
}
