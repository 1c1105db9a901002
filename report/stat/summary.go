package stat

import (
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// Fill recomputes the summary, the laws and the warnings of res from its trials.
// Doing it twice changes nothing.
func Fill(res *result.Result) {
	res.Summary, res.Laws, res.Warnings = Summary(res)
}

// Summary computes one row per cell, the laws of each series, and the warnings of
// the whole result: its own ones and those found here. The stored summary is not
// looked at.
func Summary(res *result.Result) ([]result.Summary, []result.Law, []result.Warning) {
	all := group(res)
	wrong := compareDigests(res)
	solos := map[soloKey][]launch{}
	for _, s := range all {
		for _, c := range s.cells {
			c.judge(wrong)
			if s.key.Mode == "solo" {
				solos[soloOf(s.key)] = append(solos[soloOf(s.key)], c.launches...)
			}
		}
	}
	rows, laws, warnings := []result.Summary{}, []result.Law{}, resultWarnings(res)
	for _, s := range all {
		s.refer(solos[soloOf(s.key)])
		var cols []column
		uneven, relative := false, false
		for _, c := range s.cells {
			row, sc := s.row(c)
			rows = append(rows, row)
			if len(c.launches) == 0 {
				continue
			}
			uneven = uneven || sc.uneven
			relative = relative || sc.uneven && sc.covered
			cols = append(cols, column{count: c.count, speedup: row.Speedup, values: sc.values})
		}
		if relative && !s.allCovered() {
			continue // some columns are rates and some speedups: no law holds both
		}
		if law := s.laws(cols, uneven, relative); law != nil {
			laws = append(laws, *law)
		}
	}
	return rows, laws, warnings
}

// allCovered tells whether each device used was measured alone.
func (s *series) allCovered() bool {
	alone := s.alone()
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
	row.Warnings = c.doubts(len(row.Teams) > 1 && s.uneven(c))
	if len(c.launches) == 0 {
		if row.Reason == "" {
			row.Reason = "no reason was recorded"
		}
		return row, scaling{}
	}
	warn := func(code, text string) { row.Warnings = append(row.Warnings, result.Warning{Code: code, Text: text}) }
	if !row.Verified {
		warn("unverified", "the outputs were not compared with a reference")
	}
	row.Seconds, row.Rate = s.rate(c)
	row.Spread = c.spread()
	sc, ok := s.scale(c)
	if !ok || c.count == s.base && s.counts() == 1 {
		return row, sc // one count and nothing to compare it with: no scaling statement
	}
	row.Base = s.base
	factor := float64(c.count) / float64(s.base)
	if c.count == s.base {
		row.Speedup, row.Efficiency = &result.Value{Value: 1}, &result.Value{Value: 1}
		return row, sc
	}
	e := sc.efficiency
	row.Efficiency, row.Speedup = &e, times(e, factor)
	if s.key.Strategy == "equal" || s.key.Strategy == "" {
		row.Bound = s.bound(c)
	}
	if s.base > 1 {
		warn("relative-base", fmt.Sprintf("relative to %d devices: no usable row on one device", s.base))
	}
	if sc.uneven && !sc.covered {
		warn("no-solo-rates", "the devices are of different models and not all were measured alone: the ideal is the count times the mean rate of one")
	}
	if e.Low == nil && len(c.launches) > 1 {
		warn("few-launches", "too few launches for an interval; use --launches 7")
	}
	lost, reason, broken := s.lose(c)
	switch row.Lost = lost; {
	case broken:
		warn("attribution-identity", reason)
	case lost == nil:
		warn("not-attributable", "lost time not attributable: "+reason)
	}
	return row, sc
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
	out := result.Value{Value: v.Value * factor}
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

// resultWarnings adds to the recorded warnings what follows from the plan and the
// devices used.
func resultWarnings(res *result.Result) []result.Warning {
	out := slices.Clone(res.Warnings)
	if out == nil {
		out = []result.Warning{}
	}
	warn := func(code, text string) {
		if !slices.ContainsFunc(out, func(w result.Warning) bool { return w.Code == code }) {
			out = append(out, result.Warning{Code: code, Text: text})
		}
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
