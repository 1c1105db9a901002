package stat

import (
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

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
