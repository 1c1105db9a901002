package cmd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk/sensor"
)

// telemetry puts what a sampler read into the form of a result.
func telemetry(origin time.Time, tracks []sensor.Track, idle []*float64, interval, cost time.Duration) *result.Telemetry {
	out := &result.Telemetry{Origin: origin.UTC().Truncate(time.Microsecond), Interval: interval.Seconds(), Cost: cost.Seconds(), Devices: []result.Track{}}
	for i, t := range tracks {
		if len(t.Readings) == 0 {
			continue
		}
		track := result.Track{Index: i, Source: t.Device.Source(), Idle: idle[i], Seconds: []float64{}, Values: map[string][]*float64{}}
		for k := range t.Readings {
			r := &t.Readings[k]
			// Subtracted on the monotonic clock, which time.Time carries.
			at := r.At.Sub(origin).Seconds()
			track.Seconds = append(track.Seconds, at)
			hold(&track, r, at)
		}
		for _, q := range sensor.Quantities() {
			if column := columnOf(t.Readings, q); column != nil {
				track.Values[q.String()] = column
			}
		}
		out.Devices = append(out.Devices, track)
	}
	return out
}

// hold notes the throttle reasons of a reading: successive readings with the same ones
// are one stretch, a reading without reasons ends it.
func hold(t *result.Track, r *sensor.Reading, at float64) {
	reasons, known := r.Throttle()
	if !known {
		return
	}
	if t.Throttle == nil {
		t.Throttle = []result.Throttling{}
	}
	names := (reasons &^ sensor.Idle).Names() // readings are taken between samples
	last := len(t.Throttle) - 1
	before := len(t.Seconds) - 2 // the reading before this one
	if last >= 0 && before >= 0 && t.Throttle[last].End == t.Seconds[before] && slices.Equal(t.Throttle[last].Reasons, names) {
		t.Throttle[last].End = at
		return
	}
	if names != nil {
		t.Throttle = append(t.Throttle, result.Throttling{Start: at, End: at, Reasons: names})
	}
}

// columnOf is one quantity over all readings; nil where no reading has it.
func columnOf(readings []sensor.Reading, q sensor.Quantity) []*float64 {
	column := make([]*float64, len(readings))
	some := false
	for i := range readings {
		if v, ok := readings[i].Value(q); ok {
			column[i], some = &v, true
		}
	}
	if !some {
		return nil
	}
	return column
}

// watch follows the sensors of a launch's team; nil where clocks are not read.
func (m *machine) watch(team []int) *sensor.Launch {
	if m.sensors == nil {
		return nil
	}
	devices := make([]*sensor.Device, len(team))
	for i, at := range team {
		devices[i] = m.sensors[at]
	}
	return sensor.NewLaunch(devices)
}

// Invalid implements measure.Watched: a sample is invalid when a device was found
// throttled by the reading that followed it.
func (s *session) Invalid(begin, _ time.Time) (reason, detail string) {
	if s.watch == nil {
		return "", ""
	}
	var where []string
	for i, reasons := range s.watch.Spoiled(begin) {
		if reasons != 0 {
			where = append(where, fmt.Sprintf("%s on device %d", reasons, s.team[i]))
		}
	}
	if where == nil {
		return "", ""
	}
	return result.InvalidThrottled, strings.Join(where, ", ")
}

// Clocks implements measure.Clocked.
func (s *session) Clocks(begin, _ time.Time) []float64 {
	if s.watch == nil {
		return nil
	}
	said := s.watch.Summarize(begin)
	s.said = &said
	if slices.Contains(said.Clock, 0) { // the clock of a team is that of all its devices
		return nil
	}
	return said.Clock
}

// ClockSpread implements measure.Clocked.
func (s *session) ClockSpread(begin, end time.Time) float64 {
	if s.watch == nil {
		return 0
	}
	return s.watch.Spread(begin, end)
}

// Watched implements scale.Watcher: what Clocks found beside the clocks. Which sample a
// memory error fell into is not known.
func (s *session) Watched(t *result.Trial) {
	s.clockError(t)
	if s.said == nil {
		return
	}
	for i, n := range s.said.Errors {
		if n > 0 {
			t.Void(result.InvalidDevice, plural(n, "uncorrected memory error", "uncorrected memory errors")+fmt.Sprintf(" on device %d", s.team[i]))
		}
	}
	if s.said.Joules > 0 {
		t.Energy = &result.Energy{Joules: s.said.Joules, Seconds: s.said.Seconds}
	}
	if s.said.Capped > 0 {
		t.Warnings = append(t.Warnings, result.Warning{Code: "power-cap",
			Text: fmt.Sprintf("at the power limit in %d of %d readings: the clock is what the limit allows", s.said.Capped, s.said.Readings)})
	}
}
