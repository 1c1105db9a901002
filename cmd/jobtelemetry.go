package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/sensor"
)

// What rank 0 has another rank tell, or begin.
const (
	aboutDevices = "devices" // an inspection
	aboutSensors = "sensors" // opens them, for what follows: whether any can be read
	aboutWatch   = "watch"   // begins telemetry
	aboutTracks  = "tracks"  // ends it: farTracks
	aboutXids    = "xids"    // what drivers reported of some devices since they were asked last: []scale.Reported
)

// tellFor is how long a rank may take to tell.
const tellFor = time.Minute

// tell asks another rank, also when the command is being interrupted: the answer is soon there, or
// the rank is lost.
func (m *measurement) tell(ctx context.Context, rank int, about string, devices []int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tellFor)
	defer cancel()
	return m.job.rank.Describe(ctx, rank, about, devices)
}

// farTracks is the telemetry of another rank.
type farTracks struct {
	Origin    int64 // its zero on the clock of that rank, nanoseconds
	Telemetry *result.Telemetry
}

// describe answers rank 0.
func (m *measurement) describe(about string, devices []int) ([]byte, error) {
	w := m.watch
	switch about {
	case aboutDevices:
		return json.Marshal(m.inspected())
	case aboutSensors:
		if w.set == nil {
			w.set = openSensors(m.adapters)
		}
		if w.o.telemetry {
			w.begin = idleReadings(w.set)
		}
		return json.Marshal(w.set.Any())
	case aboutWatch:
		w.watchFrom(time.Now(), idleMeans(w.begin, w.set), &w.turn)
		return nil, nil
	case aboutTracks:
		w.end()
		return json.Marshal(farTracks{w.originClock, w.tracked})
	case aboutXids:
		return json.Marshal(w.xids(devices))
	}
	return nil, fmt.Errorf("rank 0 asks about %q: the ranks must run the same amgpu", about)
}

// others asks all other ranks, or those for which it holds, and hands their answers to take. A
// rank that does not answer is noted: the command goes on without what it would have told.
func (m *measurement) others(ctx context.Context, about string, take func(rank int, raw []byte) error, only func(rank int) bool) {
	if m.job == nil {
		return
	}
	for rank, d := range m.job.rank.Ranks() {
		if rank == 0 || only != nil && !only(rank) {
			continue
		}
		raw, err := m.tell(ctx, rank, about, nil)
		if err == nil && take != nil {
			err = take(rank, raw)
		}
		if err != nil {
			m.watch.notes = append(m.watch.notes, result.Warning{Code: "partial-telemetry", Text: fmt.Sprintf("what the sensors of rank %d on %s say is missing: %v", rank, d.Node, err)})
		}
		if m.job.rank.Lost() != nil { // the others cannot be asked either
			return
		}
	}
}

// far says whether a rank has sensors that can be read.
func (w *watch) far(rank int) bool { return w.sensing[rank] }

// findOthers opens the sensors of other ranks.
func (m *measurement) findOthers(ctx context.Context) {
	m.watch.sensing = map[int]bool{}
	m.others(ctx, aboutSensors, func(rank int, raw []byte) error {
		var some bool
		err := json.Unmarshal(raw, &some)
		m.watch.sensing[rank] = some
		return err
	}, nil)
	if m.watch.anyFar() {
		m.watch.ask = func(team []int) []scale.Reported { return m.xidsOfOthers(ctx, team) }
	}
}

// anyFar says whether another rank has sensors that can be read.
func (w *watch) anyFar() bool {
	for _, some := range w.sensing {
		if some {
			return true
		}
	}
	return false
}

// xidsOfOthers is what the drivers of other ranks reported of devices of the pool.
func (m *measurement) xidsOfOthers(ctx context.Context, team []int) (out []scale.Reported) {
	by := map[int][]int{}
	for _, at := range team {
		if rank := m.job.home[at]; rank != 0 && m.watch.far(rank) {
			by[rank] = append(by[rank], at)
		}
	}
	for rank, devices := range by {
		var list []scale.Reported
		if raw, err := m.tell(ctx, rank, aboutXids, devices); err == nil && json.Unmarshal(raw, &list) == nil {
			out = append(out, list...) // who is lost has nothing more to tell
		}
	}
	slices.SortStableFunc(out, func(a, b scale.Reported) int { return cmp.Compare(a.Device, b.Device) })
	return out
}

// gather adds the telemetry of other ranks to that of rank 0, on its clock.
func (m *measurement) gather(ctx context.Context) {
	w := m.watch
	m.others(ctx, aboutTracks, func(rank int, raw []byte) error {
		var there farTracks
		if err := json.Unmarshal(raw, &there); err != nil {
			return err
		}
		ahead, err := m.job.rank.Ahead(context.WithoutCancel(ctx), rank)
		if err == nil {
			w.merge(there, ahead)
		}
		return err
	}, w.far)
}

// merge adds the telemetry of another rank, whose clock is ahead by some nanoseconds.
func (w *watch) merge(there farTracks, ahead int64) {
	if there.Telemetry == nil {
		return
	}
	if w.tracked == nil {
		w.tracked = &result.Telemetry{Origin: w.origin.UTC().Truncate(time.Microsecond), Devices: []result.Track{}}
	}
	w.tracked.Interval = max(w.tracked.Interval, there.Telemetry.Interval)
	w.tracked.Cost = max(w.tracked.Cost, there.Telemetry.Cost)
	later := float64(there.Origin-ahead-w.originClock) * 1e-9
	for _, t := range there.Telemetry.Devices {
		for i := range t.Seconds {
			t.Seconds[i] += later
		}
		for i := range t.Throttle {
			t.Throttle[i].Start += later
			t.Throttle[i].End += later
		}
		w.tracked.Devices = append(w.tracked.Devices, t)
	}
	slices.SortStableFunc(w.tracked.Devices, func(a, b result.Track) int { return cmp.Compare(a.Index, b.Index) })
}

// watchFrom begins telemetry, whose zero is at a time.
func (w *watch) watchFrom(origin time.Time, idle []*float64, turn sync.Locker) {
	w.origin, w.originClock, w.idle = origin, vk.Now()-time.Since(origin).Nanoseconds(), idle
	if w.set.Any() {
		w.sampler = w.set.Start(telemetryEvery, sensor.Everything, turn)
	}
}

// end ends telemetry of this process's devices.
func (w *watch) end() {
	if w.sampler == nil {
		return
	}
	tracks, interval, cost := w.sampler.Stop()
	w.sampler = nil
	w.tracked = telemetry(w.origin, tracks, w.idle, interval, cost)
}
