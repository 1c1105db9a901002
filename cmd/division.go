package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk"
)

// Where the rates of devices come from (result.Division.Basis).
const (
	fromRows        = "solo rows"
	fromLike        = "solo rows of like devices"
	fromCalibration = "calibration"
	fromScore       = "score"
)

// rates is what the devices of a pool reach alone. The first value of a device stays for
// the whole sweep, so that all launches of a row are divided alike.
type rates struct {
	mutex sync.Mutex
	known map[string]soloTime
}

// soloTime is an iteration on one device, in seconds.
type soloTime struct {
	seconds float64
	basis   string
}

// soloID names what is the same work for a device alone: everything of a cell but its
// mode's name, strategy, transport and devices.
func soloID(c scale.Cell, device int) string {
	return fmt.Sprint(c.Workload, c.Split, c.Algorithm, c.Residency, c.Cache, c.Total, c.Mode == scale.Weak && c.Total != c.Size.N, c.Item.Params, device)
}

func (r *rates) of(c scale.Cell, device int) (soloTime, bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	t, ok := r.known[soloID(c, device)]
	return t, ok
}

func (r *rates) learn(c scale.Cell, device int, t soloTime) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.known == nil {
		r.known = map[string]soloTime{}
	}
	if _, ok := r.known[soloID(c, device)]; !ok && t.seconds > 0 {
		r.known[soloID(c, device)] = t
	}
}

// described is what is known of the devices of a cell for dividing units.
func (m *machine) described(c scale.Cell, units int64) (devices []partition.Device, basis string) {
	basis = fromScore
	devices = make([]partition.Device, len(c.Devices))
	for i, at := range c.Devices {
		devices[i].Score = partition.Score(traits(m.adapters[at].Info()))
		if t, ok := m.rates.of(c, at); ok {
			devices[i].Rate = float64(units) / t.seconds
			basis = t.basis
		}
	}
	if slices.ContainsFunc(devices, func(d partition.Device) bool { return d.Rate == 0 }) {
		basis = fromScore
	}
	return devices, basis
}

// divide is the strategy at work on a cell. A division that is refused is noted in
// failed and replaced by an equal one, so that the program can be built.
func (m *machine) divide(c scale.Cell, failed *error) func(units, granule int64) []program.Share {
	return func(units, granule int64) []program.Share {
		r := partition.Request{Units: units, Count: c.Count, Granule: granule}
		r.Devices, _ = m.described(c, units)
		if m.division.Strategy.Name == "memory" {
			r.UnitBytes, r.FixedBytes = m.footprint(c)
			for i, at := range c.Devices {
				r.Devices[i].Free = engine.Free(m.adapters[at], c.Count)
			}
		}
		shares, err := m.division.Strategy.Divide(r)
		if err != nil {
			*failed = err
			if shares, err = partition.Equal(r); err != nil {
				return nil // the workload asked for the impossible; the engine refuses the program
			}
		}
		out := make([]program.Share, len(shares))
		for i, s := range shares {
			out[i] = program.Share(s)
		}
		return out
	}
}

// footprint is the memory of one unit of a cell's program, and what a device holds
// besides, in bytes.
func (m *machine) footprint(c scale.Cell) (unit, fixed int64) {
	b := m.request(c)
	b.Divide = equally(c.Count)
	p, err := c.Item.Workload.Build(b)
	if err != nil {
		return 0, 0
	}
	for _, a := range p.Arrays {
		bytes := a.Stride * 4
		if a.Layout == program.Split {
			unit += bytes
			fixed += 2 * a.Halo * bytes
		} else {
			fixed += a.Units * bytes
		}
	}
	return unit, fixed
}

// equally divides among count devices.
func equally(count int) func(units, granule int64) []program.Share {
	return func(units, granule int64) []program.Share {
		shares, err := partition.Equal(partition.Request{Units: units, Count: count, Granule: granule})
		if err != nil {
			return nil
		}
		out := make([]program.Share, len(shares))
		for i, s := range shares {
			out[i] = program.Share(s)
		}
		return out
	}
}

// refused says why the strategy cannot divide a cell; nil: it can, or the program
// cannot be built, which others say. What was to be divided is noted.
func (m *machine) refused(c scale.Cell, axis *dividedAxis) error {
	var failed error
	b := m.request(c)
	divide := m.divide(c, &failed)
	b.Divide = func(units, granule int64) []program.Share {
		*axis = dividedAxis{units: units, granule: granule}
		return divide(units, granule)
	}
	if _, err := c.Item.Workload.Build(b); err != nil || failed == nil {
		return nil //nolint:nilerr // a build that fails says so when its row is run
	}
	return &scale.Failure{Status: result.Unsupported, Err: fmt.Errorf("--strategy %s: %w: use another one", m.division.Strategy.Name, failed)}
}

