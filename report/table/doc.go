// Package table turns a result into plain tables of text, and prints them for a
// terminal and as Markdown. Other renderers walk the same tables, so all of them
// show the same numbers with the same digits.
package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// Doc is a result as tables.
type Doc struct {
	Title    string // what made it and when
	Facts    []Fact // method: preset, launches, seed, ...
	Job      []Fact // of an MPI job: ranks, clocks, what was slowest
	Noise    string // the noise floor, if it was measured
	Sections []Section
	Warnings []result.Warning
	// WithFactors makes Text and Markdown print the factor tables.
	WithFactors bool
}

// Fact is one name and value.
type Fact struct{ Name, Value string }

// Section is one series: a workload in one mode.
type Section struct {
	Key     result.Key
	Title   string   // workload
	Traits  []string // mode, size, strategy, verification, devices
	Columns []Column
	Rows    []Row
	Factors *Factors // nil: not known
	Laws    []string
	Notes   []string // footnotes; Row.Notes counts them from 1
}

// Column is a heading and whether its cells are numbers.
type Column struct {
	Name   string
	Number bool
}

// Row is one row of a section with the summary it shows.
type Row struct {
	Cells   []string
	Notes   []int
	Summary result.Summary
}

// Build recomputes res and lays it out.
func Build(res *result.Result) Doc {
	summary, laws, warnings := stat.Summary(res)
	return Layout(res, summary, laws, warnings)
}

// Layout lays out what stat.Summary gave for res.
func Layout(res *result.Result, summary []result.Summary, laws []result.Law, warnings []result.Warning) Doc {
	d := Doc{Title: title(res), Facts: facts(res), Job: job(res), Noise: noise(res.Noise), Warnings: warnings}
	all, in := summary, index(res)
	for len(summary) > 0 {
		n := slices.IndexFunc(summary, func(s result.Summary) bool { return s.Key != summary[0].Key })
		if n < 0 {
			n = len(summary)
		}
		var law *result.Law
		if i := slices.IndexFunc(laws, func(l result.Law) bool { return l.Key == summary[0].Key }); i >= 0 {
			law = &laws[i]
		}
		d.Sections = append(d.Sections, section(res, in, summary[:n], law))
		summary = summary[n:]
	}
	addLatencies(d.Sections, all)
	return d
}

func title(res *result.Result) string {
	t := strings.TrimSpace(Clean(res.Tool.Name + " " + res.Tool.Version))
	if res.Created.IsZero() {
		return t
	}
	return t + ", " + res.Created.UTC().Format("2006-01-02 15:04 UTC")
}

func facts(res *result.Result) []Fact {
	p := res.Plan
	var out []Fact
	add := func(name, format string, args ...any) {
		out = append(out, Fact{name, Clean(fmt.Sprintf(format, args...))})
	}
	if p.Preset != "" {
		add("preset", "%s", p.Preset)
	}
	if p.Launches > 0 {
		add("launches per row", "%d", p.Launches)
	}
	if p.Samples > 0 {
		add("samples per launch", "at most %d", p.Samples)
	}
	if p.MaxTime > 0 {
		add("time per launch", "at most %s", Seconds(p.MaxTime))
	}
	if p.Precision > 0 {
		add("precision asked for", "%.2g %%", 100*p.Precision)
	}
	if p.Subsets != "" {
		add("devices of a count", "%s", p.Subsets)
	}
	if p.Preset != stat.Imported {
		add("seed", "%d", p.Seed)
	}
	if n := noise(res.Noise); n != "" {
		add("noise floor (A/A)", "%s", n)
	}
	return out
}

// noise says what measuring the same thing twice gave.
func noise(n *result.Noise) string {
	if n == nil {
		return ""
	}
	text := roughly(n.Phi)
	if n.Detectable > 0 {
		text += ", smallest detectable change " + roughly(n.Detectable)
	}
	if n.Comparisons > 0 {
		text += fmt.Sprintf(" (%d comparisons, %d launches a row, 95 %% of the differences within %s)", n.Comparisons, n.Launches, roughly(n.Q95))
	}
	return text
}

