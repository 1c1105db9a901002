package gate

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// again is what a confirmation of made results measures: launches of the rows at so
// many blocks.
func again(blocks int, at func(string, int) float64, workloads ...string) *result.Result {
	res := made(9, at, workloads...)
	res.Trials = slices.DeleteFunc(res.Trials, func(t result.Trial) bool { return t.Block >= blocks })
	return res
}

func TestConfirmation(t *testing.T) {
	const w = "linalg/matmul"
	for name, c := range map[string]struct {
		fresh       float64 // time of the new result, relative to the baseline
		blocks      int
		base, build float64 // in the confirmation
		exit        int
		verdict     Verdict
		code        string
	}{
		"false alarm":                {1.2, 6, 1, 1, 0, Same, ""},
		"false alarm, slower day":    {1.2, 6, 1.3, 1.3, 0, Same, ""},
		"real":                       {1.2, 6, 1, 1.2, 1, Regressed, ""},
		"real, slower day":           {1.2, 6, 1.3, 1.56, 1, Regressed, ""},
		"one round shows too little": {1.2, 3, 1, 1.2, 0, Inconclusive, "not_confirmed"},
		"too small to confirm":       {1.2, 6, 1, 1.04, 0, Same, ""},
		"hidden by the occasions":    {1, 6, 1, 1.2, 0, Inconclusive, "occasions_differ"},
		"faster, not confirmed":      {0.8, 6, 1, 1, 0, Same, ""},
	} {
		base, fresh := made(1, as, w), made(2, slower(c.fresh), w)
		trials := len(base.Trials)
		o := Options{Confirmed: true, Confirm: &Alternated{Base: again(c.blocks, slower(c.base), w), New: again(c.blocks, slower(c.build), w)}}
		r := run(t, one(base), fresh, o)
		if r.Exit != c.exit || r.Verdict != c.verdict || r.Rows[0].Code != c.code || r.Looks != 3 || r.Rows[0].Looks != 3 {
			t.Errorf("%s: %s, exit %d, %q, %d looks; want %s, %d, %q", name, r.Headline(), r.Exit, why(&r.Rows[0]), r.Looks, c.verdict, c.exit, c.code)
		}
		if row := &r.Rows[0]; len(row.Base) != 7+c.blocks || len(row.New) != 7+c.blocks || row.Turns == nil || math.Abs(row.Turns.Value-(c.build/c.base-1)) > 0.01 {
			t.Errorf("%s: %d against %d launches, in turns %+v", name, len(row.Base), len(row.New), row.Turns)
		}
		if len(base.Trials) != trials || len(fresh.Trials) != trials {
			t.Errorf("%s: the results were changed", name)
		}
	}
}