// calibrationTime bounds the samples of one calibration.
const calibrationTime = 300 * time.Millisecond

// calibrate measures every device of a cell alone, for a moment, where rates are wanted
// and no row of this sweep has brought them yet. A strategy may need them; for one that
// was asked for and does not, estimates do, unless rows to come bring them
// (estimateAfter). A device that cannot hold the problem gets a part of it, and the rest
// is assumed to take as long; one that holds not even that leaves the rates unknown.
func (m *machine) calibrate(ctx context.Context, c scale.Cell) error {
	s := m.division.Strategy
	unknown := func(at int) bool { return !m.alones[aloneOf(c.Key, at)] }
	if c.Count < 2 || !s.Rates && (!m.expects || s.Dynamic || !slices.ContainsFunc(c.Devices, unknown)) {
		return nil
	}
	for _, at := range c.Devices {
		if _, known := m.rates.of(c, at); known {
			continue
		}
		seconds, err := m.alone(ctx, c, at, c.Total)
		if errors.Is(err, engine.ErrUnsupported) {
			seconds, err = m.alone(ctx, c, at, max(c.Total/int64(c.Count), 1))
			seconds *= float64(c.Count)
		}
		if errors.Is(err, engine.ErrUnsupported) {
			continue
		}
		if err != nil {
			return fmt.Errorf("calibration: %w", err)
		}
		m.rates.learn(c, at, soloTime{seconds, fromCalibration})
	}
	return nil
}

// alone times an iteration of a size on one device.
func (m *machine) alone(ctx context.Context, c scale.Cell, at int, total int64) (seconds float64, err error) {
	c.Count, c.Total, c.Devices = 1, total, []int{at}
	b := m.request(c)
	b.Divide = equally(1)
	if _, err := c.Item.Workload.Build(b); err != nil { // a size that does not exist in parts
		return 0, fmt.Errorf("%w: %w", engine.ErrUnsupported, err)
	}
	spec := m.spec(c, b)
	spec.Adapters = []*vk.Adapter{m.adapters[at]}
	s, err := m.launch(ctx, spec, c.Devices)
	if err != nil {
		return 0, err
	}
	m.turn.Lock()
	defer m.turn.Unlock()
	seconds, err = s.Calibrate(ctx, calibrationTime)
	return seconds, errors.Join(err, s.Close())
}

// request is a cell's program, not yet divided.
func (m *machine) request(c scale.Cell) suites.Build {
	return suites.Build{
		Size: c.Total, Base: c.Size.N, Weak: c.Mode == scale.Weak, Label: c.Size.Label, Count: c.Count, Seed: c.Seed,
		Params: c.Item.Params, Tuning: values(c.Item.Constants), Split: c.Item.Split, Algorithm: c.Item.Algorithm, Input: c.Item.Input, Limits: m.limits,
	}
}

// dynamic asks the engine to hand out units; nil: each device has its share.
func (m *machine) dynamic(c scale.Cell) *engine.Dynamic {
	if !m.division.Strategy.Dynamic {
		return nil
	}
	d := &engine.Dynamic{Assign: m.division.Assign}
	devices, basis := m.described(c, 1)
	for _, x := range devices {
		if basis == fromScore {
			d.Rates = append(d.Rates, x.Score)
		} else {
			d.Rates = append(d.Rates, x.Rate)
		}
	}
	return d
}

// divided completes what a trial says of its division: the rates it rests on and when
// each device was expected to be done.
func (m *machine) divided(c scale.Cell, shares []int64, d *result.Division) *result.Division {
	var units int64
	parts := make([]partition.Share, len(shares))
	for i, n := range shares {
		parts[i] = partition.Share{Lo: units, Hi: units + n}
		units += n
	}
	devices, basis := m.described(c, units)
	if c.Count < 2 || len(shares) != len(devices) || d == nil && basis == fromScore && !m.division.Strategy.Rates {
		return d
	}
	out := &result.Division{}
	if d != nil {
		*out = *d
	}
	out.Basis = basis
	for _, x := range devices {
		if basis == fromScore {
			out.Rates = append(out.Rates, x.Score)
		} else {
			out.Rates = append(out.Rates, x.Rate)
		}
	}
	if seconds, ok := partition.Estimate(parts, devices); ok && d == nil {
		out.Estimated = seconds
	}
	return out
}

// soloSamples is how many samples of a row of one device are a rate.
const soloSamples = 3

// heard learns from the samples of a session what its device reaches alone.
func (s *session) heard() {
	if s.cell.Count != 1 || len(s.times) < soloSamples {
		return
	}
	s.machine.rates.learn(s.cell, s.cell.Devices[0], soloTime{stat.Median(s.times[len(s.times)/2:]), fromRows})
}
