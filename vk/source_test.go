package vk_test

import (
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// lender is a BlockSource whose memory another device allocated and the host
// sees; addresses are the host's.
type lender struct {
	from   *vk.Device
	blocks int // lent and not yet given back
	fail   error
}

func (l *lender) NewBlock(size uint64) (vk.Block, error) {
	if l.fail != nil {
		return vk.Block{}, l.fail
	}
	b, fd, err := l.from.NewShared(size, vk.Opaque, vk.HostWrite)
	if err != nil {
		return vk.Block{}, err
	}
	l.blocks++
	return vk.Block{Fd: fd, Size: size, Address: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b.Bytes())))), Free: func() error {
		l.blocks--
		return b.Close()
	}}, nil
}

// hostBytes is the host's view of a buffer in lent memory.
func hostBytes(b *vk.Buffer) []byte {
	at := b.Address()
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), b.Size())
}

// Buffers of a device with a source lie in its blocks: what kernels write is at
// the address, small buffers share a block, a large one gives its own back.
func TestBufferInForeignMemory(t *testing.T) {
	_, devices := vktest.Devices(t, "2")
	d, l := devices[0], &lender{from: devices[1]}
	own := buffer(t, d, 4096, vk.DeviceLocal)
	if err := d.SetSource(l); err != nil {
		t.Fatal(err)
	}
	a, b := buffer(t, d, 4000, vk.DeviceLocal), buffer(t, d, 4000, vk.DeviceLocal)
	if own.Address() != 0 || buffer(t, d, 64, vk.HostRead).Address() != 0 {
		t.Error("a buffer in Vulkan's own memory has an address")
	}
	if a.Address() == 0 || b.Address() == 0 || l.blocks != 1 {
		t.Fatalf("addresses %#x and %#x in %d blocks, want two in one", a.Address(), b.Address(), l.blocks)
	}
	k := kernel(t, d, "step", 1, 1)
	do(t, d, fill(a, 7), fill(b, 9), barrier(vk.StageTransfer, vk.StageCompute), dispatch(k, set(t, d, k, a), 1000), barrier(vk.StageCompute, vk.StageHost))
	check(t, hostBytes(a), func(i int) uint32 { return 7*3 + uint32(i) })
	check(t, hostBytes(b), func(int) uint32 { return 9 })

	large, err := d.NewBuffer(64<<20, vk.DeviceLocal)
	if err != nil {
		t.Fatal(err)
	}
	if l.blocks != 2 {
		t.Errorf("%d blocks with a large buffer, want 2", l.blocks)
	}
	closes(t, large)
	if l.blocks != 1 {
		t.Errorf("%d blocks after the large buffer was closed, want 1", l.blocks)
	}
	if err := d.SetSource(nil); err != nil {
		t.Fatal(err)
	}
	if buffer(t, d, 4000, vk.DeviceLocal).Address() != 0 {
		t.Error("a buffer made without a source has an address")
	}
	closes(t, d)
	if l.blocks != 0 {
		t.Errorf("%d blocks are left after the device was closed", l.blocks)
	}
}

// badSource hands out what cannot be imported.
type badSource struct{ freed int }

func (s *badSource) NewBlock(size uint64) (vk.Block, error) {
	return vk.Block{Fd: -1, Size: size, Free: func() error { s.freed++; return nil }}, nil
}

func TestSourceRefusals(t *testing.T) {
	_, devices := vktest.Devices(t, "2")
	d := devices[0]
	l := &lender{from: devices[1], fail: fmt.Errorf("no more: %w", vk.ErrOutOfMemory)}
	if err := d.SetSource(l); err != nil {
		t.Fatal(err)
	}
	if _, err := d.NewBuffer(64, vk.DeviceLocal); !errors.Is(err, vk.ErrOutOfMemory) {
		t.Errorf("a source without memory: %v", err)
	}
	s := &badSource{}
	if err := d.SetSource(s); err != nil {
		t.Fatal(err)
	}
	if _, err := d.NewBuffer(64, vk.DeviceLocal); err == nil || s.freed == 0 {
		t.Errorf("memory that cannot be imported: %v, blocks given back %d", err, s.freed)
	}
	blocks, _ := d.MemoryInUse()
	if blocks != 0 {
		t.Errorf("%d blocks in use after failures", blocks)
	}
}

// Lavapipe of the supported versions shares memory with its own kind only, so
// crossing drivers is refused by name.
func TestDmaBufRefusal(t *testing.T) {
	_, devices := vktest.Devices(t, "1+swiftshader")
	for _, d := range devices {
		if d.Shares(vk.DmaBuf) {
			continue
		}
		_, _, err := d.NewShared(4096, vk.DmaBuf, vk.DeviceLocal)
		if !errors.Is(err, vk.ErrUnsupported) {
			t.Errorf("export: %v", err)
		}
		if _, err := d.ImportDmaBuf(-1, 4096); !errors.Is(err, vk.ErrUnsupported) {
			t.Errorf("import: %v", err)
		}
	}
}
