package vk

import (
	"errors"
	"fmt"
)

// MemoryStats is what buffers took of one device, in bytes.
type MemoryStats struct {
	Budget    uint64 // most device memory they may take; 0: what there is
	Device    uint64 // device memory taken from the driver now
	HighWater uint64 // the most it ever was
	Host      uint64 // mapped memory taken now
	Reused    int    // buffers that found room in memory taken before
	Taken     int    // times the driver was asked
}

// Memory tells what buffers take and took.
func (d *Device) Memory() MemoryStats {
	if d.Absent() {
		return MemoryStats{}
	}
	s := d.memory.stats
	s.Budget = d.options.MemoryBudget
	return s
}

// MemoryUse is what is in use of a device's memory and the most that may be, in bytes:
// of the budget that Open was given what buffers took, else of the largest device-local heap what
// the driver says that this process has (VK_EXT_memory_budget), its own needs included. ok is
// false where neither is known, as on software devices, whose memory is the host's.
func (d *Device) MemoryUse() (used, budget uint64, ok bool) {
	if d.Absent() {
		return 0, 0, false
	}
	if budget = d.options.MemoryBudget; budget > 0 {
		return d.memory.stats.Device, budget, true
	}
	var size uint64
	for _, h := range d.adapter.Heaps() {
		if h.DeviceLocal && h.BudgetKnown && h.Budget > 0 && h.Size > size {
			size, used, budget = h.Size, h.Usage, h.Budget
		}
	}
	return used, budget, size > 0 && !d.Info().Software()
}

// MemoryInUse is the number of device allocations and their bytes.
func (d *Device) MemoryInUse() (blocks int, bytes uint64) {
	s := d.memory.stats
	return len(d.memory.blocks), s.Device + s.Host
}

func (s *MemoryStats) add(b *memBlock) {
	s.Taken++
	if b.mapped != nil {
		s.Host += b.heap.size
		return
	}
	s.Device += b.heap.size
	s.HighWater = max(s.HighWater, s.Device)
}

func (s *MemoryStats) drop(b *memBlock) {
	if b.mapped != nil {
		s.Host -= b.heap.size
		return
	}
	s.Device -= b.heap.size
}

// within refuses to go beyond the budget; memory of the host is not in it.
func (m *memory) within(size uint64, mapped bool) error {
	budget, have := m.device.options.MemoryBudget, m.stats.Device
	if mapped || budget == 0 || have+size <= budget {
		return nil
	}
	return fmt.Errorf("%s: %w: %d bytes beside the %d in use exceed its memory pool of %d", m.device.name, ErrOutOfMemory, size, have, budget)
}

// ErrLeak: memory is in use after everything was closed.
var ErrLeak = errors.New("memory was leaked")

// leak is what is still in use when nothing may be.
func (m *memory) leak() error {
	if len(m.blocks) == 0 && m.stats.Device+m.stats.Host == 0 {
		return nil
	}
	return fmt.Errorf("%s: %w: %d bytes in %d allocations", m.device.name, ErrLeak, m.stats.Device+m.stats.Host, len(m.blocks))
}
