package gate

import (
	"math"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// Of launches whose shares were handed out: the time for that and how well batches were
// predicted. Where nothing was handed out a limit guards nothing.
func TestMeasuresOfHandingOut(t *testing.T) {
	res := edit(fleet(), func(t *result.Trial) {
		t.Division = &result.Division{Decisions: []float64{0.001 * t.Samples[0], 0.004 * t.Samples[0]}, ChunkError: 0.05}
	})
	g := &gate{fresh: rowsOf(res)}
	for name, want := range map[string]float64{"handing": 0.004, "prediction": 0.95} {
		for i := range g.fresh.rows {
			if e := measures[name](&side{res, &g.fresh.rows[i]}); e == nil || math.Abs(e.Value/want-1) > 0.2 {
				t.Errorf("%s: %+v, want %g", name, e, want)
			}
		}
	}
	r, err := Run(nil, fleet(), Options{Rules: rules(t, "rows: [{workload: a/b, count: 2, handing: {max: 0.01}, prediction: {min: 0.9}}]")})
	if err != nil || len(r.Rows) != 2 || r.Rows[0].Code != "no_value" || r.Rows[1].Code != "no_value" {
		t.Errorf("%v, %+v", err, r.Rows)
	}
}

// Three thousand iterations without a failure show less than one in a thousand, with a
// single failure they do not; few launches are no reason to doubt a count.
func TestFailures(t *testing.T) {
	const limit = "rows: [{workload: a/b, count: 2, failures: {max: 0.001}}]"
	for _, c := range []struct {
		iterations, failed int
		want               Verdict
		high               float64
	}{
		{3000, 0, Met, 0.000998}, // 1 - 0.05^(1/3000)
		{2900, 0, Inconclusive, 0.00103},
		{3000, 1, Inconclusive, 0.00158}, // 4.74 of a Poisson variable
		{4800, 1, Met, 0.000988},
		{3000, 12, Unmet, 0.00646}, // 19.4
	} {
		first := true
		res := edit(fleet(), func(t *result.Trial) {
			if t.Count != 2 {
				return
			}
			t.Samples, t.Times, t.Reps = t.Samples[:1], result.Times{}, 0
			if first {
				first, t.Reps = false, c.iterations
				for range c.failed {
					t.Warnings = append(t.Warnings, result.Warning{Code: retried, Text: "try 1 of 4"})
				}
			}
		})
		r, err := Run(nil, res, Options{Rules: rules(t, limit)})
		if err != nil || len(r.Rows) != 1 {
			t.Fatalf("%v, %+v", err, r)
		}
		if row := r.Rows[0]; row.Verdict != c.want || math.Abs(*row.Effect.High/c.high-1) > 0.01 {
			t.Errorf("%d of %d: %s, %+v %g, want %s %g", c.failed, c.iterations, row.Verdict, row.Effect, *row.Effect.High, c.want, c.high)
		}
	}
}

// A maximum of none is about what happened: however few iterations without a failure
// meet it, and one failure of however many does not.
func TestNoFailures(t *testing.T) {
	for failed, want := range map[int]Verdict{0: Met, 1: Unmet} {
		left := failed
		res := edit(fleet(), func(t *result.Trial) {
			if t.Reps = 1; left > 0 && t.Count == 2 {
				left--
				t.Warnings = append(t.Warnings, result.Warning{Code: retried, Text: "try 1 of 4"})
			}
		})
		r, err := Run(nil, res, Options{Rules: rules(t, "rows: [{workload: a/b, count: 2, failures: {max: 0}}]")})
		if err != nil || len(r.Rows) != 1 || r.Rows[0].Verdict != want || r.Rows[0].Limit != "max 0" {
			t.Errorf("%d: %v, %+v", failed, err, r.Rows)
		}
	}
	unknown := edit(fleet(), func(t *result.Trial) { t.Reps = 0 })
	r, err := Run(nil, unknown, Options{Rules: rules(t, "rows: [{workload: a/b, count: 2, failures: {max: 0}}]")})
	if err != nil || len(r.Rows) != 1 || r.Rows[0].Verdict != Missing || r.Rows[0].Code != "no_value" {
		t.Errorf("%v, %+v", err, r.Rows)
	}
}
