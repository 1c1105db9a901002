package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// failures lists the rows of the new result that failed, where nothing is compared.
func (g *gate) failures() {
	for i := range g.fresh.rows {
		r := &g.fresh.rows[i]
		if v, reason := failed([]*side{{g.fresh.res, r}}); v != "" {
			row := g.newRow(identityOf(r), Time)
			row.Verdict, row.Reason = v, reason
			g.out.Rows = append(g.out.Rows, row)
		}
	}
}

// limits checks the rules on the new result. A rule that nothing matches guards
// nothing, which is a failure.
func (g *gate) limits() {
	g.out.Targets = g.o.Rules.Targets
	for i := range g.o.Rules.Rows {
		rule := &g.o.Rules.Rows[i]
		first := len(g.out.Rows)
		if !rule.Required && !rule.limited() {
			continue
		}
		matched := false
		for k := range g.fresh.rows {
			r := &g.fresh.rows[k]
			id := identityOf(r)
			if !rule.matches(id) {
				continue
			}
			s, absent := g.fresh.find(id)
			if absent != "" || len(s.row.Times) == 0 && r.Status != result.WrongResult && r.Status != result.DeviceLost && r.Status != result.Degraded {
				continue
			}
			matched = true
			if v, why := failed([]*side{s}); v == "" {
				g.checkRow(rule, id, s)
			} else if rule.Target != "" { // without one it is listed already
				row := g.newRow(id, Presence)
				row.Verdict, row.Reason, row.Limit = v, why, rule.limitText()
				g.out.Rows = append(g.out.Rows, row)
			}
		}
		if !matched {
			g.out.Rows = append(g.out.Rows, g.unmatched(rule))
		}
		for k := first; k < len(g.out.Rows); k++ {
			row := &g.out.Rows[k]
			row.Target, row.rule = rule.Target, i
			g.out.undecided(row)
			row.Reason = g.out.byTarget(row) + row.Reason
		}
	}
}

// unmatched is the row of a rule that no measured row fits.
func (g *gate) unmatched(rule *Rule) Row {
	key := result.Key{Workload: rule.Workload, Mode: rule.Match["mode"], Size: sizeOf(rule.Match["size"]),
		Strategy: rule.Match["strategy"], Split: rule.Match["split"], Transport: rule.Match["transport"],
		Algorithm: rule.Match["algorithm"], Residency: rule.Match["residency"], Cache: rule.Match["cache"]}
	row := Row{Key: key, Count: rule.Count, Device: rule.Device, Metric: Presence, Verdict: Missing, Code: "not_measured",
		Reason: "the new result has no usable row for this rule", Limit: rule.limitText(), Tolerated: g.o.AllowMissing && !rule.Required}
	for i := range g.fresh.rows {
		r := &g.fresh.rows[i]
		if rule.matches(identityOf(r)) {
			row.Reason += " (" + strings.TrimSuffix(r.Status+": "+r.Reason, ": ") + ")"
			break
		}
	}
	return row
}

// checkRow makes one row per limit, or one that says that the required row is there.
func (g *gate) checkRow(rule *Rule, id identity, s *side) {
	add := func(metric string, l Limits, e *Effect, code, reason string) {
		if !l.stated() {
			return
		}
		row := g.newRow(id, metric)
		row.Effect, row.Limit, row.limit = e, l.String(), l
		row.Verdict, row.Code, row.Reason = l.judge(e, code, reason)
		row.Tolerated = row.Verdict == Missing && g.o.AllowMissing && !rule.Required
		g.out.Rows = append(g.out.Rows, row)
	}
	code, reason := s.unusable(Time)
	add(Time, rule.Time, timeEffect(s.row), code, reason)
	add(Rate, rule.Rate, valueEffect(s.row.Rate), code, reason)
	e := valueEffect(s.row.Efficiency)
	if e != nil {
		e.Unit = "1"
		if id.count == s.row.Base { // 1 by definition
			e.Low, e.High = &e.Value, &e.Value
		}
	}
	add(Efficiency, rule.Efficiency, e, code, reason)
	for _, name := range measureNames() {
		if counted[name] {
			if l := rule.Measures[name]; l.Max != nil && *l.Max == 0 {
				g.checkNone(name, rule, id, s)
			} else {
				add(name, l, measures[name](s), "", "")
			}
			continue
		}
		add(name, rule.Measures[name], measures[name](s), code, reason)
	}
	if rule.RatePerGPU.stated() {
		rates := deviceRates(s)
		if len(rates) == 0 {
			add(RatePerGPU, rule.RatePerGPU, nil, "no_device_times", "the result holds no time of single GPUs for this row")
		}
		for _, device := range slices.Sorted(maps.Keys(rates)) {
			row := g.newRow(id, RatePerGPU)
			row.Device = new(device)
			row.Limit, row.limit = rule.RatePerGPU.String(), rule.RatePerGPU
			row.Effect = rateEffect(rates[device], s.unit())
			row.Verdict, row.Code, row.Reason = rule.RatePerGPU.judge(row.Effect, code, reason)
			g.out.Rows = append(g.out.Rows, row)
		}
	}
	if rule.Required && !rule.limited() {
		row := g.newRow(id, Presence)
		row.Verdict, row.Reason = Met, "the required row was measured"
		g.out.Rows = append(g.out.Rows, row)
	}
}

