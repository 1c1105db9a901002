package vk

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// Block is memory of one device that was allocated outside Vulkan.
type Block struct {
	Fd      int    // handle that the device imports once (opaque); it belongs to the receiver of the block
	Size    uint64 // bytes
	Address uint64 // of the first byte, in the terms of the source
	Free    func() error
}

// BlockSource allocates the memory of a device that others than Vulkan are to
// reach as well. Sources are compared: the same one has to be the same value.
type BlockSource interface {
	// NewBlock makes at least size bytes. Running out of memory wraps ErrOutOfMemory.
	NewBlock(size uint64) (Block, error)
}

// SetSource lets device-local buffers made from now on lie in blocks of s, so
// that they have an address; nil: in the device's own memory again. It fails
// with ErrUnsupported where the driver imports no memory.
func (d *Device) SetSource(s BlockSource) error {
	if s != nil && !d.raw.Shares(raw.Fd) {
		return fmt.Errorf("%s: %w: its driver imports no memory (VK_KHR_external_memory_fd)", d.name, ErrUnsupported)
	}
	d.memory.source = s
	return nil
}

// Address is where the buffer lies in the terms of the source its memory comes
// from; 0: it comes from none.
func (b *Buffer) Address() uint64 {
	if b.block == nil || b.block.origin == nil {
		return 0
	}
	return b.block.outer.Address + b.at
}

// importBlock takes a block from a source.
func (m *memory) importBlock(size uint64, t uint32, source BlockSource) (*memBlock, error) {
	outer, err := source.NewBlock(size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.device.name, err)
	}
	mem, code := m.device.raw.ImportFd(raw.Fd, outer.Fd, outer.Size, t)
	if code != 0 {
		_ = unix.Close(outer.Fd) // the import's error is the one to report
		_ = outer.Free()
		return nil, m.device.call(code, "vkAllocateMemory (import of %d bytes)", outer.Size)
	}
	return &memBlock{mem: mem, kind: t, heap: newHeap(outer.Size), origin: source, outer: outer}, nil
}
