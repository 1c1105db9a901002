package gate

import (
	"fmt"
	"math"
	"strings"

	gstat "gonum.org/v1/gonum/stat"

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
	r := Row{Key: id.Key, Count: id.count, Metric: metric}
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
		r.Metric = metric
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
		case result.DeviceLost:
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
	values := fresh.values(r.Metric)
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
	if len(sides) == 1 {
		r.Method, r.Base, r.New = launchMethod, sides[0].values(r.Metric), values
		r.test = compareLaunches(r.Base, r.New, worse, g.out.Phi, alpha)
		r.warn("single_occasion", "one earlier occasion: what changes from one occasion to the next is not in the interval; keep several results in a folder and name it as baseline")
	} else {
		r.Method, r.New = occasionRule, []float64{stat.Median(values)}
		var within float64
		for _, s := range sides {
			own := s.values(r.Metric)
			r.Base = append(r.Base, stat.Median(own))
			within += medianVariance(own) / float64(len(sides))
		}
		r.test = compareOccasions(r.Base, r.New[0], math.Sqrt(within), worse, g.out.Phi, alpha)
		if len(sides) < leastLaunch {
			r.warn("few_occasions", fmt.Sprintf("%d earlier occasions: the interval is wide; %d or more are better", len(sides), leastLaunch))
		}
	}
	r.Looks, r.test.t = 1, limit
	for _, s := range append([]*side{fresh}, sides...) {
		r.test.bimodal = r.test.bimodal || s.warned("bimodal")
		r.test.mixed = r.test.mixed || s.warned("mixed-devices")
		for _, code := range []string{"launch-bound", "noise-limited", "throttled", "host-load"} {
			if w, ok := s.warning(code); ok && s == fresh {
				r.Warnings = append(r.Warnings, w)
			}
		}
	}
	r.Effect = r.test.effect()
}

// judge gives the tested rows their verdicts, corrected over all of them.
func (g *gate) judge() {
	var rows []*Row
	var worse, better []float64
	for i := range g.out.Rows {
		if r := &g.out.Rows[i]; r.test.ok {
			rows = append(rows, r)
			worse, better = append(worse, r.test.regress), append(better, r.test.improve)
		}
	}
	m := len(rows)
	regress, holm := correct(worse)
	improve, _ := correct(better)
	g.out.Family, g.out.Correction = m, "holm"
	if !holm {
		g.out.Correction = "benjamini-hochberg"
	}
	for i, r := range rows {
		r.Family = m
		r.P = new(min(regress[i], improve[i]))
		r.Verdict, r.Code, r.Reason = decide(r.test, regress[i], improve[i], alpha, m, holm)
	}
}

// unusable tells why a side carries no verdict (G2).
func (s *side) unusable(metric string) (code, reason string) {
	r := s.row
	total := 0
	for _, t := range r.Trials {
		total += len(t.Samples)
	}
	switch {
	case r.Basis == "within launch":
		return "too_few_launches", "quick preset: no verdict may rest on it; measure with --preset default"
	case r.Status == result.AbovePeak:
		return "above_peak", strings.TrimSuffix("the rate cannot be: "+r.Reason, ": ")
	case len(r.Times) == 0:
		return "invalid_samples", strings.TrimSuffix(r.Status+": "+r.Reason, ": ")
	case float64(total-r.Samples) > 0.05*float64(total):
		return "invalid_samples", fmt.Sprintf("%d of %d samples are invalid", total-r.Samples, total)
	case s.warned("not-steady"):
		w, _ := s.warning("not-steady")
		return "not_steady", w.Text
	case len(s.values(metric)) < leastLaunch:
		return "too_few_launches", fmt.Sprintf("%d launches, a verdict takes %d or more; use --launches 7", len(s.values(metric)), leastLaunch)
	}
	return "", ""
}

func (s *side) values(metric string) []float64 {
	if metric == Efficiency {
		return s.row.Efficiencies
	}
	return s.row.Times
}

func (s *side) warning(code string) (result.Warning, bool) {
	for _, w := range s.row.Warnings {
		if w.Code == code {
			return w, true
		}
	}
	return result.Warning{}, false
}

func (s *side) warned(code string) bool {
	_, ok := s.warning(code)
	return ok
}

// medianVariance is the variance of the median of normal values with the spread of
// the logarithms of xs.
func medianVariance(xs []float64) float64 {
	return math.Pi / 2 * gstat.Variance(logs(xs, 1), nil) / float64(len(xs))
}