// roughly is a share in percent with two digits, or more if it is large.
func roughly(share float64) string {
	if share >= .1 {
		return fmt.Sprintf("%.0f %%", 100*share)
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}

// section lays out the rows of one key.
func section(res *result.Result, in trials, rows []result.Summary, law *result.Law) Section {
	key := rows[0].Key
	s := Section{Key: key, Title: Clean(key.Workload), Traits: traits(res, in, key, rows)}
	for _, r := range rows {
		s.Rows = append(s.Rows, Row{Summary: r, Notes: s.note(r)})
	}
	for _, c := range columnsFor(res, rows) {
		s.Columns = append(s.Columns, c.Column)
		for i := range s.Rows {
			s.Rows[i].Cells = append(s.Rows[i].Cells, c.cell(rows[i]))
		}
	}
	s.Factors, s.Laws = factorsOf(rows), slices.Concat(algorithmBandwidth(rows), laws(law), advice(res, rows), paths(rows), memories(rows))
	return s
}

// note files a row's doubts as footnotes, equal ones once, and returns their numbers.
func (s *Section) note(r result.Summary) []int {
	var texts []string
	if r.Reason != "" {
		texts = append(texts, r.Status+": "+r.Reason)
	}
	if r.Bound != nil && r.Staged {
		texts = append(texts, fmt.Sprintf("pipeline: by their operations the stages on %d devices allow a speedup of %.2f at most, an efficiency of %.3f", r.Count, *r.Bound*float64(r.Count), *r.Bound))
	} else if r.Bound != nil {
		texts = append(texts, fmt.Sprintf("unequal devices: an equal split can reach an efficiency of %.3f at most", *r.Bound))
	}
	for _, w := range r.Warnings {
		texts = append(texts, w.Text)
	}
	var out []int
	for _, t := range texts {
		t = Clean(t)
		i := slices.Index(s.Notes, t)
		if i < 0 {
			i = len(s.Notes)
			s.Notes = append(s.Notes, t)
		}
		out = append(out, i+1)
	}
	return out
}

// traits describe a series in the words of its heading.
func traits(res *result.Result, in trials, key result.Key, rows []result.Summary) []string {
	out := []string{Clean(key.Mode)}
	if key.Size.N > 0 || key.Size.Label != "" {
		size := "n=" + Size(key.Size.N)
		if key.Mode == "weak" {
			size += " per GPU"
		}
		if key.Size.Label != "" {
			size += " (" + Clean(key.Size.Label) + ")"
		}
		out = append(out, size)
	}
	if key.Mode != "solo" {
		if key.Strategy != "" {
			out = append(out, Clean(key.Strategy)+" split")
		}
		for _, x := range []string{key.Split, key.Transport, key.Algorithm} {
			if x != "" && x != "none" {
				out = append(out, Clean(x))
			}
		}
	}
	if key.Residency != "" && key.Residency != "resident" {
		out = append(out, Clean(key.Residency))
	}
	if key.Cache != "" && key.Cache != "hot" {
		out = append(out, Clean(key.Cache)+" cache")
	}
	out = append(out, constants(in.of[key])...)
	if res.Plan.Preset == stat.Imported {
		return append(out, "imported")
	}
	out = append(out, verified(in, rows))
	return append(out, Devices(res, rows))
}

// constants are those of the kernels of a series' launches that are not the default, each once.
func constants(launches []*result.Trial) []string {
	var out []string
	for _, t := range launches {
		for _, k := range t.Constants {
			if k.From == result.FromDefault {
				continue
			}
			if text := fmt.Sprintf("%s %d (%s)", Clean(k.Name), k.Value, Clean(k.From)); !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// Devices names the devices that rows ran on with their drivers, equal ones together.
func Devices(res *result.Result, rows []result.Summary) string {
	return listDevices(res, rows, deviceName)
}

// DeviceNames is Devices without the drivers.
func DeviceNames(res *result.Result, rows []result.Summary) string {
	return listDevices(res, rows, func(d result.Device) string { return Clean(d.Name) })
}

func listDevices(res *result.Result, rows []result.Summary, nameOf func(result.Device) string) string {
	var used []int
	for _, r := range rows {
		for _, team := range r.Teams {
			used = append(used, team...)
		}
	}
	slices.Sort(used)
	used = slices.Compact(used)
	var names []string
	count := map[string]int{}
	for _, i := range used {
		name := "device " + fmt.Sprint(i)
		if i < len(res.Devices) {
			name = nameOf(res.Devices[i])
		}
		if count[name]++; count[name] == 1 {
			names = append(names, name)
		}
	}
	for i, n := range names {
		names[i] = fmt.Sprintf("%dx %s", count[n], n)
	}
	switch {
	case len(names) == 0 && res.Plan.Preset == stat.Imported:
		return "imported data"
	case len(names) == 0:
		return "no devices"
	}
	return strings.Join(names, " + ")
}

func deviceName(d result.Device) string {
	name := Clean(d.Name)
	if d.Driver != "" {
		name += " (" + Clean(d.Driver) + ")"
	}
	return name
}
