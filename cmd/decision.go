package cmd

import (
	"fmt"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/scale"
)

// How many decisions are timed for a row, and for how long: the bound is 5 ms each.
const (
	decisionCalls = 1000
	decisionTime  = 6 * time.Second
)

// dividedAxis is the axis of a program that a workload wants divided.
type dividedAxis struct {
	units, granule int64
	unit, fixed    int64 // bytes of a unit and of what every device holds; for `memory` only
}

// timeDecisions measures how long it takes to decide who gets what in a cell: every device is
// asked for its memory, the strategy divides, and when each share is done is estimated. Once for each
// row, as its launches decide alike; nil for one device and where nothing is divided.
func (m *machine) timeDecisions(c scale.Cell, a dividedAxis) *result.Decision {
	row := fmt.Sprint(c.Key, c.Count)
	if c.Count < 2 || a.units == 0 || m.decided[row] {
		return nil
	}
	if m.decided == nil {
		m.decided = map[string]bool{}
	}
	m.decided[row] = true
	if m.division.Strategy.Name == "memory" {
		a.unit, a.fixed = m.footprint(c)
	}
	times := make([]float64, 0, decisionCalls)
	for begun := time.Now(); len(times) < decisionCalls && time.Since(begun) < decisionTime; {
		start := time.Now()
		m.decide(c, a)
		times = append(times, time.Since(start).Seconds())
	}
	return stat.DecisionOf(times)
}

// decide makes one decision with what is known now.
func (m *machine) decide(c scale.Cell, a dividedAxis) (shares []partition.Share, seconds []float64) {
	r := partition.Request{Units: a.units, Count: c.Count, Granule: a.granule, UnitBytes: a.unit, FixedBytes: a.fixed}
	r.Devices, _ = m.described(c, a.units)
	for i, at := range c.Devices {
		r.Devices[i].Free = engine.FreeNow(m.adapters[at], c.Count)
	}
	shares, err := m.division.Strategy.Divide(r)
	if err != nil { // as for the launch itself
		shares, _ = partition.Equal(r)
	}
	seconds, _ = partition.Estimate(shares, r.Devices)
	return shares, seconds
}
