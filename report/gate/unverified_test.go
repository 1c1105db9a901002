package gate

import (
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// Launches that nobody checked are said in every format; under --strict what rests on
// them does not pass, and what fails without them fails.
func TestUnverifiedLaunches(t *testing.T) {
	const w = "linalg/matmul"
	none := func(x *result.Trial) { x.Verified = false }
	some := func(x *result.Trial) { x.Verified = x.Launch > 1 }
	limit := rules(t, "rows: [{workload: linalg/matmul, count: 2, min_efficiency: 0.5}]")
	for name, c := range map[string]struct {
		base, fresh *result.Result
		o           Options
		verdict     Verdict
		exit        int
		says        string
	}{
		"new":              {made(1, as, w), edit(made(2, as, w), none), Options{}, Same, 0, "7 of 7 launches of the new result were not verified"},
		"new, strict":      {made(1, as, w), edit(made(2, as, w), none), Options{Strict: true}, Inconclusive, 3, "without a check it would be same"},
		"some, strict":     {made(1, as, w), edit(made(2, as, w), some), Options{Strict: true}, Inconclusive, 3, "2 of 7 launches of the new result"},
		"baseline, strict": {edit(made(1, as, w), none), made(2, as, w), Options{Strict: true}, Inconclusive, 3, "7 of 7 launches of the baseline"},
		"slower, strict":   {made(1, as, w), edit(made(2, slower(1.2), w), none), Options{Strict: true}, Regressed, 1, "7 of 7 launches of the new result"},
		"faster, strict":   {made(1, as, w), edit(made(2, slower(0.8), w), none), Options{Strict: true}, Inconclusive, 3, "it would be improved"},
		"limit":            {nil, edit(made(2, as, w), none), Options{Rules: limit}, Met, 0, "7 of 7 launches of the new result"},
		"limit, strict":    {nil, edit(made(2, as, w), none), Options{Rules: limit, Strict: true}, Inconclusive, 3, "it would be met"},
	} {
		var base []*result.Result
		if c.base != nil {
			base = one(c.base)
		}
		r := run(t, base, c.fresh, c.o)
		if r.Verdict != c.verdict || r.Exit != c.exit {
			t.Errorf("%s: %s, exit %d; want %s, %d", name, r.Verdict, r.Exit, c.verdict, c.exit)
		}
		for _, format := range []string{"text", "json", "md", "github"} {
			raw, err := Render(r, format)
			if err != nil || !strings.Contains(string(raw), c.says) {
				t.Errorf("%s: %s does not say %q (%v):\n%s", name, format, c.says, err, raw)
			}
		}
	}
	if r := run(t, one(made(1, as, w)), made(2, as, w), Options{Strict: true}); r.Exit != 0 || strings.Contains(strings.Join(r.doubts(), "\n"), Unverified) {
		t.Errorf("verified launches: exit %d, %v", r.Exit, r.doubts())
	}
}

// A limit on a value that the row has not is missing like the row would be.
func TestLimitWithoutAValue(t *testing.T) {
	const text = "rows: [{workload: linalg/matmul, count: 2, bandwidth: {min: 0.5}%s}]"
	for name, c := range map[string]struct {
		rule      string
		allow     bool
		exit      int
		tolerated bool
	}{
		"missing":            {"", false, exitMissing, false},
		"allowed":            {"", true, exitMissing, true}, // nothing else was compared
		"required, allowed":  {", required: true", true, exitMissing, false},
		"allowed, other row": {", min_efficiency: 0.5", true, 0, true},
	} {
		r := run(t, nil, made(2, as, "linalg/matmul"), Options{AllowMissing: c.allow, Rules: rules(t, strings.Replace(text, "%s", c.rule, 1))})
		row := r.Rows[0]
		if row.Verdict != Missing || row.Code != "no_value" || row.Metric != "bandwidth" || row.Tolerated != c.tolerated || r.Exit != c.exit {
			t.Errorf("%s: %s, %+v, exit %d, want %d", name, r.Headline(), row, r.Exit, c.exit)
		}
	}
}

// A change that the one-sided test shows may stand beside a two-sided interval that
// contains 0; every format says which of them decided.
func TestWhatDecidedIsSaid(t *testing.T) {
	const w = "linalg/matmul"
	alone := func(res *result.Result) *result.Result { // one row: nothing to correct for
		res.Trials = slices.DeleteFunc(res.Trials, func(x result.Trial) bool { return x.Count > 1 })
		return res
	}
	var base []*result.Result
	for day, level := range []float64{1, 1.04, 0.96} {
		base = append(base, alone(made(day+1, slower(level), w)))
	}
	var r *Report
	for by := 1.05; by < 1.4 && (r == nil || r.Count(Regressed) == 0); by += 0.002 {
		r = run(t, base, alone(made(9, slower(by), w)), Options{Threshold: 0.05})
	}
	row := r.Rows[0]
	if row.Verdict != Regressed || *row.Effect.Low > 0 || row.DecidedBy != "test" {
		t.Fatalf("%s %s, decided by %q", row.Verdict, effectText(row.Effect), row.DecidedBy)
	}
	for _, format := range []string{"text", "json", "junit", "md", "github"} {
		raw, err := Render(r, format)
		for _, want := range []string{"decided by the one-sided test (p 0.0", "contains 0 and is not what decides"} {
			if err != nil || !strings.Contains(string(raw), want) {
				t.Errorf("%s does not say %q (%v):\n%s", format, want, err, raw)
			}
		}
	}
	if r := run(t, one(made(1, as, w)), made(2, as, w), Options{}); r.Rows[0].DecidedBy != "interval" {
		t.Errorf("same is decided by %q", r.Rows[0].DecidedBy)
	}
}
