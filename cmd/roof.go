package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk"
)

// Where roofs come from (--roof).
const (
	roofAuto     = "auto"     // rows of the result, else what is remembered
	roofMeasured = "measured" // measured for a moment before the sweep
	roofNone     = "none"
)

var roofRules = []string{roofAuto, roofMeasured, roofNone}

// measureRoofs measures, for a moment each, the roofs that the planned workloads are
// held against, on every device of the pool. What a device does not support or computes
// wrongly has no roof, which is said.
func (m *measurement) measureRoofs(ctx context.Context) error {
	probes := m.roofProbes()
	for at, d := range m.config.Pool {
		for _, w := range probes {
			r, err := m.machine.roof(ctx, w, at, d.Software)
			var without *scale.Failure
			switch {
			case errors.As(classify(err), &without) && without.Status != result.DeviceLost:
				m.s.say("amgpu: device %d has no roof by %s: %v", d.Index, w.Info().ID, err)
			case err != nil:
				return fmt.Errorf("measuring the roof %s of device %d: %w", w.Info().Roof, d.Index, err)
			default:
				m.roofs.learn(d, r, time.Now())
			}
		}
	}
	m.roofs.save()
	return nil
}

// roofProbes are the workloads that measure what the planned ones are held against.
func (m *measurement) roofProbes() []suites.Workload {
	wanted := map[string]bool{result.RoofMemory: true}
	for _, c := range m.cells {
		kind := c.Item.Workload.Info().Arithmetic
		if p, err := c.Item.Workload.Build(m.machine.build(c)); err == nil && p.Arithmetic != "" {
			kind = p.Arithmetic
		}
		if kind == "" {
			kind = result.DefaultArithmetic
		}
		wanted[kind] = true
	}
	return slices.DeleteFunc(suites.All(), func(w suites.Workload) bool { return !wanted[w.Info().Roof] })
}

// rampTries bounds how often a roof is timed anew while its rate still grows, as that of
// an idle device does.
const rampTries = 5

// roof measures one roof on one device of the pool: verified once, then timed until it
// gets no faster.
func (m *machine) roof(ctx context.Context, w suites.Workload, at int, software bool) (r result.Roof, err error) {
	info := w.Info()
	size := result.Size{Label: "M", N: info.Sizes.M}
	if software {
		size = result.Size{Label: "S", N: info.Sizes.S}
	}
	item := scale.Item{Workload: w, Size: size, Params: map[string]int64{}, Split: info.Splits[0]}
	for _, p := range info.Params {
		item.Params[p.Name] = p.Default
	}
	c := scale.Cell{Item: item, Count: 1, Devices: []int{at}, Total: size.N, Key: result.Key{
		Workload: info.ID, Mode: scale.Solo, Size: size, Split: item.Split, Residency: engine.Resident, Cache: engine.Hot}}
	b := m.request(c)
	b.Divide = equally(1)
	spec := m.spec(c, b)
	spec.Transport, spec.Adapters = "auto", []*vk.Adapter{m.adapters[at]}
	s, err := engine.Launch(ctx, spec)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	m.turn.Lock()
	defer m.turn.Unlock()
	v, err := s.Verify(ctx, false)
	if err != nil {
		return r, err
	}
	if v.Outcome.Wrong != "" {
		return r, &scale.Failure{Status: result.WrongResult, Err: fmt.Errorf("wrong result: %s", v.Outcome.Wrong)}
	}
	best := 0.0
	for range rampTries {
		seconds, err := s.Calibrate(ctx, calibrationTime)
		if err != nil {
			return r, err
		}
		if best > 0 && seconds > 0.99*best {
			best = min(best, seconds)
			break
		}
		best = seconds
	}
	work := s.Facts().Work
	unit := work.Unit + "/s"
	if work.Unit != "B" && work.Unit != "flop" {
		unit = "op/s"
	}
	return result.Roof{Name: info.Roof, Unit: unit, Value: work.Value / best, Source: strings.Join([]string{info.ID, size.Label}, " ")}, nil
}