// A level of alpha/3 from the first look on, and rows without new launches as before.
func TestConfirmationConcernsItsRows(t *testing.T) {
	base, fresh := made(1, as, "a/b", "a/c"), made(2, func(w string, _ int) float64 {
		return map[string]float64{"a/b": 1.2, "a/c": 1}[w]
	}, "a/b", "a/c")
	first := run(t, one(base), fresh, Options{Confirmed: true})
	if suspects := Suspects(first, fresh); len(suspects) != 2 || suspects[0].Workload != "a/b" || suspects[1].Workload != "a/b" || first.Exit != 1 {
		t.Fatalf("%d suspects, exit %d", len(suspects), first.Exit)
	}
	limit := rules(t, `rows: [{workload: a/b, count: 1, time: {max: 0.011}}]`)
	r := run(t, one(base), fresh, Options{Confirmed: true, Rules: limit, Confirm: &Alternated{Base: again(6, as, "a/b"), New: again(6, as, "a/b")}})
	if r.Count(Same) != 4 || r.Count(Unmet) != 1 || r.Family != 4 {
		t.Errorf("%s; limits are on the new result as it is", r.Headline())
	}
	for _, row := range r.Rows {
		if (row.Turns != nil) != (row.Workload == "a/b" && row.Metric == Time && row.Limit == "") {
			t.Errorf("%s %s: in turns %+v", row.Workload, row.Metric, row.Turns)
		}
	}
	// A failure in the confirmation is one of the row.
	bad := again(6, as, "a/b")
	bad.Trials[3].Status, bad.Trials[3].Reason = result.WrongResult, "because"
	if r := run(t, one(base), fresh, Options{Confirmed: true, Confirm: &Alternated{Base: again(6, as, "a/b"), New: bad}}); r.Exit != 6 {
		t.Errorf("%s", r.Headline())
	}
	quick := made(2, slower(1.2), "a/b")
	quick.Plan.Preset = "quick"
	if s := Suspects(run(t, one(base), quick, Options{Confirmed: true, AllowMissing: true}), quick); len(s) != 0 {
		t.Errorf("%d rows of a quick result can be confirmed", len(s))
	}
	if _, err := Run([]*result.Result{base, made(3, as, "a/b")}, fresh, Options{Confirmed: true, Confirm: &Alternated{Base: base, New: fresh}}); !errors.Is(err, ErrRequest) {
		t.Errorf("two baselines: %v", err)
	}
}

// A block repeats the suspects of one block of the plan, on the same devices; what an
// efficiency is relative to comes along.
func TestConfirmPlan(t *testing.T) {
	fresh := made(2, slower(1.2), "a/b", "a/c")
	for _, x := range fresh.Trials {
		fresh.Plan.Order = append(fresh.Plan.Order, result.PlannedCell{Key: x.Key, Count: x.Count, Devices: x.Devices, Block: x.Block, Launch: x.Launch, Total: x.Total})
	}
	r := run(t, one(made(1, func(w string, _ int) float64 { return map[string]float64{"a/b": 1, "a/c": 1.2}[w] }, "a/b", "a/c")), fresh, Options{})
	cells := ConfirmPlan(Suspects(r, fresh), fresh.Plan, 9)
	if len(cells) != 2 || cells[0].Workload != "a/b" || cells[0].Block != 9 || cells[0].Count+cells[1].Count != 3 {
		t.Errorf("%+v", cells)
	}
	two := func(_ string, count int) float64 { return 1 + 0.2*float64(count-1) }
	fresh = made(2, two, "a/b")
	for _, x := range fresh.Trials {
		fresh.Plan.Order = append(fresh.Plan.Order, result.PlannedCell{Key: x.Key, Count: x.Count, Devices: x.Devices, Block: x.Block})
	}
	r = run(t, one(made(1, as, "a/b")), fresh, Options{Rules: rules(t, "metrics: [efficiency]")})
	if cells := ConfirmPlan(Suspects(r, fresh), fresh.Plan, 0); r.Verdict != Regressed || len(cells) != 2 {
		t.Errorf("%s: %d cells for an efficiency", r.Verdict, len(cells))
	}
	for i := range fresh.Plan.Order { // of a self-test
		fresh.Plan.Order[i].Side = result.SideA
	}
	fresh.Plan.Order = append(fresh.Plan.Order, fresh.Plan.Order...)
	if cells := ConfirmPlan(Suspects(r, fresh), fresh.Plan, 0); len(cells) != 2 || cells[0].Side != "" {
		t.Errorf("%+v of a self-test", cells)
	}
	if cells := ConfirmPlan(Suspects(r, fresh), result.Plan{}, 0); len(cells) != 0 {
		t.Errorf("%d cells of an empty plan", len(cells))
	}
}

