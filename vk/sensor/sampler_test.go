package sensor

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

func TestSampler(t *testing.T) {
	card := &fakeCard{uuid: "GPU-" + uuid, clock: 1500}
	set := openFake(t, &fakeNVML{cards: []*fakeCard{card}}, Identity{UUID: uuid}, Identity{})
	r := set.Start(time.Millisecond, Everything, &sync.Mutex{})
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

// Nothing is read while somebody else has the turn.
func TestSamplerTakesTurns(t *testing.T) {
	card := &fakeCard{uuid: "GPU-" + uuid}
	var measuring atomic.Bool
	met := 0
	card.heat = func() uint32 {
		if measuring.Load() {
			met++
		}
		return 50
	}
	set := openFake(t, &fakeNVML{cards: []*fakeCard{card}}, Identity{UUID: uuid})
	var turn sync.Mutex
	r := set.Start(time.Microsecond, HeatOnly, &turn)
	for range 200 {
		turn.Lock()
		measuring.Store(true)
		runtime.Gosched()
		measuring.Store(false)
		turn.Unlock()
	}
	tracks, _, _ := r.Stop()
	if met > 0 || len(tracks[0].Readings) == 0 {
		t.Errorf("%d of %d readings met a sample", met, len(tracks[0].Readings))
	}
}

// However long it runs, memory is bounded, the interval grows, and energy still
// ends where the counter does.
func TestSamplerIsBounded(t *testing.T) {
	card := &fakeCard{uuid: "GPU-" + uuid, clock: 1000, reasons: uint64(PowerCap)}
	set := openFake(t, &fakeNVML{cards: []*fakeCard{card}}, Identity{UUID: uuid})
	r := &Sampler{devices: set.Devices, only: Everything, interval: time.Second, turn: &sync.Mutex{}, tracks: []Track{{Device: set.Devices[0]}}}
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
