package sensor

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// fakeEvents queues the events of the cards registered; any call but those used ends
// the test.
type fakeEvents struct {
	nvml.EventSet
	of     *fakeNVML
	mu     sync.Mutex
	queue  []nvml.EventData
	broken nvml.Return // what Wait says; 0: it works
	waited []uint32    // ms
}

func (c *fakeCard) GetSupportedEventTypes() (uint64, nvml.Return) {
	if c.deaf {
		return nvml.EventTypePState, nvml.SUCCESS
	}
	return nvml.EventTypeXidCriticalError | nvml.EventTypePState, nvml.SUCCESS
}

func (c *fakeCard) RegisterEvents(kinds uint64, set nvml.EventSet) nvml.Return {
	if kinds != nvml.EventTypeXidCriticalError || c.noEnergy { // an old card
		return nvml.ERROR_NOT_SUPPORTED
	}
	c.events = set.(*fakeEvents)
	return nvml.SUCCESS
}

// xid is an error of the card.
func (c *fakeCard) xid(numbers ...uint64) {
	c.events.mu.Lock()
	defer c.events.mu.Unlock()
	for _, n := range numbers {
		c.events.queue = append(c.events.queue, nvml.EventData{Device: c, EventType: nvml.EventTypeXidCriticalError, EventData: n})
	}
}

func (e *fakeEvents) Wait(ms uint32) (nvml.EventData, nvml.Return) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waited = append(e.waited, ms)
	if e.broken != 0 {
		return nvml.EventData{}, e.broken
	}
	if len(e.queue) == 0 {
		return nvml.EventData{}, nvml.ERROR_TIMEOUT
	}
	first := e.queue[0]
	e.queue = e.queue[1:]
	return first, nvml.SUCCESS
}

func (e *fakeEvents) Free() nvml.Return { e.of.sets--; return nvml.SUCCESS }

// openListening opens one card and sees to it that nothing of its events is left.
func openListening(t *testing.T, f *fakeNVML) *Device {
	t.Helper()
	t.Cleanup(func() {
		if f.sets != 0 {
			t.Errorf("%d sets of events are left", f.sets)
		}
	})
	return openFake(t, f, Identity{UUID: uuid}).Devices[0]
}

func TestXids(t *testing.T) {
	card := &fakeCard{uuid: "GPU-" + uuid}
	f := &fakeNVML{cards: []*fakeCard{card, {uuid: "GPU-other"}}}
	d := openListening(t, f)
	count := func() float64 {
		r := d.Read(1 << XidErrors)
		v, ok := r.Value(XidErrors)
		if !ok {
			t.Error("no count of Xids")
		}
		return v
	}
	if f.cards[1].events != nil {
		t.Error("a card that is not looked at is listened to")
	}
	if n := count(); n != 0 || d.Xids() != nil {
		t.Errorf("%g Xids of a card without any", n)
	}
	card.xid(48, 63)
	card.events.queue = append(card.events.queue, nvml.EventData{EventType: nvml.EventTypePState, EventData: 5})
	if n := count(); n != 2 {
		t.Errorf("%g Xids, want 2", n)
	}
	card.xid(79)
	if got := d.Xids(); !slices.Equal(got, []uint64{48, 63, 79}) {
		t.Errorf("Xids %v", got)
	}
	if n := count(); n != 3 || d.Xids() != nil {
		t.Errorf("%g Xids after they were taken, want 3 and none left", n)
	}
	card.events.broken = nvml.ERROR_GPU_IS_LOST
	if n := count(); n != 3 || d.Xids() != nil {
		t.Errorf("%g Xids of a lost card, want 3", n)
	}
	if slices.Max(card.events.waited) != 0 {
		t.Errorf("waited %v ms", card.events.waited)
	}
}

// A card that reports without end fills no memory and holds up no reading.
func TestXidsWithoutEnd(t *testing.T) {
	card := &fakeCard{uuid: "GPU-" + uuid}
	d := openListening(t, &fakeNVML{cards: []*fakeCard{card}})
	card.xid(make([]uint64, 10*maxPending)...)
	d.Read(Everything)
	if n := len(card.events.waited); n > maxFetched {
		t.Errorf("one reading fetched %d events", n)
	}
	for range 10 * maxPending / maxFetched {
		d.Read(Everything)
	}
	r := d.Read(Everything)
	if n, _ := r.Value(XidErrors); n != 10*maxPending || len(d.Xids()) != maxPending {
		t.Errorf("%g Xids, want %d of which %d are kept", n, 10*maxPending, maxPending)
	}
}

// Where nothing tells of Xids they are absent, and no function is called that the
// library lacks.
func TestXidsAbsent(t *testing.T) {
	for name, f := range map[string]*fakeNVML{
		"not supported":  {cards: []*fakeCard{{deaf: true}}},
		"refused":        {cards: []*fakeCard{{noEnergy: true}}},
		"no wait":        {cards: []*fakeCard{{}}, lacks: map[string]bool{"nvmlEventSetWait_v2": true, "nvmlEventSetWait": true}},
		"no set":         {cards: []*fakeCard{{}}, lacks: map[string]bool{"nvmlEventSetCreate": true}},
		"no registering": {cards: []*fakeCard{{}}, lacks: map[string]bool{"nvmlDeviceRegisterEvents": true}},
	} {
		t.Run(name, func(t *testing.T) {
			f.cards[0].uuid = "GPU-" + uuid
			d := openListening(t, f)
			r := d.Read(Everything)
			if _, ok := r.Value(XidErrors); ok || d.Xids() != nil {
				t.Error("Xids of a card that tells of none")
			}
		})
	}
	if (&Device{}).Xids() != nil {
		t.Error("Xids of a device without sensors")
	}
}

// The sampler reads while another goroutine takes the events and a third makes them.
func TestXidsFromTwoThreads(t *testing.T) {
	card := &fakeCard{uuid: "GPU-" + uuid}
	f := &fakeNVML{cards: []*fakeCard{card}}
	set := openFake(t, f, Identity{UUID: uuid})
	sampler := set.Start(time.Microsecond, Everything, &sync.Mutex{})
	got := 0
	for range 200 {
		card.xid(31)
		got += len(set.Devices[0].Xids())
	}
	tracks, _, _ := sampler.Stop()
	got += len(set.Devices[0].Xids())
	if got != 200 {
		t.Errorf("%d of 200 Xids", got)
	}
	readings := tracks[0].Readings
	if n, _ := readings[len(readings)-1].Value(XidErrors); n != 200 {
		t.Errorf("%g of 200 Xids counted", n)
	}
}
