package gate

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// side medians: log-normal around shift.
func draw(r *rand.Rand, n int, shift, sd float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Exp(shift + sd*r.NormFloat64())
	}
	return out
}

// verdicts judges a family of tests as the gate does.
func verdicts(tests []test) []Verdict {
	regress, improve, correction := correct(tests)
	out := make([]Verdict, len(tests))
	for i, t := range tests {
		out[i], _, _ = decide(t, regress[i], improve[i], alpha, len(tests), correction)
	}
	return out
}

// The table of measurement.md 4.6: shares of regressed, same and inconclusive for
// the rule with Lo > ln(1+phi) in place of the p-value.
func TestOperatingCharacteristics(t *testing.T) {
	effects := []float64{0, 0.025, 0.05, 0.075, 0.10}
	for _, c := range []struct {
		sd   float64
		n    int
		want [5][2]float64 // regressed, same
	}{
		{0.005, 5, [5][2]float64{{0, 1}, {0, 1}, {.50, .02}, {1, 0}, {1, 0}}},
		{0.01, 5, [5][2]float64{{0, 1}, {.001, .83}, {.48, .02}, {1, 0}, {1, 0}}},
		{0.02, 5, [5][2]float64{{0, .71}, {.025, .29}, {.44, .02}, {.95, 0}, {1, 0}}},
		{0.02, 7, [5][2]float64{{0, .94}, {.019, .48}, {.48, .02}, {.98, 0}, {1, 0}}},
		{0.02, 10, [5][2]float64{{0, 1}, {.002, .69}, {.50, .02}, {1, 0}, {1, 0}}},
		{0.04, 5, [5][2]float64{{.006, .03}, {.043, .02}, {.19, .01}, {.46, 0}, {.74, 0}}},
		{0.04, 10, [5][2]float64{{.002, .38}, {.068, .18}, {.41, .02}, {.83, 0}, {.99, 0}}},
	} {
		for k, effect := range effects {
			r := rand.New(rand.NewPCG(uint64(c.n), uint64(k)))
			const runs = 400
			var regressed, same, improved float64
			for range runs {
				x := compareLaunches(draw(r, c.n, 0, c.sd), draw(r, c.n, math.Log1p(effect), c.sd), 1, leastPhi, alpha)
				x.t = math.Log1p(DefaultThreshold)
				p := func(ok bool) float64 {
					if ok {
						return 0
					}
					return 1
				}
				v, _, _ := decide(x, p(x.lo > math.Log1p(leastPhi)), p(x.hi < -math.Log1p(leastPhi)), alpha, 1, holm)
				switch v {
				case Regressed:
					regressed++
				case Same:
					same++
				case Improved:
					improved++
				}
			}
			near := func(got, want float64) bool {
				return math.Abs(got/runs-want) <= 0.01+4*math.Sqrt(max(want*(1-want), 0.002)/runs)
			}
			if !near(regressed, c.want[k][0]) || !near(same, c.want[k][1]) || improved/runs > 0.015 {
				t.Errorf("sd %g, %d launches, true %+.1f %%: regressed %.3f, same %.3f, improved %.3f; want %.3f, %.3f, at most .005", c.sd, c.n, 100*effect,
					regressed/runs, same/runs, improved/runs, c.want[k][0], c.want[k][1])
			}
		}
	}
}

// One old occasion against one new one is the false alarm that the warning
// single_occasion is about: the test that knows only launches must not be used.
func TestOneOccasionIsNoBaseline(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	alarms := 0
	for range 200 {
		x := compareLaunches(draw(r, 7, 0.04*r.NormFloat64(), 0.005), draw(r, 7, 0.04*r.NormFloat64(), 0.005), 1, leastPhi, alpha)
		x.t = math.Log1p(DefaultThreshold)
		if verdicts([]test{x})[0] == Regressed {
			alarms++
		}
	}
	if alarms < 20 {
		t.Errorf("%d of 200: the premise of the warning does not hold", alarms)
	}
}

// Default launches, 1 % noise: a true 6.5 % regression at threshold 5 % and a true
// 5 % one at threshold 2.5 % are found in at least 95 % of all cases, alone, among 50
// rows (Holm) and as a single one among 100, where rank tests alone find 88 %: they
// need sides that do not overlap at all (docs/gate.md).
func TestPower(t *testing.T) {
	for _, c := range []struct {
		effect, threshold float64
		rows, slower      int
	}{
		{0.065, 0.05, 1, 1}, {0.065, 0.05, 100, 1}, {0.05, 0.025, 1, 1}, {0.05, 0.025, 50, 1}, {0.05, 0.025, 100, 1}, {0.05, 0.025, 100, 4},
	} {
		r := rand.New(rand.NewPCG(5, uint64(c.rows)))
		const runs = 300
		found, ranks := 0, 0
		for range runs {
			var tests []test
			for i := range c.rows {
				effect := 0.0
				if i < c.slower {
					effect = math.Log1p(c.effect)
				}
				x := compareLaunches(draw(r, 7, 0, 0.01), draw(r, 7, effect, 0.01), 1, leastPhi, alpha)
				x.t = math.Log1p(c.threshold)
				tests = append(tests, x)
			}
			if verdicts(tests)[0] == Regressed {
				found++
			}
			if tests[0].regress <= alpha/float64(c.rows) && tests[0].delta >= tests[0].t {
				ranks++
			}
		}
		share := float64(found) / runs
		t.Logf("%g at threshold %g, %d of %d rows slower: found in %.3f (ranks alone %.3f)", c.effect, c.threshold, c.slower, c.rows, share, float64(ranks)/runs)
		if share < 0.95 {
			t.Errorf("%g at threshold %g, %d of %d rows slower: found in %.3f", c.effect, c.threshold, c.slower, c.rows, share)
		}
	}
}

