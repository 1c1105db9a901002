package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/suites/tune"
)

// compareLaunches is how many launches of each side decide between the defaults and the
// fastest candidate: the fewest that give an interval with one launch to spare.
const compareLaunches = 5

// search looks for the fastest constants of every workload of the plan, on one device of
// each model, keeps what it finds and gives it to the launches of the plan.
func (m *measurement) search(ctx context.Context) error {
	software := slices.ContainsFunc(m.config.Pool, func(d result.Device) bool { return d.Software })
	preset, err := scale.FindPreset("quick", software)
	if err != nil {
		return err
	}
	some := false
	for _, item := range m.config.Items {
		some = some || tunable(item.Workload)
		if !tunable(item.Workload) {
			m.s.say("tune %s: it has no constants to search", item.Workload.Info().ID)
			continue
		}
		var models []string
		for _, d := range m.config.Pool {
			if slices.Contains(models, model(d)) {
				continue
			}
			models = append(models, model(d))
			if ctx.Err() == nil {
				m.searchOn(ctx, item, d, m.o.apply(preset))
			}
		}
	}
	if !some {
		return usage("--tune: none of the chosen workloads has constants to search")
	}
	m.constants()
	m.header.Tuning, m.header.Plan.Order = m.searches, scale.Planned(m.cells)
	m.header.Warnings = append(m.header.Warnings, m.notes[m.noted:]...)
	return nil
}

// searchOn is one search.
func (m *measurement) searchOn(ctx context.Context, item scale.Item, d result.Device, preset scale.Preset) {
	info := item.Workload.Info()
	cell := m.searchCell(item, d)
	defaults := map[string]int64{}
	for _, t := range info.Tunables {
		defaults[t.Name] = t.For(m.machine.limits.Class)
	}
	sweep := scale.Sweep{Machine: m.machine, Pool: m.config.Pool, Preset: preset}
	n := 0
	s := tune.Search{
		Tunables: info.Tunables, Default: defaults, Launches: compareLaunches,
		Measure: func(ctx context.Context, constants map[string]int64) result.Trial {
			c := cell
			c.Launch++
			c.Item.Constants = asGiven(info.Tunables, constants)
			if t := m.unbuildable(c); t != nil {
				return *t
			}
			return sweep.Once(ctx, c)
		},
		Tried: func(c result.Candidate) {
			n++
			m.s.say("tune %s, size %s, device %d, candidate %d: %s: %s", info.ID, sizeText(item.Size), d.Index, n, constantText(info.Tunables, c.Constants), candidateText(c))
		},
	}
	out := s.Run(ctx)
	out.Workload, out.Split, out.Size, out.Device = info.ID, item.Split, item.Size, d.Index
	m.searches = append(m.searches, out)
	m.s.say("tune %s, size %s, device %d: %s", info.ID, sizeText(item.Size), d.Index, out.Verdict)
	if tune.Lost(out) || ctx.Err() != nil || len(out.Candidates) < 2 {
		return
	}
	key, ok := m.key(cell, d)
	if !ok {
		return
	}
	e := tune.Entry{Key: key, Constants: out.Winner, WinShaders: m.shaders(cell, out.Winner), Gain: out.Gain, Found: time.Now().UTC().Truncate(time.Second)}
	if err := m.tuned.Put(e); err != nil {
		m.note("tune-cache", fmt.Sprintf("the constants of %s are not kept for later: %v", info.ID, err))
	}
}

// searchCell is a launch on one device.
func (m *measurement) searchCell(item scale.Item, d result.Device) scale.Cell {
	return scale.Cell{
		Key: result.Key{
			Workload: item.Workload.Info().ID, Mode: scale.Solo, Size: item.Size, Strategy: "equal", Split: item.Split,
			Transport: "none", Algorithm: item.Algorithm, Residency: scale.Residencies[0], Cache: scale.Caches[0],
		},
		Item: item, Count: 1, Devices: []int{d.Index}, Total: item.Size.N, Seed: m.config.Seed,
	}
}

// unbuildable is the trial of a candidate of which there is no program.
func (m *measurement) unbuildable(c scale.Cell) *result.Trial {
	b := m.machine.request(c)
	b.Divide = equally(1)
	if _, err := c.Item.Workload.Build(b); err != nil {
		return &result.Trial{Status: result.Unsupported, Reason: err.Error()}
	}
	return nil
}

// asGiven are constants in the order of the tunables.
func asGiven(tunables []suites.Tunable, constants map[string]int64) []result.Constant {
	out := make([]result.Constant, len(tunables))
	for i, t := range tunables {
		out[i] = result.Constant{Name: t.Name, Value: constants[t.Name], From: result.FromGiven}
	}
	return out
}

func candidateText(c result.Candidate) string {
	if c.Time == nil {
		return strings.TrimSuffix(c.Status+": "+c.Reason, ": ")
	}
	text := fmt.Sprintf("%.4g ms", c.Time.Median*1e3)
	if c.Time.Low != nil && c.Time.High != nil {
		text += fmt.Sprintf(" [%.4g, %.4g]", *c.Time.Low*1e3, *c.Time.High*1e3)
	}
	return text
}

func sizeText(s result.Size) string {
	if s.Label == "custom" {
		return fmt.Sprint(s.N)
	}
	return s.Label
}

// lostText names the searches that ended because a device was lost; empty: none.
func lostText(list []result.Tuning) string {
	var out []string
	for _, t := range list {
		if tune.Lost(t) {
			out = append(out, fmt.Sprintf("the search for %s on device %d: %s", t.Workload, t.Device, t.Verdict))
		}
	}
	return strings.Join(out, "; ")
}
