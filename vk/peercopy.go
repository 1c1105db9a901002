package vk

import (
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// CopyEngine copies between devices outside Vulkan, for instance by CUDA. Start,
// Poll and Context are addresses in C: of
//
//	int32_t start(void *context, const uint64_t *copies, uint32_t n)
//	int32_t poll(void *context)
//
// start queues n copies, triples (destination, source, bytes) of addresses of
// the engine's own, one behind the other, and returns 0 or an error code; poll
// returns 0 when all that was started is done, -1 while it is under way, else an
// error code. Both are called from the thread that runs the schedule, start also from a
// thread that the schedule has for the engine (StartTogether), while poll or other
// engines are at work. Neither may block.
type CopyEngine struct {
	Name                 string
	Start, Poll, Context uintptr
	Explain              func(code int32) error // what an error code means
}

// PeerCopy is a copy by an engine from a buffer of one device of a team to one
// of another. Both must have an Address. Or it goes to memory of another process, which the
// engine knows by an address of its own.
type PeerCopy struct {
	Engine         *CopyEngine
	From, To       int // in the team
	Src, Dst       *Buffer
	SrcOff, DstOff uint64
	Size           uint64 // bytes
	// Away is the address of the engine that is written to in place of Dst, which nothing here
	// holds; To and DstOff do not count then. 0: the copy goes to Dst.
	Away uint64
	// Early starts the copy with its phase, beside the phase's own work, which must
	// not touch what it touches. Else it starts when both devices are through the
	// phase.
	Early bool
}

// maxPeers bounds teams with peer copies: the conductor keeps a set of lanes in one word.
const maxPeers = 64

// check says what is wrong with a copy in a schedule of devices.
func (c *PeerCopy) check(devices []*Device) error {
	switch n := len(devices); {
	case n > maxPeers:
		return fmt.Errorf("schedule: peer copies in a team of %d devices: %w: the most is %d", n, ErrUnsupported, maxPeers)
	case c.Away != 0:
		return c.checkAway(devices)
	case c.Engine == nil || c.From < 0 || c.From >= n || c.To < 0 || c.To >= n || c.From == c.To:
		return fmt.Errorf("schedule: peer copy from %d to %d in a team of %d, or without an engine", c.From, c.To, n)
	case !c.Src.of(devices[c.From]) || !c.Dst.of(devices[c.To]):
		return fmt.Errorf("schedule: peer copy %d -> %d of a buffer that is closed or another device's", c.From, c.To)
	case c.Src.Address() == 0 || c.Dst.Address() == 0:
		return fmt.Errorf("schedule: peer copy %d -> %d of a buffer without an address for %s", c.From, c.To, c.Engine.Name)
	case c.Size == 0 || !c.Src.holds(c.SrcOff, c.Size) || !c.Dst.holds(c.DstOff, c.Size):
		return fmt.Errorf("schedule: peer copy of %d bytes from %d of %d to %d of %d", c.Size, c.SrcOff, c.Src.size, c.DstOff, c.Dst.size)
	}
	return nil
}

// checkAway is check of a copy to another process.
func (c *PeerCopy) checkAway(devices []*Device) error {
	switch {
	case c.Engine == nil || c.From < 0 || c.From >= len(devices):
		return fmt.Errorf("schedule: peer copy from %d of a team of %d to another process, or without an engine", c.From, len(devices))
	case !c.Src.of(devices[c.From]) || c.Src.Address() == 0:
		return fmt.Errorf("schedule: peer copy from %d to another process of a buffer that is closed, another device's or without an address for %s", c.From, c.Engine.Name)
	case c.Size == 0 || !c.Src.holds(c.SrcOff, c.Size):
		return fmt.Errorf("schedule: peer copy of %d bytes from %d of %d to another process", c.Size, c.SrcOff, c.Src.size)
	}
	return nil
}

// peerBatch is what one engine copies in one phase.
type peerBatch struct {
	engine *CopyEngine
	device int
	early  bool
	mask   uint64 // devices that must be through the phase
	uses   uint64 // devices whose memory is touched
	copies []uint64
}

// peerBatches sorts the copies of a phase by engine, in the order given.
func peerBatches(devices []*Device, copies []PeerCopy) ([]*peerBatch, error) {
	var out []*peerBatch
	for i := range copies {
		c := &copies[i]
		if err := c.check(devices); err != nil {
			return nil, err
		}
		at := slices.IndexFunc(out, func(b *peerBatch) bool { return b.engine == c.Engine && b.device == c.From && b.early == c.Early })
		if at < 0 {
			at = len(out)
			out = append(out, &peerBatch{engine: c.Engine, device: c.From, early: c.Early})
		}
		b := out[at]
		ends, to := uint64(1)<<c.From, c.Away
		if to == 0 {
			ends, to = ends|1<<c.To, c.Dst.Address()+c.DstOff
		}
		b.uses |= ends
		if !c.Early {
			b.mask |= ends
		}
		b.copies = append(b.copies, to, c.Src.Address()+c.SrcOff, c.Size)
	}
	return out, nil
}

// addPeers gives the peer copies of all phases to the conductor.
func (s *Schedule) addPeers(phases []Phase) error {
	for p := range phases {
		if len(phases[p].Peers) > 0 && len(s.owner) > maxPeers {
			return fmt.Errorf("schedule: peer copies beside %d queues: %w: the most is %d", len(s.owner), ErrUnsupported, maxPeers)
		}
		batches, err := peerBatches(s.devices, phases[p].Peers)
		if err != nil {
			return err
		}
		for _, b := range batches {
			for lane, device := range s.owner { // second queues too
				if b.mask&(1<<device) != 0 {
					b.mask |= 1 << lane
				}
			}
			if s.engines == nil {
				s.engines = map[int]*CopyEngine{}
			}
			s.engines[b.device] = b.engine
			e := raw.Engine{Start: b.engine.Start, Poll: b.engine.Poll, Context: b.engine.Context, Device: b.device}
			if !s.raw.AddPeers(p, e, b.mask, b.uses, b.copies) {
				return &CallError{Call: "schedule", Result: OutOfHostMemory}
			}
		}
		if err := s.addParcels(p, phases[p].Parcels); err != nil {
			return err
		}
	}
	return nil
}

// StartTogether has the copies of each engine started by a thread of its own, so that a
// phase starts them on all devices at once: the driver takes some microseconds for every
// copy. The threads spin while the schedule runs. It returns how many there are: none for
// a single engine or where the system has no more. NewSchedule does it where all devices
// are GPUs and there are cores enough.
func (s *Schedule) StartTogether() int {
	if s.raw == nil {
		return 0
	}
	return s.raw.Hire()
}
