package stat

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/amgpu/amgpu/report/result"
)

// Fill recomputes the summary, the laws and the warnings of res from its trials.
// Doing it twice changes nothing. Roofs that rows measured are kept with their devices.
func Fill(res *result.Result) {
	if res.Plan.Roof != "none" {
		for i, roofs := range Roofs(res) {
			res.Devices[i].Roofs = roofs
		}
	}
	res.Summary, res.Laws, res.Warnings = Summary(res)
}

// Summary computes one row per cell, the laws of each series, and the warnings of
// the whole result: its own ones and those found here. The stored summary is not
// looked at.
func Summary(res *result.Result) ([]result.Summary, []result.Law, []result.Warning) {
	return SummaryFor(res, Ask{})
}

// SummaryFor is Summary with what else was asked for.
func SummaryFor(res *result.Result, ask Ask) ([]result.Summary, []result.Law, []result.Warning) {
	all := group(res)
	wrong := compareDigests(res)
	solos := map[soloKey][]launch{}
	for _, s := range all {
		for _, c := range s.cells {
			s.judge(c, wrong)
			if s.key.Mode == "solo" {
				solos[soloOf(s.key)] = append(solos[soloOf(s.key)], c.launches...)
			}
		}
	}
	rows, laws, warnings := []result.Summary{}, []result.Law{}, resultWarnings(res)
	sums := make([]seriesSum, len(all))
	inParallel(len(all), func(i int) { sums[i] = all[i].sumUp(solos[soloOf(all[i].key)], ask) })
	for i, x := range sums {
		rows = append(rows, x.rows...)
		switch {
		case x.law != nil:
			laws = append(laws, *x.law)
		case len(ask.Predict) > 0 && all[i].key.Mode != "solo":
			warnings = append(warnings, result.Warning{Code: "no-prediction",
				Text: fmt.Sprintf("%s %s: no prediction without a scaling law", all[i].key.Workload, all[i].key.Mode)})
		}
	}
	return rows, laws, append(warnings, slowDevices(res, all)...)
}

// inParallel calls f with 0..n-1 on all cores and waits.
func inParallel(n int, f func(int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	group.Wait()
}

// seriesSum is what one series gives.
type seriesSum struct {
	rows []result.Summary
	law  *result.Law
}

func (s *series) sumUp(solos []launch, ask Ask) (out seriesSum) {
	s.refer(solos)
	var cols []column
	var above []int
	uneven, relative, baseAbove := false, false, false
	for _, c := range s.cells {
		row, sc := s.row(c)
		out.rows = append(out.rows, row)
		if len(c.launches) == 0 {
			continue
		}
		if c.status == result.AbovePeak {
			above = append(above, c.count)
			baseAbove = baseAbove || c.count == s.base
			continue
		}
		uneven = uneven || sc.uneven
		relative = relative || sc.uneven && sc.covered
		cols = append(cols, column{count: c.count, speedup: row.Speedup, values: sc.values})
	}
	if relative && !s.allCovered() {
		return out // some columns are rates and some speedups: no law holds both
	}
	for i := range cols {
		if baseAbove { // a speedup over a rate that cannot be
			cols[i].speedup = nil
		}
	}
	out.law = s.laws(cols, uneven, relative, ask)
	if out.law != nil && len(above) > 0 {
		out.law.Warnings = append(out.law.Warnings, result.Warning{Code: "above-peak",
			Text: fmt.Sprintf("left out of the laws: N=%s, whose rate is above the peak of the devices", joined(above))})
	}
	return out
}

func joined(counts []int) string {
	parts := make([]string, len(counts))
	for i, n := range counts {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ", ")
}

// allCovered tells whether each device used was measured alone.
func (s *series) allCovered() bool {
	alone := s.solo
	for _, c := range s.cells {
		for _, l := range c.launches {
			if _, all := sumRates(alone, l.trial.Devices); !all {
				return false
			}
		}
	}
	return true
}

// derived are the warnings of a result that are not recorded but found here.
var derived = []string{"slow-device", "no-prediction", result.Interrupted}

// resultWarnings adds to the recorded warnings what follows from the plan and the
// devices used.
func resultWarnings(res *result.Result) []result.Warning {
	out := []result.Warning{}
	for _, w := range res.Warnings {
		if !slices.Contains(derived, w.Code) { // found anew
			out = append(out, w)
		}
	}
	warn := func(code, text string) {
		if !slices.ContainsFunc(out, func(w result.Warning) bool { return w.Code == code }) {
			out = append(out, result.Warning{Code: code, Text: text})
		}
	}
	if w, ok := res.Unfinished(); ok {
		out = append([]result.Warning{w}, out...)
	}
	if res.Plan.Preset == "quick" {
		warn("quick", "quick preset: intervals are within launch, no verdict may rest on them; use --preset default for one")
	}
	for _, t := range res.Trials {
		if slices.ContainsFunc(t.Devices, func(d int) bool { return d < len(res.Devices) && res.Devices[d].Software }) {
			warn("software", "software devices share the CPU's cores: these numbers are comparable with nothing else")
			break
		}
	}
	return out
}
