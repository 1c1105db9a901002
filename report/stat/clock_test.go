package stat

import (
	"math"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// clocks sets the clock of every device of a count, in Hz.
func (b *bench) clocks(count int, hz ...float64) {
	for i := range b.res.Trials {
		if tr := &b.res.Trials[i]; tr.Count == count {
			tr.Clocks = append([]float64{}, hz[:count]...)
		}
	}
}

// TestClockIsACauseOfItsOwn: devices that compute 10 % longer because their clock is
// 10 % lower lose it to the clock, and nothing to the rate; without clocks both are
// one number (A7).
func TestClockIsACauseOfItsOwn(t *testing.T) {
	b := team(phases{compute: [][]float64{{.55, .55}, {.55, .55}}}, .01)
	unknown := b.row(t, "strong", 2)
	b.clocks(1, 1.98e9)
	b.clocks(2, 1.8e9, 1.8e9)
	r := b.row(t, "strong", 2)
	if r.Lost.Clock == nil || r.Factors.Clock == nil {
		t.Fatalf("no clock: %+v", r)
	}
	near(t, "clock", r.Factors.Clock.Value, 1.8/1.98, 1e-12)
	near(t, "rate", r.Factors.Rate.Value, .5/.55*1.98/1.8, 1e-3)
	near(t, "lost to the clock", *r.Lost.Clock, .09, .01)
	near(t, "lost to the rate", *r.Lost.Rate, 0, 1e-3)
	near(t, "together", *r.Lost.Clock+*r.Lost.Rate, *unknown.Lost.Rate, 1e-12)
	near(t, "computation", r.Factors.Clock.Value*r.Factors.Rate.Value, unknown.Factors.Computation.Value, 1e-12)
	if unknown.Lost.Clock != nil || unknown.Factors.Clock != nil || unknown.Clock != nil {
		t.Error("a clock that nobody read")
	}
	near(t, "clock of the row", *r.Clock, 1.8e9, 0)
	base := b.row(t, "strong", 1)
	within(t, "clock of the base", base.Factors.Clock, 1, 0)
	for i := range b.res.Trials { // clocks that scatter have an interval
		scale(b.res.Trials[i].Clocks, 1+.001*float64(i%3))
	}
	within(t, "clock", b.row(t, "strong", 2).Factors.Clock, 1.8/1.98, 1e-3)
}

// TestClockIsWeightedByWork: f(N) is cycles over compute time (POP), so that a slow
// clock on a device that hardly computes counts little.
func TestClockIsWeightedByWork(t *testing.T) {
	b := team(phases{compute: [][]float64{{.9, .1}, {.9, .1}}}, .01)
	b.clocks(1, 2e9)
	b.clocks(2, 2e9, 1e9)
	near(t, "clock", b.row(t, "strong", 2).Factors.Clock.Value, (.9*2+.1*1)/(1*2), 1e-12)
}

// TestClockOfUnequalDevices: each device is compared with its own clock alone.
func TestClockOfUnequalDevices(t *testing.T) {
	b := newBench("default", 3, 1)
	b.res.Devices[1].Name, b.res.Devices[1].DeviceID = "old GPU", 8
	for block := range 7 {
		for d, f := range []float64{2e9, 1e9} {
			tr := b.add("solo", block, 1, 1000, d)
			phases{compute: [][]float64{{1}}}.time(tr, 0)
			tr.Clocks = []float64{f}
		}
		tr := b.add("strong", block, 1, 1000, 0, 1)
		phases{compute: [][]float64{{.3, .7}}}.time(tr, .01)
		tr.Clocks = []float64{1.8e9, .9e9} // both 10 % lower
	}
	r := b.row(t, "strong", 2)
	near(t, "clock", r.Factors.Clock.Value, .9, 1e-12)
}

// TestClockNeedsEveryDevice: one device without a clock leaves clock and rate together.
func TestClockNeedsEveryDevice(t *testing.T) {
	b := team(phases{compute: [][]float64{{.55, .55}, {.55, .55}}}, .01)
	b.clocks(1, 2e9)
	b.clocks(2, 1.8e9, 1.8e9)
	for _, clocks := range [][]float64{nil, {1.8e9}, {1.8e9, 0}, {1.8e9, math.NaN()}} {
		for i := range b.res.Trials {
			if tr := &b.res.Trials[i]; tr.Count == 2 && tr.Block == 3 {
				tr.Clocks = clocks
			}
		}
		r := b.row(t, "strong", 2)
		if r.Factors == nil || r.Factors.Clock != nil || r.Lost.Clock != nil || r.Clock != nil {
			t.Errorf("%v: %+v", clocks, r.Factors)
		}
	}
}

// TestRowsCarryClocks: the gate confirms by cycles where clocks differ (G6).
func TestRowsCarryClocks(t *testing.T) {
	b := sweepOf(7)
	b.clocks(4, 2e9, 2e9, 1e9, 1e9)
	for _, r := range Rows(b.res) {
		if r.Count == 1 && r.Clocks != nil {
			t.Errorf("clocks %v that nobody read", r.Clocks)
		}
		if r.Count == 4 && (len(r.Clocks) != len(r.Times) || r.Clocks[0] != 1.5e9) {
			t.Errorf("clocks %v of %d launches", r.Clocks, len(r.Times))
		}
	}
	if f := clock(&result.Trial{}); f != 0 {
		t.Errorf("no device runs at %g Hz", f)
	}
}
