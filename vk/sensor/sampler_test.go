package sensor

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

func TestSampler(t *testing.T) {
	card := &fakeCard{uuid: "GPU-" + uuid, clock: 1500}
	set := openFake(t, &fakeNVML{cards: []*fakeCard{card}}, Identity{UUID: uuid}, Identity{})
	r := set.Start(time.Millisecond, Everything)
	tracks, interval, cost := r.Stop()
	if len(tracks) != 2 || len(tracks[0].Readings) == 0 || len(tracks[1].Readings) != 0 {
		t.Fatalf("tracks %+v", tracks)
	}
	if interval != time.Millisecond || cost <= 0 {
		t.Errorf("interval %v, cost %v", interval, cost)
	}
	last := tracks[0].Readings[0]
	for _, next := range tracks[0].Readings[1:] {
		if !next.At.After(last.At) {
			t.Errorf("reading at %v after one at %v", next.At, last.At)
		}
		last = next
	}
}

// However long it runs, memory is bounded, the interval grows, and energy still
// ends where the counter does.
func TestSamplerIsBounded(t *testing.T) {
	card := &fakeCard{uuid: "GPU-" + uuid, clock: 1000, reasons: uint64(PowerCap)}
	set := openFake(t, &fakeNVML{cards: []*fakeCard{card}}, Identity{UUID: uuid})
	r := &Sampler{devices: set.Devices, only: Everything, interval: time.Second, tracks: []Track{{Device: set.Devices[0]}}}
	for i := range 5*maxKept + 1 {
		card.energy = uint64(1000 * i)
		card.clock = uint32(1000 + i%2)
		if n := len(r.tracks[0].Readings); n >= maxKept {
			t.Fatalf("%d readings kept", n)
		}
		r.read()
	}
	kept := r.tracks[0].Readings
	if len(kept) < maxKept/2 || r.interval < 4*time.Second {
		t.Errorf("%d readings at %v", len(kept), r.interval)
	}
	if e, _ := kept[len(kept)-1].Value(Energy); e != 5*maxKept {
		t.Errorf("the last energy is %g J", e)
	}
	if f, _ := kept[0].Value(SMClock); f != 1000.5e6 {
		t.Errorf("two clocks merge to %g", f)
	}
	if reasons, ok := kept[0].Throttle(); !ok || reasons != PowerCap {
		t.Errorf("reasons merge to %v", reasons)
	}
}

func TestLaunch(t *testing.T) {
	a := &fakeCard{uuid: "GPU-" + uuid, clock: 900}
	b := &fakeCard{uuid: "GPU-b", clock: 900}
	set := openFake(t, &fakeNVML{cards: []*fakeCard{a, b}}, Identity{UUID: uuid}, Identity{UUID: "b"})
	l := NewLaunch(set.Devices)
	l.now = func() time.Time { return time.Unix(0, 0) } // readings take no time
	step := func(clock uint32, reasons Throttle) {
		a.clock, b.clock, b.reasons = clock, clock+10, uint64(reasons)
		a.energy += 3000
		b.energy += 5000
		l.After(4)
	}
	for range 3 { // warm-up is throttled and slow, which does not count
		step(900, ThermalHardware)
	}
	step(1900, 0)
	step(1980, PowerCap)
	step(1980, ThermalSoftware)
	step(1980, 0)
	s := l.Summarize(4)
	if s.Clock[0] != 1980e6 || s.Clock[1] != 1990e6 {
		t.Errorf("clocks %v", s.Clock)
	}
	if len(s.Invalid) != 1 || !slices.Equal(s.Invalid[2], []Throttle{0, ThermalSoftware}) {
		t.Errorf("invalid %v", s.Invalid)
	}
	if s.Capped != 1 {
		t.Errorf("capped %d", s.Capped)
	}
	if math.Abs(s.Joules-2) > 1e-12 { // 8 J for 4 iterations
		t.Errorf("%g J per iteration", s.Joules)
	}
}

// When a reading takes long, most samples go without one; the reasons read then
// concern all samples since the reading before.
func TestLaunchSparesTime(t *testing.T) {
	a := &fakeCard{uuid: "GPU-" + uuid, clock: 1000, noEnergy: true, reasons: uint64(HardwareSlowdown)}
	set := openFake(t, &fakeNVML{cards: []*fakeCard{a}}, Identity{UUID: uuid})
	l := NewLaunch(set.Devices)
	at := time.Unix(0, 0)
	reading := false
	l.now = func() time.Time {
		if reading {
			at = at.Add(time.Millisecond)
		}
		return at
	}
	for range 200 { // samples of 10 ms
		at = at.Add(10 * time.Millisecond)
		reading = !at.Before(l.ready)
		l.After(1)
	}
	n := len(l.taken)
	if n < 10 || n > 50 {
		t.Errorf("%d readings in 2 s at 1 ms or more each", n)
	}
	s := l.Summarize(200)
	if len(s.Invalid) != 200 {
		t.Errorf("%d of 200 samples invalid", len(s.Invalid))
	}
	if s.Joules != 0 || s.Seconds != 0 {
		t.Errorf("energy without a counter: %g J", s.Joules)
	}
}

func TestLaunchWithoutSensors(t *testing.T) {
	if NewLaunch([]*Device{{}}) != nil {
		t.Error("a launch is watched without sensors")
	}
}

func TestSettle(t *testing.T) {
	heat, step := []uint32{70, 69, 68, 67, 67, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66}, -1
	card := &fakeCard{uuid: "GPU-" + uuid}
	card.heat = func() uint32 {
		step++
		return heat[min(step, len(heat)-1)]
	}
	set := openFake(t, &fakeNVML{cards: []*fakeCard{card}}, Identity{UUID: uuid}, Identity{})
	waited := time.Duration(0)
	count := func(_ context.Context, d time.Duration) { waited += d }
	settle(t.Context(), set.Devices, 10*time.Second, count)
	if want := 13 * settleStep; waited != want { // the ninth equal reading is the fourteenth
		t.Errorf("waited %v, want %v", waited, want)
	}
	waited, step = 0, -1
	card.heat = func() uint32 { step++; return uint32(100 - step) }
	settle(t.Context(), set.Devices, 5*time.Second, count)
	if waited != 5*time.Second {
		t.Errorf("waited %v for a card that keeps cooling", waited)
	}
	waited = 0
	settle(t.Context(), set.Devices[1:], 5*time.Second, count)
	if waited != 5*time.Second {
		t.Errorf("waited %v without a sensor", waited)
	}
}

var _ nvml.Device = (*fakeCard)(nil)
