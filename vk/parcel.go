package vk

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// Parcel is bytes that go to another process, or come from one, beside the queues. The
// engine gets it as a triple (address, Word, bytes).
type Parcel struct {
	Engine *CopyEngine
	Bytes  []byte // C memory that stays until the parcel is through
	Word   uint64 // what the engine must know of it: whom to, or whom from
	// After are the devices of the team that must be through the phase before the parcel
	// is given to the engine; none: it begins with the phase, beside the phase's work,
	// which must not touch its memory.
	After []int
}

// postman is the place of the engine of parcels beside those of devices.
const postman = 1 << 20

// addParcels gives the parcels of a phase to the conductor: those that wait for the same
// devices in one call of their engine, in the order given.
func (s *Schedule) addParcels(phase int, list []Parcel) error {
	type batch struct {
		engine *CopyEngine
		mask   uint64
		words  []uint64
	}
	var batches []*batch
	for _, m := range list {
		if m.Engine == nil || len(m.Bytes) == 0 {
			return fmt.Errorf("schedule: a parcel without an engine or of %d bytes", len(m.Bytes))
		}
		if len(m.After) > 0 && len(s.owner) > maxPeers {
			return fmt.Errorf("schedule: parcels beside %d queues: %w: the most is %d", len(s.owner), ErrUnsupported, maxPeers)
		}
		var mask uint64
		for lane, device := range s.owner {
			if slices.Contains(m.After, device) {
				mask |= 1 << lane
			}
		}
		at := slices.IndexFunc(batches, func(b *batch) bool { return b.engine == m.Engine && b.mask == mask })
		if at < 0 {
			at = len(batches)
			batches = append(batches, &batch{engine: m.Engine, mask: mask})
		}
		b := batches[at]
		b.words = append(b.words, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.Bytes)))), m.Word, uint64(len(m.Bytes)))
	}
	for _, b := range batches {
		if s.engines == nil {
			s.engines = map[int]*CopyEngine{}
		}
		s.engines[postman] = b.engine
		s.raw.Remote()
		e := raw.Engine{Start: b.engine.Start, Poll: b.engine.Poll, Context: b.engine.Context, Device: postman}
		if !s.raw.AddPeers(phase, e, b.mask, 0, b.words) {
			return &CallError{Call: "schedule", Result: OutOfHostMemory}
		}
	}
	return nil
}
