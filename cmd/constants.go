package cmd

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/suites/tune"
)

// checkConstants refuses given constants that no chosen workload has, or not with that
// value.
func (o *options) checkConstants() error {
	used := map[string]bool{}
	for _, w := range o.workloads {
		for _, t := range w.Info().Tunables {
			v, given := o.given[t.Name]
			if given && !slices.Contains(t.Values, v) {
				return usage("constant %s=%d of %s: use one of %v", t.Name, v, w.Info().ID, t.Values)
			}
			used[t.Name] = used[t.Name] || given
		}
	}
	for name := range o.given {
		if !used[name] {
			return usage("no chosen workload has a constant %q; `amgpu suites WORKLOAD` lists them", name)
		}
	}
	return nil
}

// constants gives every launch of the plan the constants of its kernels: given, else of a
// stored plan, else found by a search on this model of device, else the default.
func (m *measurement) constants() {
	if m.tuned == nil {
		dir := cacheDir()
		if m.o.tune && !m.o.noTuneCache && dir == "" {
			m.note("tune-cache", "what the search finds is not kept for later: no folder for it could be made; set HOME or XDG_CACHE_HOME to one that can be written")
		}
		if m.o.noTuneCache || dir == "" {
			m.tuned = tune.OpenCache("")
		} else {
			m.tuned = tune.OpenCache(filepath.Join(dir, "tune"))
		}
	}
	for i := range m.cells {
		m.cells[i].Item.Constants = m.constantsOf(m.cells[i])
	}
}

// constantsOf are the constants of a cell, one for each tunable.
func (m *measurement) constantsOf(c scale.Cell) []result.Constant {
	tunables := c.Item.Workload.Info().Tunables
	if len(tunables) == 0 {
		return nil
	}
	stored := c.Item.Constants
	var found map[string]int64
	if !m.replayed {
		found = m.lookUp(c)
	}
	out := make([]result.Constant, len(tunables))
	for i, t := range tunables {
		out[i] = result.Constant{Name: t.Name, Value: t.For(m.machine.limits.Class), From: result.FromDefault}
		if v, ok := found[t.Name]; ok {
			out[i].Value, out[i].From = v, result.FromTuned
		}
		if at := slices.IndexFunc(stored, func(k result.Constant) bool { return k.Name == t.Name }); at >= 0 {
			out[i] = stored[at]
		}
		if v, ok := m.o.given[t.Name]; ok {
			out[i].Value, out[i].From = v, result.FromGiven
		}
	}
	return out
}

// values of constants by name.
func values(list []result.Constant) map[string]int64 {
	out := make(map[string]int64, len(list))
	for _, k := range list {
		out[k.Name] = k.Value
	}
	return out
}

// lookUp is what a search found for a cell. All counts of a row must run the same kernels,
// so only a pool of one model has an answer, except for rows of single devices.
func (m *measurement) lookUp(c scale.Cell) map[string]int64 {
	team := m.config.Pool
	if c.Mode == scale.Solo && c.Count == 1 {
		team = []result.Device{m.device(c.Devices[0])}
	}
	for _, d := range team {
		if model(d) != model(team[0]) {
			return nil
		}
	}
	for _, s := range m.searches { // by this command
		if s.Workload == c.Workload && s.Split == c.Split && s.Size == c.Size && model(m.device(s.Device)) == model(team[0]) {
			return s.Winner
		}
	}
	key, ok := m.key(c, team[0])
	if !ok {
		return nil
	}
	e, found, err := m.tuned.Get(key, c.Item.Workload.Info().Tunables)
	if err != nil {
		m.note("tune-cache", err.Error())
	}
	if !found || len(e.Constants) == 0 || m.shaders(c, e.Constants) != e.WinShaders {
		return nil
	}
	return e.Constants
}

// note keeps a warning for the result, each once, and says it.
func (m *measurement) note(code, text string) {
	w := result.Warning{Code: code, Text: text}
	if !slices.Contains(m.notes, w) {
		m.notes = append(m.notes, w)
		m.s.say("amgpu: %s", text)
	}
}

// model is what constants found on one device serve for.
func model(d result.Device) string { return d.Name + ", " + d.Driver }

// device is the device of that index.
func (m *measurement) device(index int) result.Device {
	at := slices.IndexFunc(m.config.Pool, func(d result.Device) bool { return d.Index == index })
	return m.config.Pool[at]
}

// key names what constants of a cell depend on; ok is false where its program cannot be
// built. The size is that of one device in weak mode, and the whole one in strong mode:
// it does not change with the count.
func (m *measurement) key(c scale.Cell, d result.Device) (k tune.Key, ok bool) {
	shaders := m.shaders(c, nil)
	return tune.Key{
		Workload: c.Workload, Split: c.Split, Params: tune.ParamText(c.Item.Params), SizeClass: tune.SizeClass(c.Size.N),
		Shaders: shaders, Device: d.Name, Driver: d.Driver,
	}, shaders != ""
}

// shaders is the hash over the shaders of a cell's program on one device with these
// constants; empty where it cannot be built.
func (m *measurement) shaders(c scale.Cell, constants map[string]int64) string {
	c.Count, c.Total, c.Mode = 1, c.Size.N, scale.Solo
	b := m.machine.request(c)
	b.Tuning, b.Divide = constants, equally(1)
	p, err := c.Item.Workload.Build(b)
	if err != nil {
		return ""
	}
	return engine.ShadersOf(p)
}

// tunable says whether a workload has constants to search.
func tunable(w suites.Workload) bool { return len(w.Info().Tunables) > 0 }

// constantText lists constants by name.
func constantText(tunables []suites.Tunable, constants map[string]int64) string {
	text := ""
	for i, t := range tunables {
		if i > 0 {
			text += " "
		}
		text += fmt.Sprintf("%s=%d", t.Name, constants[t.Name])
	}
	return text
}
