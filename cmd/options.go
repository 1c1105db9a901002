package cmd

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk/peer"
)

// measureFlags are the flags of run and scale as they are written.
type measureFlags struct {
	poolFlags
	recoveryFlags
	forecastFlags                              // scale only
	gpus, nodes, modes, subsets         string // scale only
	team                                bool   // run only
	size, strategy, assign, split       string
	strategyGiven                       bool
	limitsAsked                         []string // flags of limits that were given
	algorithm, transport, preset        string
	residency, cache                    string
	precision, maxTime, timeout         string
	launches, samples                   int
	seed                                uint64
	params, constants                   []string
	repeat                              int64
	input, output, formats, dir, config string
	noLock, noProgress, asJSON          bool
	telemetry, force                    bool
	roof                                string
	noLinkCache, noTuneCache            bool
	tune                                bool   // run only
	shader, kernel                      string // the user's own kernel
	plan, trace                         string // scale only
	selfTest                            bool   // scale only
	resume                              string
	checkpoint                          checkpointFlags // run only
}

// add defines the flags that run and scale share.
func (m *measureFlags) add(f *pflag.FlagSet) {
	m.poolFlags.add(f)
	m.recoveryFlags.add(f)
	f.StringVar(&m.size, "size", "", "problem `SIZE`: S, M, L or a number in the workload's unit, such as 65536 or 64Ki; several give rows of their own: 4,64Ki or 1..256Mi, in powers of four; fill: what takes 90 % of the devices' memory (default: S on software devices, M on GPUs)")
	f.StringVar(&m.strategy, "strategy", "equal", "how work is divided: "+strings.Join(partition.Names(), ", "))
	f.StringVar(&m.assign, "assign", "", "how --strategy dynamic hands out chunks: "+strings.Join(partition.AssignNames(), ", ")+" (default steal)")
	f.StringVar(&m.split, "split", "", "what is divided, where a workload has several `SPLIT`s: amgpu suites WORKLOAD lists them")
	f.StringVar(&m.algorithm, "algorithm", "", "communication algorithm, where a workload has several")
	f.StringVar(&m.transport, "transport", "auto", "how bytes cross between devices: auto, "+strings.Join(peer.Names(), ", "))
	f.StringVar(&m.residency, "residency", "resident", "where data is before an iteration: resident (on the devices), end-to-end (on the host; copies are timed), or both")
	f.StringVar(&m.cache, "cache", "hot", "cache state before a sample: hot, cold, or both")
	f.StringVar(&m.preset, "preset", "", "sampling budget: "+strings.Join(scale.PresetNames, ", ")+" (default: quick without named workloads, else default)")
	f.IntVar(&m.launches, "launches", 0, "launches (fresh device state) of every row; 0: the preset's")
	f.IntVar(&m.samples, "samples", 0, "at most `N` samples per launch; 0: the preset's")
	f.StringVar(&m.precision, "precision", "", "stop a launch when the median is known this well, such as 1% (default 1%)")
	f.StringVar(&m.maxTime, "max-time", "", "sample a launch at most this long, such as 10s")
	f.Uint64Var(&m.seed, "seed", 1, "seed of inputs and of the order of launches")
	f.StringArrayVar(&m.params, "param", nil, "set a workload's parameter, `NAME=VALUE` (repeatable)")
	f.StringArrayVar(&m.constants, "constant", nil, "set a constant of a workload's kernels, `NAME=VALUE` (repeatable): amgpu suites WORKLOAD lists them")
	f.BoolVar(&m.noTuneCache, "no-tune-cache", false, "use the default constants of kernels, not those that --tune found before, and keep none")
	f.Int64Var(&m.repeat, "repeat", 0, "repetitions inside a kernel where a workload has that parameter; short for --param repeat=N (0: the workload's default)")
	f.StringVar(&m.input, "input", "", "`FILE` for a workload that reads data")
	f.StringVar(&m.shader, "shader", "", "measure your own kernel: SPIR-V `FILE`, with --kernel")
	f.StringVar(&m.kernel, "kernel", "", "YAML `FILE` that describes the kernel of --shader: sizes, bindings, expected output")
	f.StringVarP(&m.output, "output", "o", "", "result `FILE` (default: amgpu-TIME.json here)")
	f.StringVar(&m.resume, "resume", "", "complete the interrupted sweep of result `FILE`, launch by launch, on the same devices")
	f.StringVar(&m.dir, "report", "", "also render the result into `DIR`")
	f.StringVar(&m.formats, "format", "html,png", "formats for --report")
	f.StringVar(&m.config, "config", "", "YAML `FILE` with any of these settings, named like flags, and a list `workloads`")
	f.StringVar(&m.timeout, "timeout", "", "stop the whole command after this time; what was measured is kept")
	f.BoolVar(&m.noLock, "no-lock", false, "do not wait for GPUs that another amgpu uses")
	f.BoolVar(&m.telemetry, "telemetry", false, "store what the devices' sensors say: clocks, power, temperature, utilization, throttle reasons")
	f.BoolVar(&m.force, "force", false, "measure although another process computes on a GPU")
	f.StringVar(&m.roof, "roof", roofAuto, "what rows are held against: auto (rows of this result that measure roofs, else what is remembered from earlier ones), measured (measure them for a moment first) or none")
	f.BoolVar(&m.noLinkCache, "no-link-cache", false, "verify the links between GPUs anew, also those that were verified on this machine before")
	f.BoolVar(&m.noProgress, "no-progress", false, "no progress bar")
	f.BoolVar(&m.asJSON, "json", false, "print the result as JSON")
}

