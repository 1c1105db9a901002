package gate

import "fmt"

// judge gives the tested rows their verdicts, corrected over all of them.
func (g *gate) judge() {
	var rows []*Row
	var tests, cycles []test
	clocks := false
	for i := range g.out.Rows {
		r := &g.out.Rows[i]
		if !r.test.ok {
			continue
		}
		rows, tests, cycles = append(rows, r), append(tests, r.test), append(cycles, r.test)
		if r.cycles != nil {
			cycles[len(cycles)-1], clocks = *r.cycles, true
		}
	}
	regress, improve, correction := correct(tests)
	g.out.Family, g.out.Correction = len(rows), correction
	for i, r := range rows {
		r.Family = len(rows)
		r.P = new(min(regress[i], improve[i]))
		r.Verdict, r.Code, r.Reason = decide(r.test, regress[i], improve[i], g.level, len(rows), correction)
		if t, ok := g.alternated(r); ok {
			r.Turns = t.effect()
			r.Verdict, r.Code, r.Reason = r.confirmed(t, g.level, r.Verdict, r.Code, r.Reason)
		}
	}
	if clocks {
		g.judgeCycles(rows, cycles)
	}
}

// judgeCycles repeats the decisions where the clocks of the sides differ, with
// cycles in place of times (G6). A verdict that changes was about the clock.
func (g *gate) judgeCycles(rows []*Row, cycles []test) {
	regress, improve, correction := correct(cycles)
	for i, r := range rows {
		if r.cycles == nil || r.Verdict == Inconclusive {
			continue
		}
		v, _, _ := decide(cycles[i], regress[i], improve[i], g.level, len(rows), correction)
		if v != r.Verdict {
			r.Reason = fmt.Sprintf("%s by time but %s by clock cycles (%s), because the clocks differ by %s: fix the clocks or measure again", r.Verdict, v, effectText(cycles[i].effect()), percent(r.clocks))
			r.Verdict, r.Code = Inconclusive, "clocks_differ"
		}
	}
}
