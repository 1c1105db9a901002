package cmd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/scale"
)

// plan chooses the pool and lists the launches.
func (m *measurement) plan() error {
	o := m.o
	adapters, devices := m.adapters, m.devices
	var err error
	software := slices.ContainsFunc(devices, func(d result.Device) bool { return d.Software })
	switch {
	case o.resumption != nil:
		err = m.continued(o.resumption, devices, software)
	case o.plan != "":
		err = m.replay(o.plan, devices, software)
	default:
		err = m.sweepPlan(devices, software)
	}
	if err != nil {
		return err
	}
	if m.job != nil && o.division.Strategy.Dynamic {
		return usage("--strategy %s hands out work within one process, and this is an MPI job: use another strategy, such as proportional", o.division.Name())
	}
	m.machine = &machine{adapters: adapters, limits: engine.PoolLimits(adapters), division: o.division, cacheDir: cacheDir(), links: o.linkCache(),
		timeout: o.limits.timeout(software), memory: o.limits.memory, job: m.job, expects: o.strategyGiven}
	var earlier []result.Trial
	if m.resume != nil {
		earlier = m.resume.res.Trials
	}
	m.machine.alones = willKnow(devices, m.cells, earlier)
	m.constants()
	if err := m.machine.check(m.cells); err != nil {
		return err
	}
	if m.machine.keep, err = m.keeper(); err != nil {
		return err
	}
	m.watch.open(adapters, devices)
	m.header = m.newHeader(devices)
	m.noted = len(m.notes)
	m.noteKernel()
	if m.resume == nil {
		return nil
	}
	if have, was := m.header.Plan.Shader, m.resume.res.Plan.Shader; have != was {
		return usage("--resume: the kernel is another one now: its sha256 is %s and was %s", have, was)
	}
	m.header = m.resume.header(len(m.cells), append(hostLoad(), busy(m.adapters)...))
	return nil
}

// sweepPlan lists the launches that the flags ask for.
func (m *measurement) sweepPlan(devices []result.Device, software bool) error {
	o := m.o
	preset, err := scale.FindPreset(o.presetName, software)
	if err != nil {
		return usage("--preset: %w", err)
	}
	m.config = scale.Config{
		Modes: o.modeList, Pool: devices, Subsets: o.subsets, Strategy: o.division.Name(),
		Transport: o.transport, Residencies: o.residencies, Caches: o.caches, Preset: o.apply(preset), Seed: o.seed, SelfTest: o.selfTest,
	}
	if err := m.config.Preset.Rules.Check(); err != nil {
		return usage("%w", err)
	}
	if m.config.Items, err = o.items(software); err != nil {
		return err
	}
	if m.config.Counts, err = o.counts(devices); err != nil {
		return m.rig.explain(err)
	}
	if o.nodes != "" {
		if err := o.wholeNodes(&m.config); err != nil {
			return err
		}
	}
	if err := fillSizes(m.config.Items, m.config, m.adapters, o.limits.memory, o.division.Strategy.Dynamic); err != nil {
		return err
	}
	m.cells, err = scale.Plan(m.config)
	return err
}

// counts resolves --gpus against the pool.
func (o *options) counts(pool []result.Device) ([]int, error) {
	switch {
	case o.solo:
		return []int{1}, nil
	case o.team:
		return []int{len(pool)}, nil
	case o.gpus == "" && o.nodes != "":
		return nil, nil
	case o.gpus == "":
		return defaultCounts(len(pool)), nil
	}
	counts, err := parseCounts(o.gpus, len(pool))
	if err != nil {
		all := make([]string, len(pool))
		for i, d := range pool {
			all[i] = fmt.Sprintf("%d %s", d.Index, d.Name)
		}
		return nil, usage("--gpus %s: %w; the pool is: %s", o.gpus, err, strings.Join(all, ", "))
	}
	return counts, nil
}

func (m *measurement) newHeader(devices []result.Device) *result.Result {
	in := m.rig.instance
	return &result.Result{
		Job:    m.job.described(devices),
		Schema: result.Schema, Created: time.Now().UTC().Truncate(time.Second), Tool: tool(), Command: command(),
		Host: hostFacts(in.LoaderVersion(), in.ActiveLayers()), Fingerprint: fingerprint(devices), Devices: devices,
		Plan:     m.planned(),
		Warnings: append(append(hostLoad(), busy(m.adapters)...), m.notes...),
	}
}

// planned is the stored form of the plan.
func (m *measurement) planned() result.Plan {
	p := m.config.Preset
	out := result.Plan{
		Seed: m.config.Seed, Preset: p.Name, Launches: p.Launches, Counts: m.config.Counts, Nodes: m.config.Whole, Modes: m.config.Modes,
		Subsets: m.config.Subsets, Strategy: m.config.Strategy, Precision: p.Rules.Precision, Samples: p.Rules.MaxSamples,
		MaxTime: p.Rules.MaxTime, Order: scale.Planned(m.cells), SelfTest: m.config.SelfTest, Params: map[string]int64{}, Input: m.o.input,
	}
	if m.o.roof != roofAuto {
		out.Roof = m.o.roof
	}
	for _, item := range m.config.Items {
		for name, v := range item.Params {
			out.Params[scale.ParamKey(item.Workload.Info().ID, name)] = v
		}
	}
	return out
}
