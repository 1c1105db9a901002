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

// row computes one summary row.
func (s *series) row(c *cell) (result.Summary, scaling) {
	row := result.Summary{Key: c.key, Count: c.count, Status: c.status, Reason: c.reason,
		Launches: len(c.launches), Basis: "launches", Verified: len(c.launches) > 0, Teams: c.teams()}
	if s.pooled {
		row.Basis = "within launch"
	}
	for _, t := range c.trials {
		row.Total = max(row.Total, t.Total)
	}
	for _, l := range c.launches {
		row.Samples += len(l.times)
		row.Verified = row.Verified && l.trial.Verified
	}
	row.Invalid, _ = Invalid(c.trials)
	row.Warnings = c.doubts(len(row.Teams) > 1 && s.uneven(c))
	if len(c.launches) == 0 {
		if row.Reason == "" {
			row.Reason = "no reason was recorded"
		}
		return row, scaling{}
	}
	warn := func(code, text string) { row.Warnings = append(row.Warnings, result.Warning{Code: code, Text: text}) }
	if !row.Verified && !s.imported {
		warn("unverified", "the outputs were not compared with a reference")
	}
	row.Seconds, row.Rate = s.rate(c)
	if row.Roof = c.share; c.overRoof != "" {
		warn("above-roof", c.overRoof)
	}
	row.Spread, row.Clock, row.Balance, row.Path, row.Memory = c.spread(), c.clock(), c.balance(), c.path(), c.memory()
	s.energy(c, &row)
	sc, ok := s.scale(c)
	if !ok || c.count == s.base && s.counts() == 1 {
		return row, sc // one count and nothing to compare it with: no scaling statement
	}
	row.Base = s.base
	factor := float64(c.count) / float64(s.base)
	if c.count == s.base {
		row.Speedup, row.Efficiency = &result.Value{Value: 1}, &result.Value{Value: 1}
		row.Factors = s.baseFactors(c)
		return row, sc
	}
	e := sc.efficiency
	row.Efficiency, row.Speedup = &e, times(e, factor)
	if row.Staged = c.staged(); row.Staged {
		row.Bound = s.stageBound(c)
	} else if s.key.Strategy == "equal" || s.key.Strategy == "" {
		row.Bound = s.bound(c)
	}
	if s.base > 1 {
		warn("relative-base", fmt.Sprintf("relative to %d devices: no usable row on one device", s.base))
	}
	if sc.uneven && !sc.covered {
		warn("no-solo-rates", "the devices are of different models and not all were measured alone: the ideal is the count times the mean rate of one")
	}
	if text := s.few(c, &e); text != "" {
		warn("few-launches", text)
	}
	if superlinear(c.count, s.base, row.Speedup) {
		warn("superlinear", s.explainSuperlinear(c))
	}
	lost, table, reason, broken := s.lose(c)
	switch row.Lost, row.Factors = lost, table; {
	case broken:
		warn(IdentityBroken, reason)
	case lost == nil && !s.imported:
		warn("not-attributable", "lost time not attributable: "+reason)
	}
	return row, sc
}

// few says that an efficiency has no interval, or which one it has for want of launches.
func (s *series) few(c *cell, e *result.Value) string {
	n := len(c.launches)
	switch {
	case e.Method == result.StudentT && s.imported:
		return fmt.Sprintf("[..] t: Student's interval over %d repetitions, which assumes that they are log-normal; no verdict rests on it", n)
	case e.Method == result.StudentT:
		return fmt.Sprintf("[..] t: Student's interval over %d launches, which assumes that they are log-normal; no verdict rests on it; use --launches 7 for one that assumes nothing", n)
	case e.Low != nil || n < 2:
		return ""
	case s.imported:
		return "too few repetitions for an interval"
	}
	return "too few launches for an interval; use --launches 7"
}

// counts is the number of counts with a rate.
func (s *series) counts() int {
	n := 0
	for _, c := range s.cells {
		if len(c.launches) > 0 {
			n++
		}
	}
	return n
}

func times(v result.Value, factor float64) *result.Value {
	out := result.Value{Value: v.Value * factor, Method: v.Method}
	if v.Low != nil && v.High != nil {
		lo, hi := *v.Low*factor, *v.High*factor
		out.Low, out.High = &lo, &hi
	}
	return &out
}

// rate gives the median time, of launch medians or (quick) of all samples, and
// the rate made from it, its interval's ends exchanged. No work, no rate.
func (s *series) rate(c *cell) (*result.Median, *result.Value) {
	var seconds, work []float64
	for _, l := range c.launches {
		work = append(work, l.trial.Work.Value)
		if s.pooled {
			seconds = append(seconds, l.times...)
		} else {
			seconds = append(seconds, l.seconds)
		}
	}
	m, ok := MedianInterval(seconds)
	if !ok {
		return nil, nil
	}
	w := Median(work)
	if !(w > 0) {
		return &m, nil
	}
	v := &result.Value{Value: w / m.Median, Unit: c.launches[0].trial.Work.Unit + "/s"}
	if m.Low != nil && m.High != nil {
		lo, hi := w / *m.High, w / *m.Low
		v.Low, v.High = &lo, &hi
	}
	return &m, v
}

// teams are the device sets used, in the order first used.
func (c *cell) teams() [][]int {
	var out [][]int
	for _, t := range c.trials {
		if !slices.ContainsFunc(out, func(x []int) bool { return slices.Equal(x, t.Devices) }) {
			out = append(out, slices.Clone(t.Devices))
		}
	}
	return out
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