// With 10 occasions of 1 % a true 6.5 % change is found by the prediction interval.
func TestPowerOverOccasions(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	found := 0
	for range 400 {
		x := compareOccasions(draw(r, 10, 0, 0.005), math.Exp(math.Log1p(0.065)+0.005*r.NormFloat64()), 0.003, 1, leastPhi, alpha)
		x.t = math.Log1p(DefaultThreshold)
		if verdicts([]test{x})[0] == Regressed {
			found++
		}
	}
	if found < 380 {
		t.Errorf("found in %d of 400", found)
	}
}

// benchstat's example (measurement.md 7.7) is an improvement of 17 %.
func TestBenchstatExample(t *testing.T) {
	old := []float64{1726, 1723, 1707, 1707, 1713, 1729, 1736, 1707, 1705, 1774}
	fresh := []float64{1423, 1416, 1411, 1413, 1412, 1426, 1422, 1424, 1447, 1425}
	x := compareLaunches(old, fresh, 1, leastPhi, alpha)
	x.t = math.Log1p(DefaultThreshold)
	if v := verdicts([]test{x})[0]; v != Improved || math.Abs(x.effect().Value+0.172) > 0.004 || x.improve > 1e-4 {
		t.Errorf("%s, effect %+v, p %g", v, *x.effect(), x.improve)
	}
	y := compareLaunches(fresh, old, 1, leastPhi, alpha)
	if math.Abs(y.delta+x.delta) > 1e-12 || math.Abs(y.lo+x.hi) > 1e-12 || y.regress != x.improve {
		t.Error("exchanging the sides is not the mirror image")
	}
	// The same as an efficiency: there less is worse.
	z := compareLaunches(old, fresh, -1, leastPhi, alpha)
	if z.regress != x.improve || math.Abs(z.delta+x.delta) > 1e-12 || z.effect().Value >= 0 {
		t.Error("the sign of metrics of which more is better is not turned")
	}
}

func TestReasons(t *testing.T) {
	few := compareLaunches([]float64{1, 1.01, 1.02}, []float64{1, 1.01, 1.02}, 1, leastPhi, alpha)
	few.t = math.Log1p(0.05)
	noisy := compareLaunches([]float64{1, 1.1, 1.2, 1.3, 1.4}, []float64{1, 1.1, 1.2, 1.3, 1.4}, 1, leastPhi, alpha)
	noisy.t = few.t
	two := noisy
	two.bimodal = true
	near := compareLaunches([]float64{1, 1.001, 1.002, 1.003, 1.004}, []float64{1.049, 1.05, 1.051, 1.0505, 1.052}, 1, leastPhi, alpha)
	near.t = few.t
	for name, c := range map[string]struct {
		test   test
		family int
		code   string
	}{
		"few": {few, 1, "too_few_launches"}, "noisy": {noisy, 1, "noisy"}, "many": {noisy, 13, "min_p_unattainable"},
		"twelve": {noisy, 12, "noisy"}, "two groups": {two, 1, "bimodal"}, "near": {near, 1, "near_threshold"},
	} {
		if v, code, _ := decide(c.test, 1, 1, alpha, c.family, holm); v != Inconclusive || code != c.code {
			t.Errorf("%s: %s %s, want %s", name, v, code, c.code)
		}
	}
	if _, _, reason := decide(noisy, 1, 1, alpha, 1, holm); !strings.Contains(reason, "use more launches") {
		t.Errorf("launches: %s", reason)
	}
	folder := compareOccasions([]float64{1, 1.1}, 1.05, 0.01, 1, leastPhi, alpha)
	folder.t = few.t
	if _, code, reason := decide(folder, 1, 1, alpha, 1, holm); code != "noisy" || !strings.Contains(reason, "use more results in the baseline") {
		t.Errorf("occasions: %s: %s", code, reason)
	}
	alone := noisy
	alone.delta = 0.2
	if _, code, _ := decide(alone, 0.4, 1, alpha, 100, benjamini); code != "min_p_unattainable" {
		t.Errorf("20 %% slower, alone among 100 rows of 5 launches: %s", code)
	}
	apart := two
	apart.delta, apart.overlap = 0.3, false
	if v, _, _ := decide(apart, 0.001, 1, alpha, 1, holm); v != Regressed {
		t.Errorf("two groups, all of them worse: %s", v)
	}
	apart.overlap = true
	if v, code, _ := decide(apart, 0.001, 1, alpha, 1, holm); v != Inconclusive || code != "bimodal" {
		t.Errorf("two groups that overlap: %s", v)
	}
	apart.lo, apart.hi = 0.1, 0.5
	if v, _, _ := decide(apart, 0.001, 1, alpha, 1, holm); v != Regressed {
		t.Errorf("two groups that overlap, the whole interval beyond the threshold: %s", v)
	}
}
