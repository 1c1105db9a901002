package gate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// ramp is n values that change by the share per value, with noise of standard deviation sd.
func ramp(r *rand.Rand, n int, per, sd float64) []float64 {
	xs := draw(r, n, 0, sd)
	for i := range xs {
		xs[i] *= math.Pow(1+per, float64(i))
	}
	return xs
}

// A drift too slow to be a change of the level at any one place is found, with its size.
func TestDriftIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		n       int
		per, sd float64
	}{{30, .002, 0}, {60, .001, 0}, {30, .002, .003}, {60, .001, .003}, {200, -.0005, .005}, {60, .004, .005}, {12, .008, .005}} {
		want := math.Pow(1+c.per, float64(c.n-1)) - 1
		found := 0
		for range 20 {
			xs := ramp(r, c.n, c.per, c.sd)
			cuts := ChangePoints(xs, historyWindow, historyP, .05)
			d := driftOf(xs, cuts, historyP, .05)
			if d != nil || len(cuts) > 0 { // a short one may also be taken for a step
				found++
			}
			if d == nil || len(cuts) > 0 {
				continue
			}
			if (d.Verdict == Improved) != (want < 0) || math.Abs(d.Effect.Value-want) > .02 || d.Effect.Low == nil || *d.Effect.Low > d.Effect.Value || *d.Effect.High < d.Effect.Value {
				t.Errorf("%d by %g: %+v, want %.4f", c.n, c.per, d, want)
			}
		}
		if found < 19 {
			t.Errorf("%d values by %g with noise of %g: found %d of 20 times", c.n, c.per, c.sd, found)
		}
	}
	xs := ramp(r, 40, .001, .001)
	if d := driftOf(xs, nil, historyP, .05); d != nil {
		t.Errorf("a drift of 4 %% is reported as 5 %%: %+v", d)
	}
	if d := driftOf([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, nil, historyP, .05); d != nil {
		t.Errorf("a time of 0: %+v", d)
	}
}

// A trend beside a step is found, and its size is that of the trend alone.
func TestDriftBesideAStep(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	xs := ramp(r, 60, .0015, .002)
	for i := 30; i < 60; i++ {
		xs[i] *= .7
	}
	d := driftOf(xs, ChangePoints(xs, historyWindow, historyP, .05), historyP, .05)
	if want := math.Pow(1.0015, 58) - 1; d == nil || d.Verdict != Regressed || math.Abs(d.Effect.Value-want) > .015 {
		t.Errorf("%+v, want %.3f", d, want)
	}
}

// Neither noise nor a single step, wherever it lies, is a drift: at most 5 % of the
// simulated histories say so, and none whose step stands clear of the noise.
func TestNoDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	const runs = 400
	for _, n := range []int{8, 30, 60} {
		for _, sd := range []float64{.002, .02, .1} {
			flat, stepped := 0, 0
			for range runs {
				xs := draw(r, n, 0, sd)
				if driftOf(xs, ChangePoints(xs, historyWindow, historyP, .02), historyP, .02) != nil {
					flat++
				}
				for i := 2 + r.IntN(n-3); i < n; i++ {
					xs[i] *= 1.06
				}
				if driftOf(xs, ChangePoints(xs, historyWindow, historyP, .05), historyP, .05) != nil {
					stepped++
				}
			}
			if flat > runs/20 {
				t.Errorf("%d values, noise %g: %d of %d flat histories drift", n, sd, flat, runs)
			}
			if stepped > runs/20 || sd < .01 && stepped > 0 {
				t.Errorf("%d values, noise %g: %d of %d steps are drifts", n, sd, stepped, runs)
			}
		}
	}
}

// A step that the search for changes did not find is no drift either, though such values
// have a trend.
func TestStepNotFoundIsNoDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	trends, drifts := 0, 0
	for range 200 {
		xs := draw(r, 60, 0, .03)
		for i := 30; i < 60; i++ {
			xs[i] *= 1.1
		}
		if stat.MannKendall(xs) < historyP && stat.SenSlope(xs).Value*59 > .05 {
			trends++
		}
		if driftOf(xs, nil, historyP, .05) != nil {
			drifts++
		}
	}
	if trends < 100 || drifts > 10 {
		t.Errorf("of 200 steps %d have a trend and %d are drifts", trends, drifts)
	}
}

// A drift is a line of its row in every format.
func TestTraceOfADrift(t *testing.T) {
	var all []*result.Result
	for day := range 30 {
		res := made(1, slower(math.Pow(1.002, float64(day))), "a/b")
		res.Created = res.Created.Add(time.Duration(day) * 24 * time.Hour)
		res.Tool.Commit = fmt.Sprintf("c%d", day)
		all = append(all, res)
	}
	h, err := Trace(all, Options{})
	if err != nil || len(h.Rows) != 2 {
		t.Fatalf("%+v, %v", h, err)
	}
	for _, s := range h.Rows {
		if len(s.Changes) != 0 || s.Drift == nil || math.Abs(s.Drift.Effect.Value-.0596) > .001 || !s.Drift.From.Equal(s.Points[0].Created) || !s.Drift.To.Equal(s.Points[29].Created) {
			t.Errorf("%+v, %+v", s.Changes, s.Drift)
		}
	}
	for format, want := range map[string]string{
		"text": "regressed +6.0 %", "md": "2026-11-01 09:00:00 to 2026-11-30 09:00:00", "json": `"drift": {`,
	} {
		raw, err := RenderHistory(h, format)
		if err != nil || !strings.Contains(string(raw), want) || strings.Contains(string(raw), "no change of the level") {
			t.Errorf("%s: %v\n%s", format, err, raw)
		}
		if format != "json" && !strings.Contains(string(raw), "0 changes and 2 drifts of 5 % or more") {
			t.Errorf("%s: the count is not there:\n%s", format, raw)
		}
	}
}
