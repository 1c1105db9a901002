package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk/peer"
)

// fixedByPlan are the flags whose values a stored plan brings.
var fixedByPlan = []string{
	"gpus", "nodes", "mode", "subsets", "size", "strategy", "assign", "split", "algorithm", "transport", "residency", "cache",
	"preset", "launches", "samples", "precision", "max-time", "seed", "param", "repeat", "constant", "no-tune-cache", "tune", "input", "self-test", "team",
}

// planAlone refuses what contradicts --plan.
func planAlone(f *pflag.FlagSet, workloads []string) error {
	if len(workloads) > 0 {
		return usage("--plan says what is measured: name no workload beside it")
	}
	for _, name := range fixedByPlan {
		if f.Changed(name) {
			return usage("--plan says what is measured: leave out --%s", name)
		}
	}
	return nil
}

// replay takes the sweep from a stored plan: a result file, of which only the
// plan is used.
func (m *measurement) replay(path string, pool []result.Device, software bool) error {
	res, err := result.Read(path)
	if err != nil {
		return usage("--plan: %w", err)
	}
	if err := m.stored("--plan "+path, res.Plan, pool, software); err != nil {
		return err
	}
	if have := fingerprint(pool); res.Fingerprint != have {
		m.notes = append(m.notes, result.Warning{Code: "plan-devices", Text: fmt.Sprintf("the plan of %s was made for other devices: %s", path, planDevices(res.Devices))})
	}
	return nil
}

// stored makes the sweep that a plan describes; from says where the plan is.
func (m *measurement) stored(from string, p result.Plan, pool []result.Device, software bool) error {
	cells, preset, err := scale.Replay(p, pool, software)
	if err != nil {
		return usage("%s: %w", from, err)
	}
	if m.o.division, err = partition.ParseDivision(p.Strategy); err != nil {
		return usage("%s: %w", from, err)
	}
	for i, c := range cells {
		if c.Transport != "none" && c.Transport != "auto" && !slices.Contains(peer.Names(), c.Transport) {
			return usage("%s: launch %d of the plan: transport %q: this amgpu knows auto, %s", from, i+1, c.Transport, strings.Join(peer.Names(), ", "))
		}
	}
	m.cells, m.replayed = cells, true
	m.config = scale.Config{Pool: pool, Modes: p.Modes, Counts: p.Counts, Whole: p.Nodes, Subsets: p.Subsets, Strategy: p.Strategy, Preset: preset, Seed: p.Seed, SelfTest: p.SelfTest}
	for _, c := range cells {
		if !slices.ContainsFunc(m.config.Items, func(i scale.Item) bool { return i.Workload.Info().ID == c.Workload && i.Size == c.Size }) {
			m.config.Items = append(m.config.Items, c.Item)
		}
	}
	m.o.input = p.Input
	return nil
}

func planDevices(devices []result.Device) string {
	names := make([]string, len(devices))
	for i, d := range devices {
		names[i] = d.Name + ", " + d.Driver
	}
	return strings.Join(names, "; ")
}
