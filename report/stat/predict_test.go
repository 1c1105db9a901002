package stat

import (
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// predicted makes a series by p and predicts.
func predicted(t *testing.T, mode string, x func(n float64) float64, ask Ask, launches int, counts ...int) []result.Prediction {
	t.Helper()
	b := newBench("default", make([]float64, 64)...)
	for block := range launches {
		for _, n := range counts {
			work := 1000.0
			if mode == "weak" {
				work *= float64(n)
			}
			b.add(mode, block, work/1000/x(float64(n)), work, devicesOf(n)...)
		}
	}
	_, laws, _ := SummaryFor(b.res, ask)
	if len(laws) != 1 {
		t.Fatalf("%d laws", len(laws))
	}
	return laws[0].Predictions
}

func TestPredict(t *testing.T) {
	both := usl{.05, .01, 1}
	p := predicted(t, "strong", both.at, Ask{Predict: []int{24, 3}}, 7, 1, 2, 3, 4, 6, 8, 12, 16)
	if len(p) != 2 || p[0].Law != "usl" || p[0].Count != 24 || p[0].Rate.Unit != "flop/s" {
		t.Fatalf("%+v", p)
	}
	within(t, "X(24)", p[0].Rate, 1000*both.at(24), 60)
	within(t, "E(24)", p[0].Efficiency, both.at(24)/24, .004)
	within(t, "S(24)", p[0].Speedup, both.at(24), .08)
	within(t, "E(3)", p[1].Efficiency, both.at(3)/3, .004)

	serial := usl{.03, 0, 1}
	p = predicted(t, "strong", serial.at, Ask{Predict: []int{16, 17, 32}}, 7, 1, 2, 4, 8)
	if p[0].Law != "amdahl" {
		t.Fatalf("%+v", p[0])
	}
	within(t, "E(16)", p[0].Efficiency, serial.at(16)/16, .01)
	for _, far := range p[1:] {
		if far.Law != "" || far.Efficiency != nil || far.Rate != nil || !strings.Contains(far.Reason, "more than twice the largest count measured (8)") {
			t.Errorf("%+v", far)
		}
	}
	p = predicted(t, "strong", serial.at, Ask{Predict: []int{32}, Far: true}, 7, 1, 2, 4, 8)
	within(t, "E(32), far", p[0].Efficiency, serial.at(32)/32, .02)

	p = predicted(t, "weak", func(n float64) float64 { return n + (1-n)*.04 }, Ask{Predict: []int{16}}, 7, 1, 2, 4, 8)
	if p[0].Law != "gustafson" {
		t.Fatalf("%+v", p[0])
	}
	within(t, "scaled E(16)", p[0].Efficiency, (16-15*.04)/16, .01)
}

// TestPredictSingle: one value per count has a linearised interval.
func TestPredictSingle(t *testing.T) {
	wobble := func(f func(float64) float64) func(float64) float64 {
		return func(n float64) float64 { return f(n) * (1 + .004*float64(int(n)%3-1)) }
	}
	both := usl{.05, .01, 1}
	p := predicted(t, "strong", wobble(both.at), Ask{Predict: []int{20}}, 1, 1, 2, 3, 4, 6, 8, 12, 16)
	if p[0].Law != "usl" {
		t.Fatalf("%+v", p[0])
	}
	within(t, "X(20)", p[0].Rate, 1000*both.at(20), 150)
	serial := usl{.03, 0, 1}
	p = predicted(t, "strong", wobble(serial.at), Ask{Predict: []int{12}}, 1, 1, 2, 4, 8)
	within(t, "E(12)", p[0].Efficiency, serial.at(12)/12, .03)
	p = predicted(t, "weak", wobble(func(n float64) float64 { return n + (1-n)*.04 }), Ask{Predict: []int{12}}, 1, 1, 2, 4, 8)
	within(t, "scaled E(12)", p[0].Efficiency, (12-11*.04)/12, .03)
}

func TestPredictRefuses(t *testing.T) {
	p := predicted(t, "strong", usl{.03, 0, 1}.at, Ask{Predict: []int{4}}, 7, 1, 2)
	if p[0].Efficiency != nil || !strings.Contains(p[0].Reason, "not identifiable with 2 counts") {
		t.Errorf("%+v", p[0])
	}
	b := newBench("default", 1, 1)
	for block := range 7 {
		b.add("strong", block, 1, 1000, 0)
	}
	b.res.Plan.Preset = "default"
	if _, _, w := SummaryFor(b.res, Ask{Predict: []int{4}}); !hasCode(w, "no-prediction") {
		t.Error("nothing is said where no law is")
	}
	b = newBench("default", 3, 1, 1)
	b.res.Devices[0].Name = "fast GPU"
	for block := range 7 {
		b.add("solo", block, 1.0/3, 1000, 0)
		b.add("solo", block, 1, 1000, 1)
		b.add("solo", block, 1, 1000, 2)
		b.add("strong", block, 1.0/3, 1000, 0)
		b.add("strong", block, .26, 1000, 0, 1)
		b.add("strong", block, .21, 1000, 0, 1, 2)
	}
	_, laws, _ := SummaryFor(b.res, Ask{Predict: []int{4}})
	if p := laws[0].Predictions[0]; p.Efficiency != nil || !strings.Contains(p.Reason, "unequal") {
		t.Errorf("%+v", p)
	}
	// A base of two: relative to it, by the law itself.
	at := usl{.03, 0, 1}.at
	p = predicted(t, "strong", at, Ask{Predict: []int{16}}, 7, 2, 4, 8)
	within(t, "relative", p[0].Efficiency, at(16)*2/(16*at(2)), .01)
	within(t, "relative speedup", p[0].Speedup, at(16)/at(2), .08)
}

// TestPredictEndsAtTheCeiling: no interval exceeds the limit of the law, nor efficiency
// 1, and a prediction whose interval was cut says by what.
func TestPredictEndsAtTheCeiling(t *testing.T) {
	f := fitter{top: 64}
	for i, n := range rayN {
		f.cols = append(f.cols, column{count: int(n), values: []float64{rayX[i]}})
	}
	u, _ := f.usl()
	p := f.predict(&result.Law{USL: u}, 1, "ray/s", Ask{Predict: []int{8, 512}, Far: true})
	if p[0].Cut != "" || !strings.HasPrefix(p[1].Cut, "the limit of the law as fitted, 378") || *p[1].Rate.High != *u.Limit {
		t.Errorf("%+v, %+v", p[0], p[1])
	}
	noisy := func(f func(float64) float64) func(float64) float64 {
		return func(n float64) float64 { return f(n) * (1 + .06*float64(int(n)%3-1)) }
	}
	cuts := 0
	for _, launches := range []int{1, 7} {
		for mode, law := range map[string]func(float64) float64{"strong": usl{.01, 0, 1}.at, "weak": func(n float64) float64 { return n + (1-n)*.004 }} {
			for _, p := range predicted(t, mode, noisy(law), Ask{Predict: []int{2, 16, 4096}, Far: true}, launches, 1, 2, 4, 8) {
				if p.Efficiency == nil {
					t.Fatalf("%s: %+v", mode, p)
				}
				if high := p.Efficiency.High; high != nil && *high > 1 || p.Speedup.High != nil && *p.Speedup.High > float64(p.Count) {
					t.Errorf("%s, %d launches: %+v", mode, launches, *p.Efficiency)
				}
				if p.Cut != "" {
					cuts++
				}
			}
		}
	}
	if cuts == 0 {
		t.Error("nothing was cut: the test shows nothing")
	}
}

// TestPredictRaytracer: cran/usl's predict(96) and predict(128) (measurement.md 7.2).
func TestPredictRaytracer(t *testing.T) {
	f := fitter{top: 64}
	for i, n := range rayN {
		f.cols = append(f.cols, column{count: int(n), values: []float64{rayX[i]}})
	}
	u, _ := f.usl()
	p := f.predict(&result.Law{USL: u}, 1, "ray/s", Ask{Predict: []int{96, 128, 129}})
	near(t, "96", p[0].Rate.Value, 323.3, .05)
	near(t, "128", p[1].Rate.Value, 335.5, .05)
	if p[2].Rate != nil {
		t.Error("beyond twice 64")
	}
	if u.Limit == nil || u.SigmaSE == nil || u.ResidualSE == nil || u.KappaZero != nil || u.Peak != nil {
		t.Fatalf("%+v", u)
	}
	near(t, "limit", *u.Limit, 378, .5)
	near(t, "residual SE", *u.ResidualSE, 9.34, .005)
	near(t, "SE sigma", *u.SigmaSE, .013293, 5e-7)
	if u.KappaLow != nil || !strings.Contains(u.Reason, "kappa not distinguishable from 0") {
		t.Errorf("%+v", u)
	}
}

func TestUSLBeyondTheEstimates(t *testing.T) {
	l := law(t, usl{.05, .01, 1}, 0.002, 7, 1, 2, 3, 4, 6, 8, 12, 16)
	u := l.USL
	if u.KappaZero == nil || *u.KappaZero != 0 || u.LackOfFit == nil || *u.LackOfFit < .01 || u.GammaSE == nil || u.ResidualSE != nil || u.Limit == nil {
		t.Errorf("%+v", u)
	}
	if u.Peak == nil || u.Peak.Low == nil || *u.Peak.Low > u.Peak.Value || *u.Peak.High < u.Peak.Value {
		t.Errorf("peak %+v", u.Peak)
	}
	if l := law(t, usl{.05, 0, 1}, 0.003, 7, 1, 2, 3, 4, 6, 8); !(*l.USL.KappaZero > .1) {
		t.Errorf("share of refits with kappa 0: %g", *l.USL.KappaZero)
	}
	// One value per count: N* = 7 with a linearised interval (cran/usl tests/coef.R).
	f := fitter{top: 10}
	for i, x := range []float64{1, 1.8868, 3.0769, 3.5294, 3.5398, 3.3557} {
		f.cols = append(f.cols, column{count: []int{1, 2, 4, 6, 8, 10}[i], values: []float64{x}})
	}
	one, _ := f.usl()
	within(t, "N*", one.Peak, 7, 1e-3)
}
