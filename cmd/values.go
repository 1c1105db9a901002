package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk/peer"
)

// read checks the value of every flag as far as no other flag and no device matters: also
// those of a file that flags outweigh.
func (o *options) read() error {
	m := &o.measureFlags
	if err := m.poolFlags.check(); err != nil {
		return err
	}
	var err error
	if o.limits, err = m.recoveryFlags.limits(); err != nil {
		return err
	}
	if o.presetName = m.preset; m.preset != "" {
		if _, err := scale.FindPreset(m.preset, false); err != nil {
			return usage("--preset: %w", err)
		}
	}
	if o.division, err = partition.ParseDivision(m.strategy); err != nil {
		return usage("--strategy: %w", err)
	}
	if m.assign != "" {
		if o.division.Assign, err = partition.LookupAssign(m.assign); err != nil {
			return usage("--assign: %w", err)
		}
	}
	if strings.HasSuffix(m.output, ".journal") {
		return usage("-o %s: that is the name of the journal of another result; choose one that does not end in .journal", m.output)
	}
	if m.transport != "auto" && !slices.Contains(peer.Names(), m.transport) {
		return usage("--transport %q: use auto, %s", m.transport, strings.Join(peer.Names(), ", "))
	}
	if !slices.Contains(roofRules, m.roof) {
		return usage("--roof %q: use %s", m.roof, strings.Join(roofRules, ", "))
	}
	if o.residencies, err = choices("residency", m.residency, scale.Residencies); err != nil {
		return err
	}
	if o.caches, err = choices("cache", m.cache, scale.Caches); err != nil {
		return err
	}
	if o.paramList, err = parseParams(m.params); err != nil {
		return usage("--param %w, such as repeat=64; `amgpu suites WORKLOAD` lists them", err)
	}
	if o.given, err = parseParams(m.constants); err != nil {
		return usage("--constant %w, such as group=128; `amgpu suites WORKLOAD` lists them", err)
	}
	if err := o.readSize(); err != nil {
		return err
	}
	if err := o.readSampling(); err != nil {
		return err
	}
	return o.readCounts()
}

// readSize checks how a size is written: which sizes there are depends on the workload.
func (o *options) readSize() error {
	if o.size == "" || o.size == fillSize {
		return nil
	}
	if slices.Contains(list(o.size), fillSize) {
		return usage("--size %s: fill stands alone; measure other sizes with another command", o.size)
	}
	for item := range strings.SplitSeq(o.size, ",") {
		for text := range strings.SplitSeq(item, "..") {
			if _, _, err := (suites.Sizes{S: 1, M: 1, L: 1}).Parse(text); err != nil {
				return usage("--size: %w", err)
			}
		}
	}
	return nil
}

// checkValue says what is wrong with one flag of run or scale by itself, whatever the others
// are; nil: nothing, or a command of another name.
func checkValue(command, flag string, values []string) error {
	var o options
	f := pflag.NewFlagSet(command, pflag.ContinueOnError)
	switch o.add(f); command {
	case "run":
		o.addRun(f)
	case "scale":
		o.addScale(f)
	default:
		return nil
	}
	for _, v := range values {
		if err := f.Set(flag, v); err != nil {
			return usage("--%s %w", flag, wanted(f.Lookup(flag), v, err))
		}
	}
	if command == "run" && o.checkpoint.every < 1 {
		return badEvery(o.checkpoint.every)
	}
	return o.read()
}

// readSampling reads the flags that change a preset, and what is rendered.
func (o *options) readSampling() error {
	var err error
	if o.precision != "" {
		if o.h, err = parseFraction(o.precision); err != nil {
			return usage("--precision %w", err)
		}
	}
	if o.maxTime != "" {
		if o.longest, err = parseSeconds(o.maxTime); err != nil {
			return usage("--max-time %w", err)
		}
	}
	if o.timeout != "" {
		if _, err := parseSeconds(o.timeout); err != nil {
			return usage("--timeout %w", err)
		}
	}
	if o.launches < 0 || o.launches > 1000 {
		return usage("--launches %d: use 1 to 1000", o.launches)
	}
	if o.samples < 0 {
		return usage("--samples %d: use a number above 0", o.samples)
	}
	o.formatList, err = formats(o.formats)
	return err
}

// readCounts reads the flags of scale that say what is measured; those of run are empty.
func (o *options) readCounts() error {
	if o.modes != "" {
		o.modeList = list(o.modes)
		for _, mode := range o.modeList {
			if mode != scale.Strong && mode != scale.Weak {
				return usage("--mode %q: use strong, weak or strong,weak", mode)
			}
		}
		if len(o.modeList) == 0 {
			return usage("--mode is empty: use strong, weak or strong,weak")
		}
	}
	if o.subsets != "" && !slices.Contains(scale.SubsetRules, o.subsets) {
		return usage("--subsets %q: use %s", o.subsets, strings.Join(scale.SubsetRules, ", "))
	}
	if o.gpus != "" {
		if _, err := parseCounts(o.gpus, 0); err != nil {
			return usage("--gpus %w", err)
		}
	}
	if o.nodes != "" {
		if _, err := parseCounts(o.nodes, 0); err != nil {
			return usage("--nodes %w", err)
		}
	}
	var err error
	o.forecasts, err = o.forecastFlags.read()
	return err
}
