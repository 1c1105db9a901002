package gate

import (
	"fmt"
	"math"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// compare makes one row per metric of every row that either side has.
func (g *gate) compare() {
	seen := map[identity]bool{}
	var ids []identity
	add := func(oc *occasion) {
		for i := range oc.rows {
			id := identityOf(&oc.rows[i])
			if _, absent := oc.find(id); absent == "" && !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	for _, oc := range g.bases {
		add(oc)
	}
	add(g.fresh)
	for _, id := range ids {
		g.compareRow(id)
	}
}

func (g *gate) newRow(id identity, metric string) Row {
	r := Row{Key: id.Key, Count: id.count, Metric: metric, id: id}
	r.Size.N = g.total(id)
	if id.device >= 0 {
		r.Device = new(id.device)
	}
	return r
}

// total is the size of a row over all its devices: what n is in files, where in
// memory a weak row holds the size of one device.
func (g *gate) total(id identity) int64 {
	for _, oc := range append([]*occasion{g.fresh}, g.bases...) {
		if i, ok := oc.index[id]; ok && oc.rows[i].Total > 0 {
			return oc.rows[i].Total
		}
	}
	return id.Size.N
}

// compareRow compares one row in the metrics asked for.
func (g *gate) compareRow(id identity) {
	row := g.newRow(id, Time)
	fresh, absent := g.fresh.find(id)
	var sides []*side
	for _, oc := range g.bases {
		if s, absent := oc.find(id); absent == "" {
			sides = append(sides, s)
		}
	}
	if v, reason := failed(append([]*side{fresh}, sides...)); v != "" {
		row.Verdict, row.Reason = v, reason
		g.out.Rows = append(g.out.Rows, row)
		return
	}
	switch {
	case fresh == nil:
		row.Verdict, row.Code, row.Reason = Missing, "vanished", "the baseline has this row, the new result has not ("+absent+")"
	case len(sides) == 0:
		row.Verdict, row.Code, row.Reason = Missing, "no_baseline", "the baseline has no such row"
	}
	if row.Verdict == Missing {
		row.Tolerated = g.o.AllowMissing
		g.out.Rows = append(g.out.Rows, row)
		return
	}
	usable := g.comparable(&row, sides, fresh)
	if len(usable) == 0 {
		g.out.Rows = append(g.out.Rows, row)
		return
	}
	for _, metric := range []string{Time, Efficiency} {
		if !g.compares(metric) || metric == Efficiency && (fresh.row.Base == 0 || fresh.row.Base == id.count) {
			continue
		}
		r := row
		r.relative = fresh.row.Base
		r.Metric, r.compared = metric, true
		r.Warnings = append([]result.Warning{}, row.Warnings...)
		g.measure(&r, id, usable, fresh)
		g.out.Rows = append(g.out.Rows, r)
	}
}

// failed finds a wrong result or a lost device on either side (G2).
func failed(sides []*side) (v Verdict, reason string) {
	for _, s := range sides {
		if s == nil {
			continue
		}
		switch s.row.Status {
		case result.WrongResult:
			return WrongResult, strings.TrimSuffix("a result was wrong: "+s.row.Reason, ": ")
		case result.DeviceLost, result.Degraded:
			v, reason = DeviceLost, strings.TrimSuffix("a device was lost or failed: "+s.row.Reason, ": ")
		}
	}
	return v, reason
}

// comparable returns the occasions measured as the new result was. If none was,
// the row says what differs.
func (g *gate) comparable(row *Row, sides []*side, fresh *side) []*side {
	var usable []*side
	var first string
	for _, s := range sides {
		var hard, soft []string
		for _, d := range compareMethods(s, fresh, g.o.Across) {
			if d.hard {
				hard = append(hard, d.String())
			} else if d.field != "seed" {
				soft = append(soft, d.String())
			}
		}
		if len(hard) > 0 {
			if first == "" {
				first = strings.Join(hard, "; ")
			}
			continue
		}
		usable = append(usable, s)
		if len(soft) > 0 && len(sides) == 1 {
			row.warn("differs", strings.Join(soft, "; "))
		}
	}
	switch left := len(sides) - len(usable); {
	case len(usable) == 0:
		row.Verdict, row.Code, row.Reason = Incomparable, "differs", first
	case left > 0:
		row.warn("occasions_left_out", fmt.Sprintf("%d of %d occasions are not comparable (%s)", left, len(sides), first))
	}
	return usable
}

// measure tests one metric of a row; a test that cannot be made leaves the row
// inconclusive with the reason.
func (g *gate) measure(r *Row, id identity, sides []*side, fresh *side) {
	for _, s := range append([]*side{fresh}, sides...) {
		if code, reason := s.unusable(r.Metric); code != "" {
			r.Verdict, r.Code, r.Reason = Inconclusive, code, reason
			return
		}
	}
	for _, s := range sides {
		if r.Metric == Efficiency && s.row.Base != fresh.row.Base {
			r.Verdict, r.Code = Incomparable, "differs"
			r.Reason = fmt.Sprintf("efficiency relative to %d devices against %d", s.row.Base, fresh.row.Base)
			return
		}
	}
	worse, limit := 1.0, math.Log1p(g.threshold(id))
	r.Threshold = g.threshold(id)
	if r.Metric == Efficiency {
		var base []float64
		for _, s := range sides {
			base = append(base, s.values(r.Metric)...)
		}
		e := stat.Median(base)
		if r.Threshold = g.points() / e; r.Threshold >= 1 {
			r.Verdict, r.Code, r.Reason = Inconclusive, "efficiency_too_low", fmt.Sprintf("an efficiency of %.3f cannot fall by %s", e, percent(g.points()))
			return
		}
		worse, limit = -1, -math.Log1p(-r.Threshold)
	}
	r.test, r.Base, r.New = g.test(r, sides, fresh, worse, func(s *side) []float64 { return s.values(r.Metric) })
	if len(sides) == 1 {
		r.Method = launchMethod
		if g.o.Confirm == nil {
			r.warn("single_occasion", "one earlier occasion: what changes from one occasion to the next is not in the interval; keep several results in a folder and name it as baseline")
		}
	} else {
		r.Method = occasionRule
		if len(sides) < leastLaunch {
			r.warn("few_occasions", fmt.Sprintf("%d earlier occasions: the interval is wide; %d or more are better", len(sides), leastLaunch))
		}
	}
	r.Looks, r.test.t = g.looks, limit
	r.test.bimodal = g.bimodal(id, append([]*side{fresh}, sides...)...)
	for _, s := range append([]*side{fresh}, sides...) {
		r.test.mixed = r.test.mixed || s.warned("mixed-devices")
		for _, code := range []string{"launch-bound", "noise-limited", "throttled", "host-load"} {
			if w, ok := s.warning(code); ok && s == fresh {
				r.Warnings = append(r.Warnings, w)
			}
		}
	}
	r.Effect = r.test.effect()
	g.cycles(r, sides, fresh)
}

// test compares what values makes of the sides: launch by launch with one earlier
// occasion, otherwise the new occasion with the earlier ones. It returns what was
// compared, in the metric's unit.
func (g *gate) test(r *Row, sides []*side, fresh *side, worse float64, values func(*side) []float64) (t test, base, again []float64) {
	if len(sides) == 1 {
		base, again = g.align(r.id, r.Metric, values(sides[0]), values(fresh))
		return compareLaunches(base, again, worse, g.out.Phi, g.level), base, again
	}
	var within float64
	for _, s := range sides {
		own := values(s)
		base = append(base, stat.Median(own))
		within += medianVariance(own) / float64(len(sides))
	}
	again = []float64{stat.Median(values(fresh))}
	return compareOccasions(base, again[0], math.Sqrt(within), worse, g.out.Phi, g.level), base, again
}
