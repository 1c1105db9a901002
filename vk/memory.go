package vk

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// MemKind says what a buffer is for.
type MemKind int

// Kinds of memory.
const (
	DeviceLocal MemKind = iota // fastest for kernels, not mapped
	HostRead                   // mapped; the host reads what the device wrote
	HostWrite                  // mapped; the device reads what the host wrote
)

// BlockBytes is the device memory that small buffers are cut from at a time.
const BlockBytes = 64 << 20

// Sizes of the allocations small buffers are cut from: host memory is pinned
// page by page when it is allocated, so its blocks are smaller.
const (
	blockBytes     = BlockBytes
	hostBlockBytes = 8 << 20
)

// memory sub-allocates buffers from few device allocations.
type memory struct {
	device *Device
	source BlockSource // of device-local buffers; nil: the device's own memory
	blocks []*memBlock
	live   map[*Buffer]struct{}

	problems []error // of sources whose blocks could not be freed, for Close
	stats    MemoryStats
}

// memBlock is one allocation.
type memBlock struct {
	mem    raw.Memory
	kind   uint32 // memory type
	heap   *heap
	mapped unsafe.Pointer
	shared bool // kept when empty: the next small buffer is not far
	origin BlockSource
	outer  Block // of origin
}

func newMemory(d *Device) *memory { return &memory{device: d, live: map[*Buffer]struct{}{}} }

// Buffer is a range of device memory usable by kernels and copies.
type Buffer struct {
	device *Device
	raw    raw.Buffer
	size   uint64
	block  *memBlock  // nil: memory of its own
	at     uint64     // in the block
	room   uint64     // bytes taken in the block
	host   raw.Memory // of its own: imported or shared
	bytes  []byte
}

// Size is the size in bytes asked for.
func (b *Buffer) Size() uint64 { return b.size }

// Bytes is the mapped memory of HostRead and HostWrite buffers, nil for others.
// It is C memory, valid until the buffer is closed.
func (b *Buffer) Bytes() []byte { return b.bytes }

// of reports whether the buffer is an open one of d.
func (b *Buffer) of(d *Device) bool { return b != nil && b.device == d }

// holds reports whether size bytes at offset at lie in the buffer.
func (b *Buffer) holds(at, size uint64) bool { return at <= b.size && size <= b.size-at }

// Device is the owner.
func (b *Buffer) Device() *Device { return b.device }

// NewBuffer makes a buffer of size bytes. Running out of memory wraps
// ErrOutOfMemory, a size beyond the device's limits ErrUnsupported.
func (d *Device) NewBuffer(size uint64, kind MemKind) (*Buffer, error) {
	if d.Absent() {
		return d.absentBuffer(size)
	}
	limits := d.Info().Limits
	if size == 0 {
		return nil, fmt.Errorf("buffer of 0 bytes on %s", d.name)
	}
	if size > limits.MaxBufferSize || size > limits.MaxAllocation {
		return nil, fmt.Errorf("buffer of %d bytes on %s: %w: the largest is %d", size, d.name, ErrUnsupported, min(limits.MaxBufferSize, limits.MaxAllocation))
	}
	handle, source := raw.Own, BlockSource(nil)
	if kind == DeviceLocal && d.memory.source != nil {
		handle, source = raw.Fd, d.memory.source
	}
	rb, need, align, types, code := d.raw.NewBuffer(size, handle)
	if err := d.call(code, "vkCreateBuffer (%d bytes)", size); err != nil {
		return nil, err
	}
	b := &Buffer{device: d, raw: rb, size: size}
	if err := d.memory.place(b, need, align, types, kind, source); err != nil {
		d.raw.FreeBuffer(rb)
		return nil, err
	}
	return b, nil
}

// place finds or makes room for a buffer and binds it.
func (m *memory) place(b *Buffer, need, align uint64, types uint32, kind MemKind, source BlockSource) error {
	order := m.typesFor(types, kind)
	if len(order) == 0 {
		return fmt.Errorf("%s has no memory type for a buffer: %w", m.device.name, ErrUnsupported)
	}
	var last error
	for _, t := range order {
		last = m.placeIn(b, need, align, t, kind != DeviceLocal, source)
		if last == nil || !errors.Is(last, ErrOutOfMemory) {
			return last
		}
	}
	return last
}

func (m *memory) placeIn(b *Buffer, need, align uint64, t uint32, mapped bool, source BlockSource) error {
	for _, blk := range m.blocks {
		if blk.kind != t || (blk.mapped != nil) != mapped || blk.origin != source {
			continue
		}
		if at, ok := blk.heap.take(need, align); ok {
			m.stats.Reused++
			return m.bind(b, blk, at, need)
		}
	}
	size, block := need, uint64(blockBytes)
	if mapped {
		block = hostBlockBytes
	}
	shares := need <= block/4 // small buffers share; large ones get their own, freed with them
	if shares {
		size = min(block, m.device.Info().Limits.MaxAllocation)
	}
	blk, err := m.newBlock(size, t, mapped, source)
	if err != nil && m.dropEmpty() {
		blk, err = m.newBlock(size, t, mapped, source)
	}
	if err != nil && size > need {
		shares = false
		blk, err = m.newBlock(need, t, mapped, source)
	}
	if err != nil {
		return err
	}
	blk.shared = shares
	m.blocks = append(m.blocks, blk)
	at, _ := blk.heap.take(need, align)
	return m.bind(b, blk, at, need)
}

