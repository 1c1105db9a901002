package sensor

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestLaunch(t *testing.T) {
	a := &fakeCard{uuid: "GPU-" + uuid, clock: 900}
	b := &fakeCard{uuid: "GPU-b", clock: 900}
	set := openFake(t, &fakeNVML{cards: []*fakeCard{a, b}}, Identity{UUID: uuid}, Identity{UUID: "b"})
	l := NewLaunch(set.Devices)
	at := time.Unix(0, 0)
	l.now = func() time.Time { return at } // readings take no time
	var begins []time.Time
	step := func(clock uint32, reasons Throttle) {
		begins = append(begins, at)
		at = at.Add(time.Second)
		a.clock, b.clock, b.reasons = clock, clock+10, uint64(reasons)
		a.energy += 3000
		b.energy += 5000
		l.After(4)
		at = at.Add(time.Millisecond)
	}
	for range 3 { // warm-up is throttled and slow, which does not count
		step(900, ThermalHardware)
	}
	step(1900, 0)
	step(1980, PowerCap)
	step(1980, ThermalSoftware)
	b.errors = 2
	step(1980, 0)
	var spoiled []int
	for i, begin := range begins {
		if got := l.Spoiled(begin); got != nil {
			spoiled = append(spoiled, i)
			if i > 2 && !slices.Equal(got, []Throttle{0, ThermalSoftware}) {
				t.Errorf("sample %d is spoiled by %v", i, got)
			}
		}
	}
	if !slices.Equal(spoiled, []int{0, 1, 2, 5}) {
		t.Errorf("samples %v are spoiled", spoiled)
	}
	if l.Spoiled(at) != nil {
		t.Error("a sample is spoiled before anything was read")
	}
	if got := l.Spread(begins[3], at); math.Abs(got-80./1980) > 1e-12 {
		t.Errorf("spread of the clocks %g", got)
	}
	if got := l.Spread(begins[4], at); got != 0 {
		t.Errorf("spread of clocks that stood still %g", got)
	}
	if got := l.Spread(at, at); got != 0 {
		t.Errorf("spread without a reading %g", got)
	}
	s := l.Summarize(begins[3])
	if s.Clock[0] != 1980e6 || s.Clock[1] != 1990e6 {
		t.Errorf("clocks %v", s.Clock)
	}
	if s.Capped != 1 || s.Readings != 5 {
		t.Errorf("capped %d of %d", s.Capped, s.Readings)
	}
	if !slices.Equal(s.Errors, []int{0, 2}) {
		t.Errorf("memory errors %v", s.Errors)
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
	start := time.Unix(0, 0)
	at := start
	step := time.Duration(0)
	l.now = func() time.Time {
		at = at.Add(step)
		return at
	}
	var begins []time.Time
	for range 200 { // samples of 10 ms
		begins = append(begins, at)
		at = at.Add(10 * time.Millisecond)
		step = time.Millisecond // every look at the clock stands for work
		l.After(1)
		step = 0
	}
	if n := len(l.taken); n < 10 || n > 50 {
		t.Errorf("%d readings in 2 s at 1 ms each", n)
	}
	s := l.Summarize(start)
	for i, begin := range begins {
		if l.Spoiled(begin) == nil {
			t.Errorf("sample %d is valid", i)
		}
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
