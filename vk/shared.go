package vk

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// Sharing is a way in which memory crosses the border of its device.
type Sharing int

// Ways of sharing.
const (
	// Opaque handles lead back into the driver of the device they come from
	// (VK_KHR_external_memory_fd).
	Opaque Sharing = iota
	// DmaBuf handles are the kernel's and cross drivers (VK_EXT_external_memory_dma_buf).
	DmaBuf
)

func (s Sharing) raw() int {
	if s == DmaBuf {
		return raw.DmaBuf
	}
	return raw.Fd
}

// Shares says whether the device exports and imports memory in a way.
func (d *Device) Shares(how Sharing) bool { return d.raw.Shares(how.raw()) }

func (d *Device) refuseSharing(how Sharing) error {
	extension := "VK_KHR_external_memory_fd"
	if how == DmaBuf {
		extension = "VK_EXT_external_memory_dma_buf"
	}
	return fmt.Errorf("%s: %w: its driver shares no memory that way (%s)", d.name, ErrUnsupported, extension)
}

// NewShared makes a buffer in an allocation of its own that others can import
// through fd, which the caller must close.
func (d *Device) NewShared(size uint64, how Sharing, kind MemKind) (b *Buffer, fd int, err error) {
	if !d.Shares(how) {
		return nil, -1, d.refuseSharing(how)
	}
	rb, need, _, types, code := d.raw.NewBuffer(size, how.raw())
	if err := d.call(code, "vkCreateBuffer (%d bytes, shared)", size); err != nil {
		return nil, -1, err
	}
	order := d.memory.typesFor(types, kind)
	if len(order) == 0 {
		d.raw.FreeBuffer(rb)
		return nil, -1, fmt.Errorf("%s has no memory type for a shared buffer: %w", d.name, ErrUnsupported)
	}
	mem, ptr, fd, code := d.raw.AllocShared(how.raw(), need, order[0], kind != DeviceLocal)
	if err := d.call(code, "vkAllocateMemory (%d bytes, shared)", need); err != nil {
		d.raw.FreeBuffer(rb)
		return nil, -1, err
	}
	b, err = d.own(rb, mem, size)
	if err != nil {
		return nil, -1, errors.Join(err, unix.Close(fd))
	}
	if ptr != nil {
		b.bytes = mappedBytes(ptr, size)
	}
	return b, fd, nil
}

// ImportDmaBuf makes a buffer of another device's memory. The device takes fd
// over; after an error the caller still has to close it.
func (d *Device) ImportDmaBuf(fd int, size uint64) (*Buffer, error) {
	if !d.Shares(DmaBuf) {
		return nil, d.refuseSharing(DmaBuf)
	}
	rb, need, _, types, code := d.raw.NewBuffer(size, raw.DmaBuf)
	if err := d.call(code, "vkCreateBuffer (%d bytes, dma-buf)", size); err != nil {
		return nil, err
	}
	can, code := d.raw.DmaBufTypes(fd)
	err := d.call(code, "vkGetMemoryFdPropertiesKHR")
	if err == nil && can&types == 0 {
		err = fmt.Errorf("%s: %w: no memory type takes this dma-buf", d.name, ErrUnsupported)
	}
	for t := uint32(0); t < 32; t++ {
		if can&types>>t&1 == 0 {
			continue
		}
		mem, code := d.raw.ImportFd(raw.DmaBuf, fd, need, t)
		if code == 0 {
			return d.own(rb, mem, size)
		}
		err = d.call(code, "vkAllocateMemory (import of a dma-buf of %d bytes)", need)
	}
	d.raw.FreeBuffer(rb)
	return nil, err
}

// own makes a buffer with memory of its own, which it frees when that fails.
func (d *Device) own(rb raw.Buffer, mem raw.Memory, size uint64) (*Buffer, error) {
	if err := d.call(d.raw.Bind(rb, mem, 0), "vkBindBufferMemory"); err != nil {
		d.raw.FreeBuffer(rb)
		d.raw.Free(mem)
		return nil, err
	}
	b := &Buffer{device: d, raw: rb, size: size, host: mem}
	d.memory.live[b] = struct{}{}
	return b, nil
}