func TestDifferentDevices(t *testing.T) {
	before := made(1, as, "a/b")
	if d := DifferentDevices(before, again(3, slower(2), "a/b")); d != "" {
		t.Errorf("only slower: %s", d)
	}
	other := again(3, as, "a/b")
	other.Devices[0].Driver = "Example 590.1"
	if d := DifferentDevices(before, other); !strings.Contains(d, "driver: Example 580.159 against Example 590.1") {
		t.Errorf("another driver: %q", d)
	}
	other = again(3, as, "a/b")
	other.Devices = other.Devices[:1]
	if d := DifferentDevices(before, other); !strings.Contains(d, "2 devices against 1") {
		t.Errorf("one device less: %q", d)
	}
}

// rowOf is a row as it is after both rounds: seven launches a side from two
// occasions that differ, six more in turns from a third.
func rowOf(r *rand.Rand, effect, threshold, sd, between float64) (test, test) {
	x, y := draw(r, 7, between*r.NormFloat64(), sd), draw(r, 7, effect+between*r.NormFloat64(), sd)
	level := between * r.NormFloat64()
	u, v := draw(r, 6, level, sd), draw(r, 6, level+effect, sd)
	b, f := aligned([2][]float64{x, y}, [2][]float64{u, v})
	all, turns := compareLaunches(b, f, 1, leastPhi, alpha/ConfirmLooks), compareLaunches(u, v, 1, leastPhi, alpha/ConfirmLooks)
	all.t, turns.t = math.Log1p(threshold), math.Log1p(threshold)
	return all, turns
}

func confirmedVerdicts(tests, turns []test) []Verdict {
	regress, improve, correction := correct(tests)
	out := make([]Verdict, len(tests))
	for i, x := range tests {
		v, code, reason := decide(x, regress[i], improve[i], alpha/ConfirmLooks, len(tests), correction)
		out[i], _, _ = (&Row{}).confirmed(turns[i], alpha/ConfirmLooks, v, code, reason)
	}
	return out
}

// Identical builds whose two files come from occasions 4 % apart: a single file as
// baseline raises alarms all the time (TestOneOccasionIsNoBaseline); confirmed ones
// are rarer than the level, for one row and for a hundred.
func TestFalseAlarmsAfterAConfirmation(t *testing.T) {
	for rows, families := range map[int]int{1: 600, 100: 100} {
		r := rand.New(rand.NewPCG(11, uint64(rows)))
		alarms := 0
		for range families {
			tests, turns := make([]test, rows), make([]test, rows)
			for i := range tests {
				tests[i], turns[i] = rowOf(r, 0, DefaultThreshold, 0.01, 0.04)
			}
			if slices.Contains(confirmedVerdicts(tests, turns), Regressed) {
				alarms++
			}
		}
		t.Logf("%d rows: %d of %d families raise a false alarm", rows, alarms, families)
		if alarms > mostAlarms(families) {
			t.Errorf("%d rows: %d of %d families raise a false alarm", rows, alarms, families)
		}
	}
}

// And what is really slower is found by the same rule in 95 % or more, where occasions
// differ by less than launches do.
func TestPowerAfterAConfirmation(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, c := range []struct{ effect, threshold float64 }{{0.065, 0.05}, {0.05, 0.025}} {
		const runs = 100
		found := 0
		for range runs {
			tests, turns := make([]test, 100), make([]test, 100)
			tests[0], turns[0] = rowOf(r, math.Log1p(c.effect), c.threshold, 0.01, 0.004)
			for i := 1; i < 100; i++ { // nothing suspicious: not measured again
				tests[i] = compareLaunches(draw(r, 7, 0, 0.01), draw(r, 7, 0, 0.01), 1, leastPhi, alpha/ConfirmLooks)
				tests[i].t = math.Log1p(c.threshold)
			}
			if confirmedVerdicts(tests[:1], turns[:1])[0] == Regressed && verdicts(tests)[0] == Regressed {
				found++
			}
		}
		t.Logf("%g at threshold %g: found in %d of %d", c.effect, c.threshold, found, runs)
		if found < 95 {
			t.Errorf("%g at threshold %g: found in %d of %d", c.effect, c.threshold, found, runs)
		}
	}
}