// options are the flags once checked, as far as no device is needed for it.
type options struct {
	measureFlags
	solo       bool // every device alone (run without --team)
	workloads  []suites.Workload
	modeList   []string
	division   partition.Division
	presetName string
	paramList  map[string]int64
	given      map[string]int64 // constants

	residencies, caches []string
	h                   float64
	longest             time.Duration
	formatList          []string
	limits              limits
	forecasts           forecasts
	resumption          *resumption // nil: a sweep from its beginning
}

// options checks everything that needs no device.
func (m measureFlags) options(ids []string) (*options, error) {
	o := &options{measureFlags: m}
	if err := o.read(); err != nil {
		return nil, err
	}
	mine, err := m.ownKernel(ids)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 && mine == nil {
		ids = scale.QuickSet
		if o.presetName == "" {
			o.presetName = "quick"
		}
	}
	if o.presetName == "" {
		o.presetName = "default"
	}
	if o.workloads, err = findWorkloads(ids); err != nil {
		return nil, err
	}
	if mine != nil {
		o.workloads = append(o.workloads, mine)
	}
	if m.assign != "" && !o.division.Strategy.Dynamic {
		return nil, usage("--assign is how --strategy dynamic hands out chunks: give that strategy, or leave it out")
	}
	if err := o.checkConstants(); err != nil {
		return nil, err
	}
	if m.repeat != 0 {
		if _, dup := o.paramList["repeat"]; dup {
			return nil, usage("--repeat and --param repeat=.. say the same: give one of them")
		}
		o.paramList["repeat"] = m.repeat
	}
	return o, o.outputs()
}

// apply puts the flags over a preset.
func (o *options) apply(p scale.Preset) scale.Preset {
	if o.launches > 0 {
		p.Launches = o.launches
	} else if o.selfTest { // as many launches on either side as a comparison has
		p.Launches = max(p.Launches, selfTestLaunches)
	}
	if o.h > 0 {
		p.Rules.Precision = o.h
	}
	if o.longest > 0 {
		p.Rules = p.Rules.Within(o.longest.Seconds())
	}
	if o.samples > 0 {
		p.Rules.MaxSamples = o.samples
		p.Rules.MinSamples = min(p.Rules.MinSamples, o.samples)
	}
	return p
}

// selfTestLaunches is the least number of launches on each side of an A/A
// comparison: the fewest a gate decides on.
const selfTestLaunches = 5

// items resolves sizes, splits, algorithms and parameters per workload.
func (o *options) items(software bool) ([]scale.Item, error) {
	size := o.size
	if size == "" {
		size = "M"
		if software {
			size = "S"
		}
	}
	used := map[string]bool{}
	var out []scale.Item
	for _, w := range o.workloads {
		info := w.Info()
		sizes, err := o.sizesOf(w, size)
		if err != nil {
			return nil, err
		}
		item := scale.Item{Workload: w, Params: map[string]int64{}, Input: o.input}
		if item.Split, err = oneOf("split", o.split, info.ID, info.Splits); err != nil {
			return nil, err
		}
		if item.Algorithm, err = oneOf("algorithm", o.algorithm, info.ID, info.Algorithms); err != nil {
			return nil, err
		}
		for _, p := range info.Params {
			v, given := o.paramList[p.Name]
			if !given {
				v = p.Default
			} else if err := p.Check(v); err != nil {
				return nil, usage("parameter %s=%d of %s: %w", p.Name, v, info.ID, err)
			}
			used[p.Name] = true
			item.Params[p.Name] = v
		}
		for _, x := range sizes {
			item.Size = result.Size{Label: x.Label, N: x.N}
			out = append(out, item)
		}
	}
	for name := range o.paramList {
		if !used[name] {
			return nil, usage("no chosen workload has a parameter %q; `amgpu suites WORKLOAD` lists them", name)
		}
	}
	return out, nil
}

// sizesOf are the sizes of a workload: that of its input file, else those asked for.
func (o *options) sizesOf(w suites.Workload, text string) ([]suites.Size, error) {
	info := w.Info()
	if o.input == "" && text == fillSize { // fillSizes, which knows the pool
		return []suites.Size{{N: info.Sizes.S, Label: fillSize}}, nil
	}
	if slices.Contains(list(text), fillSize) {
		return nil, usage("--size %s: fill stands alone; measure other sizes with another command", text)
	}
	if o.input == "" {
		sizes, err := info.Sizes.List(text)
		if err != nil {
			return nil, usage("--size: %w", err)
		}
		return sizes, nil
	}
	file, ok := w.(suites.InputSizer)
	switch {
	case !ok:
		return nil, usage("--input: %s reads no file", info.ID)
	case o.size != "":
		return nil, usage("--size and --input: the length of the file is the size: give one of them")
	}
	n, err := file.InputSize(o.input)
	if err != nil {
		return nil, usage("--input: %w", err)
	}
	return []suites.Size{{N: n, Label: "custom"}}, nil
}

// choices splits a comma list whose members must be known; both stands for all.
func choices(flag, text string, known []string) ([]string, error) {
	if text == "both" {
		return slices.Clone(known), nil
	}
	out := list(text)
	if len(out) == 0 {
		return nil, usage("--%s is empty: use %s", flag, strings.Join(known, ", "))
	}
	for _, c := range out {
		if !slices.Contains(known, c) {
			return nil, usage("--%s %q: use %s or both", flag, c, strings.Join(known, ", "))
		}
	}
	return out, nil
}

// oneOf checks a choice among what a workload has; empty chooses its default.
func oneOf(what, choice, id string, has []string) (string, error) {
	switch {
	case choice == "" && len(has) == 0:
		return "", nil
	case choice == "":
		return has[0], nil
	case slices.Contains(has, choice):
		return choice, nil
	case len(has) == 0:
		return "", usage("--%s %s: %s has only one", what, choice, id)
	}
	return "", usage("--%s %s: %s has %s", what, choice, id, strings.Join(has, ", "))
}