// checkNone makes the row of a limit of none at all. It is about what happened, which is
// known, and not about a probability, which no number of launches shows to be 0.
func (g *gate) checkNone(metric string, rule *Rule, id identity, s *side) {
	row := g.newRow(id, metric)
	row.limit = rule.Measures[metric]
	row.Limit, row.Effect = row.limit.String(), measures[metric](s)
	switch e := row.Effect; {
	case e == nil:
		row.Verdict, row.Code, row.Reason = row.limit.judge(nil, "", "")
		row.Tolerated = g.o.AllowMissing && !rule.Required
	case e.Value > 0:
		row.Verdict, row.Code, row.Reason = Unmet, "above_maximum", "it happened, and the maximum is none"
	default:
		row.Verdict, row.Reason = Met, "none happened"
	}
	g.out.Rows = append(g.out.Rows, row)
}

// judge decides on the interval (G7): fail if all of it is outside, pass if all of
// it is inside. code and reason say why the row carries no verdict. A value that is
// not there is missing, as the row would be.
func (l Limits) judge(e *Effect, code, reason string) (Verdict, string, string) {
	switch {
	case code == "above_peak" || code == "invalid_samples":
		return Inconclusive, code, reason
	case e == nil && code == "no_device_times":
		return Missing, code, reason
	case e == nil:
		return Missing, "no_value", "the row has no such value, so the limit guards nothing: measure where it is known, or take the limit out"
	case code != "":
		return Inconclusive, code, reason
	case e.Low == nil || e.High == nil:
		return Inconclusive, "too_few_launches", "too few launches for an interval; use --launches 7"
	case l.Min != nil && *e.High < *l.Min:
		return Unmet, "below_minimum", fmt.Sprintf("the whole interval is below the minimum %g", *l.Min)
	case l.Max != nil && *e.Low > *l.Max:
		return Unmet, "above_maximum", fmt.Sprintf("the whole interval is above the maximum %g", *l.Max)
	case (l.Min == nil || *e.Low >= *l.Min) && (l.Max == nil || *e.High <= *l.Max):
		return Met, "", "the whole interval is within the limits"
	}
	return Inconclusive, "near_limit", "the interval contains a limit; use more launches"
}

// String is "min a, max b".
func (l Limits) String() string {
	var parts []string
	if l.Min != nil {
		parts = append(parts, fmt.Sprintf("min %g", *l.Min))
	}
	if l.Max != nil {
		parts = append(parts, fmt.Sprintf("max %g", *l.Max))
	}
	return strings.Join(parts, ", ")
}

func timeEffect(r *stat.Row) *Effect {
	if r.Seconds == nil {
		return nil
	}
	return &Effect{Value: r.Seconds.Median, Low: r.Seconds.Low, High: r.Seconds.High, Unit: "s"}
}

func valueEffect(v *result.Value) *Effect {
	if v == nil {
		return nil
	}
	low, high := v.Firm()
	return &Effect{Value: v.Value, Low: low, High: high, Unit: v.Unit}
}

func rateEffect(rates []float64, unit string) *Effect {
	m, ok := stat.MedianInterval(rates)
	if !ok {
		return nil
	}
	return &Effect{Value: m.Median, Low: m.Low, High: m.High, Unit: unit + "/s"}
}

// deviceRates is the rate of every single GPU of a row, per launch: of a team of
// one its own, otherwise its share of the work over the time its clock saw.
func deviceRates(s *side) map[int][]float64 {
	out := map[int][]float64{}
	for _, t := range s.row.Trials {
		if !(t.Work.Value > 0) {
			continue
		}
		if len(t.Devices) == 1 && len(t.Samples) > 0 {
			if m := stat.Median(stat.ValidTimes(t)); m > 0 {
				out[t.Devices[0]] = append(out[t.Devices[0]], t.Work.Value/m)
			}
			continue
		}
		for k, d := range t.Devices {
			if r := shareRate(t, k); r > 0 {
				out[d] = append(out[d], r)
			}
		}
	}
	return out
}

// shareRate is the rate of the k-th device of a team; 0: not known.
func shareRate(t *result.Trial, k int) float64 {
	var total int64
	for _, units := range t.Shares {
		total += max(0, units)
	}
	var times []float64
	valid := t.Valid()
	for i, x := range t.Times.All() {
		if valid.Of(i) && k < len(x.Compute) && k < len(x.Transfer) {
			times = append(times, x.Compute[k]+x.Transfer[k])
		}
	}
	m := stat.Median(times)
	if k >= len(t.Shares) || total <= 0 || !(m > 0) {
		return 0
	}
	return t.Work.Value * float64(t.Shares[k]) / float64(total) / m
}
