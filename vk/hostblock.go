package vk

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// HostBlock is page-aligned host memory outside the Go heap that devices can
// import, so that all of them see the same bytes.
type HostBlock struct {
	mem []byte

	lock  sync.Mutex
	users []*Device // that imported it
}

// NewHostBlock maps at least size bytes, rounded up to whole pages of 64 KiB,
// and touches them.
func NewHostBlock(size uint64) (*HostBlock, error) {
	const granule = 64 << 10 // the largest page and import alignment in use
	size = (size + granule - 1) / granule * granule
	mem, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes of host memory: %w", size, err)
	}
	for i := 0; i < len(mem); i += os.Getpagesize() {
		mem[i] = 0
	}
	return &HostBlock{mem: mem}, nil
}

// Bytes is the memory.
func (h *HostBlock) Bytes() []byte { return h.mem }

// Close unmaps the memory; every import must be closed before. Memory that a stuck
// device imported stays mapped: the device may still write to it.
func (h *HostBlock) Close() error {
	if h == nil || h.mem == nil {
		return nil
	}
	mem := h.mem
	h.mem = nil
	if slices.ContainsFunc(h.users, (*Device).Stuck) {
		return nil
	}
	return unix.Munmap(mem)
}

// Import makes a buffer of the block's memory (VK_EXT_external_memory_host).
// An error wraps ErrUnsupported when the device cannot do it.
func (d *Device) Import(h *HostBlock) (*Buffer, error) {
	align := d.Info().Limits.ImportAlign
	if !d.raw.HostImport() || align == 0 {
		return nil, fmt.Errorf("import host memory on %s: %w: the driver makes no buffers of it (VK_EXT_external_memory_host)", d.name, ErrUnsupported)
	}
	size := uint64(len(h.mem))
	base := unsafe.Pointer(unsafe.SliceData(h.mem))
	if size%align != 0 || uintptr(base)%uintptr(align) != 0 {
		return nil, fmt.Errorf("import host memory on %s: %w: it must be aligned to %d bytes", d.name, ErrUnsupported, align)
	}
	rb, _, _, types, code := d.raw.NewBuffer(size, raw.Host)
	if err := d.call(code, "vkCreateBuffer (%d bytes of host memory)", size); err != nil {
		return nil, err
	}
	mem, _, code := d.raw.ImportHost(base, size, types)
	if code != 0 {
		d.raw.FreeBuffer(rb)
		if Result(code) == InvalidHandle {
			return nil, fmt.Errorf("import host memory on %s: %w: %w", d.name, ErrUnsupported, InvalidHandle)
		}
		return nil, d.call(code, "vkAllocateMemory (import of %d bytes of host memory)", size)
	}
	b, err := d.own(rb, mem, size)
	if err != nil {
		return nil, err
	}
	b.bytes = h.mem
	h.lock.Lock()
	defer h.lock.Unlock()
	h.users = append(h.users, d)
	return b, nil
}
