package gate

import (
	"fmt"
	"math"
	"slices"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// A confirmation adds launches to both sides, at most twice (measurement.md M2), so
// that three looks at the data are planned whether or not they are needed.
const (
	ConfirmRounds = 2
	ConfirmBlocks = 3 // launches of every row on either side in one round
	ConfirmLooks  = ConfirmRounds + 1
)

// Alternated are the launches of a confirmation: the builds of both sides measured
// in turns, on one occasion, with the plan of the new result.
type Alternated struct {
	Base, New *result.Result
}

// fixable are the reasons of inconclusive that more launches can remove.
var fixable = []string{"noisy", "near_threshold", "min_p_unattainable", "too_few_launches", "bimodal", "not_steady",
	"invalid_samples", "clocks_differ", "not_confirmed", "occasions_differ"}

// Suspects lists the rows of a report that a confirmation measures again: regressed
// ones and those that more launches can decide.
func Suspects(r *Report, fresh *result.Result) []*Row {
	var out []*Row
	for i := range r.Rows {
		row := &r.Rows[i]
		undecided := row.Verdict == Inconclusive && slices.Contains(fixable, row.Code)
		if row.compared && (row.Verdict == Regressed || undecided) && fresh.Plan.Preset != "quick" {
			out = append(out, row)
		}
	}
	return out
}

// ConfirmPlan is the part of a plan that a block of a confirmation repeats: the
// cells of the suspects as in one block of the plan, on the same devices in the same
// order. An efficiency takes the row that it is relative to along.
func ConfirmPlan(suspects []*Row, p result.Plan, block int) []result.PlannedCell {
	blocks := 0
	for _, c := range p.Order {
		blocks = max(blocks, c.Block+1)
	}
	var out []result.PlannedCell
	for _, c := range p.Order {
		if c.Block != block%blocks || !slices.ContainsFunc(suspects, func(r *Row) bool { return r.needs(c) }) {
			continue
		}
		c.Block, c.Launch, c.Side = block, block, "" // a self-test has every cell on both sides
		if !slices.ContainsFunc(out, func(d result.PlannedCell) bool {
			return d.Key == c.Key && d.Count == c.Count && slices.Equal(d.Devices, c.Devices)
		}) {
			out = append(out, c)
		}
	}
	return out
}

// needs tells whether the row is measured by the cell.
func (r *Row) needs(c result.PlannedCell) bool {
	if c.Key != r.id.Key {
		return false
	}
	if r.id.device >= 0 {
		return len(c.Devices) == 1 && c.Devices[0] == r.id.device
	}
	return c.Count == r.id.count || r.Metric == Efficiency && c.Count == r.relative
}

// merge is a result with more launches of some of its rows; both are left as they are.
func merge(res, more *result.Result) *result.Result {
	launch, block := 0, 0
	for i := range res.Trials {
		launch, block = max(launch, res.Trials[i].Launch+1), max(block, res.Trials[i].Block+1)
	}
	out := *res
	out.Trials = slices.Clone(res.Trials)
	for _, t := range more.Trials {
		t.Launch, t.Block = t.Launch+launch, t.Block+block
		out.Trials = append(out.Trials, t)
	}
	return &out
}

// DifferentDevices says in what the devices or the method of a confirmation differ
// from those of the result it confirms; empty: in nothing that matters.
func DifferentDevices(before, again *result.Result) string {
	if len(before.Devices) != len(again.Devices) {
		return fmt.Sprintf("%d devices against %d", len(before.Devices), len(again.Devices))
	}
	old := rowsOf(before)
	fresh := rowsOf(again)
	for i := range fresh.rows {
		k, ok := old.index[identityOf(&fresh.rows[i])]
		if !ok || len(fresh.rows[i].Times) == 0 || len(old.rows[k].Times) == 0 {
			continue
		}
		for _, d := range compareMethods(&side{before, &old.rows[k]}, &side{again, &fresh.rows[i]}, "") {
			if d.hard {
				return d.String()
			}
		}
	}
	return ""
}

// alternated tests a row on the launches of the confirmation alone; ok is false
// where there are too few for an interval.
func (g *gate) alternated(r *Row) (t test, ok bool) {
	if g.o.Confirm == nil {
		return t, false
	}
	var xs [2][]float64
	for i, oc := range []*occasion{g.turns[0], g.turns[1]} {
		s, absent := oc.find(r.id)
		if absent != "" {
			return t, false
		}
		xs[i] = s.values(r.Metric)
	}
	if len(xs[0]) < ConfirmBlocks || len(xs[1]) < ConfirmBlocks {
		return t, false
	}
	t = compareLaunches(xs[0], xs[1], r.test.worse, g.out.Phi, g.level)
	t.t = r.test.t
	return t, true
}

// confirmed revises a verdict by the launches that alternated: only they saw both
// builds under the same conditions. A change stays only if they show it too; where
// they prove that there is none, the two files were measured under other conditions.
// It removes verdicts that a single occasion would give wrongly and adds only
// SAME, whose error is bounded by the level of a look as before.
func (r *Row) confirmed(t test, level float64, v Verdict, code, reason string) (Verdict, string, string) {
	says := fmt.Sprintf("launches in turns show %s", effectText(t.effect()))
	equal := t.bounded && -t.t < t.lo && t.hi < t.t
	worse, better := t.regress <= level, t.improve <= level
	switch {
	case equal && v != Same:
		return Same, "", says + ", all of it within the threshold"
	case v == Regressed && worse, v == Improved && better:
		return v, code, "confirmed: " + says
	case v == Regressed || v == Improved:
		return Inconclusive, "not_confirmed", says + ": the two files may differ by their occasions; use --launches 10 in a run of both builds"
	case (worse || better) && math.Abs(t.delta) >= t.t:
		return Inconclusive, "occasions_differ", says + ", the two files do not"
	}
	return v, code, reason
}

// aligned joins the values of the files and those of the confirmation, base and new,
// without the level that is common to both sides of an occasion: a slower day is no
// second group of launches (aligned ranks, Hodges and Lehmann 1962).
func aligned(files, turns [2][]float64) (base, fresh []float64) {
	level := stat.Median(slices.Concat(files[0], files[1])) / stat.Median(slices.Concat(turns[0], turns[1]))
	var out [2][]float64
	for i := range out {
		out[i] = slices.Clone(files[i])
		for _, v := range turns[i] {
			out[i] = append(out[i], v*level)
		}
	}
	return out[0], out[1]
}

// align takes the values of a row's merged sides apart and joins them aligned; rows
// that the confirmation did not measure stay.
func (g *gate) align(id identity, metric string, base, fresh []float64) (b, f []float64) {
	if g.o.Confirm == nil {
		return base, fresh
	}
	var at [2]int
	for i, oc := range g.files {
		s, absent := oc.find(id)
		if absent != "" {
			return base, fresh
		}
		at[i] = len(s.values(metric))
	}
	if at[0] >= len(base) || at[1] >= len(fresh) {
		return base, fresh
	}
	return aligned([2][]float64{base[:at[0]], fresh[:at[1]]}, [2][]float64{base[at[0]:], fresh[at[1]:]})
}

// bimodal tells whether the launches of either side and occasion fall into two groups.
func (g *gate) bimodal(id identity, sides ...*side) bool {
	if g.o.Confirm != nil {
		sides = nil
		for _, oc := range []*occasion{g.files[0], g.files[1], g.turns[0], g.turns[1]} {
			if s, absent := oc.find(id); absent == "" {
				sides = append(sides, s)
			}
		}
	}
	return slices.ContainsFunc(sides, func(s *side) bool { return s.warned("bimodal") })
}

// turns are the rows of a confirmation's sides.
func turns(a *Alternated) [2]*occasion {
	return [2]*occasion{rowsOf(a.Base), rowsOf(a.New)}
}