// newBlock allocates at least size bytes.
func (m *memory) newBlock(size uint64, t uint32, mapped bool, source BlockSource) (*memBlock, error) {
	if err := m.within(size, mapped); err != nil {
		return nil, err
	}
	if source != nil {
		blk, err := m.importBlock(size, t, source)
		if err == nil {
			m.stats.add(blk)
		}
		return blk, err
	}
	mem, ptr, code := m.device.raw.Alloc(size, t, mapped)
	if err := m.device.call(code, "vkAllocateMemory (%d bytes)", size); err != nil {
		return nil, err
	}
	blk := &memBlock{mem: mem, kind: t, heap: newHeap(size), mapped: ptr}
	m.stats.add(blk)
	return blk, nil
}

func (m *memory) bind(b *Buffer, blk *memBlock, at, need uint64) error {
	if err := m.device.call(m.device.raw.Bind(b.raw, blk.mem, at), "vkBindBufferMemory"); err != nil {
		m.release(blk, at, need)
		return err
	}
	b.block, b.at, b.room = blk, at, need
	m.live[b] = struct{}{}
	if blk.mapped != nil {
		b.bytes = mappedBytes(unsafe.Add(blk.mapped, at), b.size)
	}
	return nil
}

func mappedBytes(at unsafe.Pointer, size uint64) []byte {
	return unsafe.Slice((*byte)(at), size)
}

// release gives a range back. A block of one large buffer is freed with it; a
// shared one is kept until memory is short or the device closes.
func (m *memory) release(blk *memBlock, at, size uint64) {
	blk.heap.give(at, size)
	if blk.heap.empty() && !blk.shared {
		m.free(blk)
	}
}

// free returns a block to the driver.
func (m *memory) free(blk *memBlock) {
	m.blocks = slices.DeleteFunc(m.blocks, func(o *memBlock) bool { return o == blk })
	m.device.raw.Free(blk.mem)
	m.stats.drop(blk)
	if blk.outer.Free != nil {
		m.problems = append(m.problems, blk.outer.Free())
	}
}

// dropEmpty frees the blocks nothing lies in; false: there were none.
func (m *memory) dropEmpty() bool {
	empty := false
	for _, blk := range slices.Clone(m.blocks) {
		if blk.heap.empty() {
			m.free(blk)
			empty = true
		}
	}
	return empty
}

// typesFor lists the memory types of a kind, best first.
func (m *memory) typesFor(allowed uint32, kind MemKind) []uint32 {
	score := func(t MemoryType) int {
		switch kind {
		case DeviceLocal:
			return 4*bit(t.DeviceLocal) - 2*bit(t.HostVisible) + 1
		case HostRead:
			if !t.HostVisible || !t.HostCoherent {
				return 0
			}
			return 4*bit(t.HostCached) - 2*bit(t.DeviceLocal) + 3
		default:
			if !t.HostVisible || !t.HostCoherent {
				return 0
			}
			return 4 - 2*bit(t.DeviceLocal) - bit(t.HostCached)
		}
	}
	var order []uint32
	for want := 8; want > 0; want-- {
		for i, t := range m.device.Info().MemoryTypes {
			if allowed>>i&1 == 1 && score(t) == want {
				order = append(order, uint32(i))
			}
		}
	}
	if kind == DeviceLocal && len(order) > 0 {
		// Falling from device memory to host memory would be slow and silent.
		local := order[:0:0]
		for _, t := range order {
			if m.device.Info().MemoryTypes[t].DeviceLocal {
				local = append(local, t)
			}
		}
		if len(local) > 0 {
			return local
		}
	}
	return order
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Close frees the buffer. Safe on nil and twice.
func (b *Buffer) Close() error {
	if b == nil || b.device == nil || b.device.untouchable() {
		return nil
	}
	d := b.device
	b.device, b.bytes = nil, nil
	delete(d.memory.live, b)
	d.raw.FreeBuffer(b.raw)
	if b.block == nil {
		d.raw.Free(b.host)
	} else {
		d.memory.release(b.block, b.at, b.room)
	}
	return nil
}

// close frees every buffer that is left, and with the last of a block the block.
func (m *memory) close() error {
	for b := range m.live {
		_ = b.Close() // freeing memory reports nothing here
	}
	m.dropEmpty()
	return errors.Join(append(m.problems, m.leak())...)
}
