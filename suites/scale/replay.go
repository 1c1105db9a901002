package scale

import (
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/partition"
)

// Replay turns a stored plan back into its cells, in the stored order, and the
// preset with the rules it was sampled by. pool is the present pool, software:
// a CPU driver is in it. An error wraps ErrConfig.
func Replay(p result.Plan, pool []result.Device, software bool) ([]Cell, Preset, error) {
	preset, err := FindPreset(p.Preset, software)
	if err != nil {
		return nil, preset, invalid("the plan's preset: %v", err)
	}
	preset.Launches = p.Launches
	if p.Precision > 0 {
		preset.Rules.Precision = p.Precision
	}
	if p.Samples > 0 {
		preset.Rules.MaxSamples = p.Samples
		preset.Rules.MinSamples = min(preset.Rules.MinSamples, p.Samples)
	}
	if p.MaxTime > 0 {
		preset.Rules = preset.Rules.Within(p.MaxTime)
	}
	if err := preset.Rules.Check(); err != nil {
		return nil, preset, invalid("the plan's %v", err)
	}
	if p.Launches < 1 {
		return nil, preset, invalid("the plan has %d launches of a row", p.Launches)
	}
	if len(p.Order) == 0 {
		return nil, preset, invalid("the plan lists no launches")
	}
	cells := make([]Cell, len(p.Order))
	seen := map[string]int{}
	for i, o := range p.Order {
		if cells[i], err = replayCell(p, o, pool); err != nil {
			return nil, preset, fmt.Errorf("launch %d of the plan: %w", i+1, err)
		}
		id := fmt.Sprintf("%q %d %v %d %d %q", fmt.Sprint(o.Key), o.Count, o.Devices, o.Block, o.Launch, o.Side)
		if first, twice := seen[id]; twice { // a result holds each launch once
			return nil, preset, fmt.Errorf("launch %d of the plan: %w", i+1, invalid("it is launch %d once more", first))
		}
		seen[id] = i + 1
	}
	return cells, preset, nil
}

func replayCell(p result.Plan, o result.PlannedCell, pool []result.Device) (Cell, error) {
	w, err := suites.Find(o.Workload)
	if err != nil {
		return Cell{}, invalid("%v", err)
	}
	if o.Size.N < 1 || o.Total < 1 || o.Residency == "" || o.Cache == "" {
		return Cell{}, invalid("it does not say size, residency and cache: the file comes from a version that stored less")
	}
	if !slices.Contains([]string{Strong, Weak, Solo}, o.Mode) || !slices.Contains(Residencies, o.Residency) || !slices.Contains(Caches, o.Cache) {
		return Cell{}, invalid("mode %q, residency %q, cache %q: not all are known", o.Mode, o.Residency, o.Cache)
	}
	if _, err := partition.ParseDivision(o.Strategy); err != nil {
		return Cell{}, invalid("%v", err)
	}
	if o.Block < 0 || o.Launch < 0 {
		return Cell{}, invalid("block %d, launch %d: they count from 0", o.Block, o.Launch)
	}
	if o.Side != "" && o.Side != result.SideA && o.Side != result.SideB {
		return Cell{}, invalid("side %q: use %s or %s", o.Side, result.SideA, result.SideB)
	}
	if o.Count != len(o.Devices) || o.Count < 1 {
		return Cell{}, invalid("%d devices for a count of %d", len(o.Devices), o.Count)
	}
	for k, d := range o.Devices {
		if !slices.ContainsFunc(pool, func(have result.Device) bool { return have.Index == d }) {
			return Cell{}, invalid("device %d is not in the pool of %d", d, len(pool))
		}
		if slices.Contains(o.Devices[:k], d) {
			return Cell{}, invalid("device %d twice in one team", d)
		}
	}
	item := Item{Workload: w, Size: o.Size, Split: o.Split, Algorithm: o.Algorithm, Params: map[string]int64{}, Input: ""}
	if w.Info().ReadsInput {
		item.Input = p.Input
	}
	for _, param := range w.Info().Params {
		v, ok := p.Params[ParamKey(o.Workload, param.Name)]
		if !ok {
			v = param.Default
		}
		if err := param.Check(v); err != nil {
			return Cell{}, invalid("parameter %s=%d: %v", param.Name, v, err)
		}
		item.Params[param.Name] = v
	}
	if o.Split != "" && !slices.Contains(w.Info().Splits, o.Split) {
		return Cell{}, invalid("%s has no split %q", o.Workload, o.Split)
	}
	if o.Algorithm != "" && !slices.Contains(w.Info().Algorithms, o.Algorithm) {
		return Cell{}, invalid("%s has no algorithm %q", o.Workload, o.Algorithm)
	}
	for _, k := range o.Constants {
		at := slices.IndexFunc(w.Info().Tunables, func(t suites.Tunable) bool { return t.Name == k.Name })
		if at < 0 || !slices.Contains(w.Info().Tunables[at].Values, k.Value) || k.From != result.FromTuned && k.From != result.FromGiven {
			return Cell{}, invalid("constant %s=%d from %q: %s has no such choice", k.Name, k.Value, k.From, o.Workload)
		}
	}
	item.Constants = o.Constants
	return Cell{Key: o.Key, Item: item, Count: o.Count, Devices: o.Devices, Total: o.Total, Seed: p.Seed, Block: o.Block, Launch: o.Launch, Side: o.Side}, nil
}

// ParamKey names a workload's parameter in a plan: two workloads may have one
// of the same name.
func ParamKey(workload, name string) string { return strings.Join([]string{workload, name}, ":") }
