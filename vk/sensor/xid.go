package sensor

import (
	"slices"
	"sync"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// xids collects what the driver reports of one card as an Xid: a critical error that it
// has found by itself, by number. The driver queues such events from the moment they are
// asked for; they are fetched when the card is read, without waiting, so that nothing
// has to be ended when the card is closed.
type xids struct {
	mu      sync.Mutex
	set     nvml.EventSet // nil: the card or its driver reports none
	count   int           // fetched so far
	pending []uint64      // fetched and not taken, the first of them
}

// Bounds for a card that reports without end.
const (
	maxFetched = 64  // events of one reading
	maxPending = 256 // numbers kept
)

// listen asks the driver to queue the Xid events of a card from now on. Where it cannot,
// the card has no such sensor.
func (c *card) listen() {
	x := &c.xids
	x.mu.Lock()
	defer x.mu.Unlock()
	wait := c.lib.Has("nvmlEventSetWait_v2") || c.lib.Has("nvmlEventSetWait")
	if x.set != nil || !wait {
		return
	}
	for _, function := range []string{"nvmlDeviceGetSupportedEventTypes", "nvmlEventSetCreate", "nvmlDeviceRegisterEvents", "nvmlEventSetFree"} {
		if !c.lib.Has(function) {
			return
		}
	}
	if kinds, code := c.GetSupportedEventTypes(); code != nvml.SUCCESS || kinds&nvml.EventTypeXidCriticalError == 0 {
		return
	}
	set, code := c.lib.EventSetCreate()
	if code != nvml.SUCCESS {
		return
	}
	if c.RegisterEvents(nvml.EventTypeXidCriticalError, set) != nvml.SUCCESS {
		_ = set.Free() // nothing is left to do where it fails
		return
	}
	x.set = set
}

// fetch takes the events that are queued and returns how many there were so far; false:
// the card reports none.
func (x *xids) fetch() (count int, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.set == nil {
		return 0, false
	}
	for range maxFetched {
		e, code := x.set.Wait(0)
		if code != nvml.SUCCESS { // none is left, or the card is lost
			break
		}
		if e.EventType&nvml.EventTypeXidCriticalError == 0 {
			continue
		}
		x.count++
		if len(x.pending) < maxPending {
			x.pending = append(x.pending, e.EventData)
		}
	}
	return x.count, true
}

// deafen ends listening.
func (x *xids) deafen() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.set != nil {
		_ = x.set.Free()
		x.set = nil
	}
}

// Xids returns the numbers of the Xid events of a device since it was opened or this was
// called last, in order; 999 is one that the driver cannot name. nil: none, or a device
// without this sensor.
func (d *Device) Xids() []uint64 {
	if d.card == nil {
		return nil
	}
	x := &d.card.xids
	x.fetch()
	x.mu.Lock()
	defer x.mu.Unlock()
	out := slices.Clone(x.pending)
	x.pending = x.pending[:0]
	if len(out) == 0 {
		return nil
	}
	return out
}
