package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// TestTRatio checks the formulas on numbers done by hand.
func TestTRatio(t *testing.T) {
	exp := func(xs ...float64) []float64 {
		for i := range xs {
			xs[i] = math.Exp(xs[i])
		}
		return xs
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%s is %.8f, want %.8f", what, got, want)
		}
	}
	// Differences .1, .2, .3: mean .2, standard error .1/sqrt(3), t(.975, 2) = 4.30265273.
	v, ok := TRatio(exp(.1, .3, .5), exp(0, .1, .2), true)
	if !ok || v.Method != result.StudentT {
		t.Fatal(v, ok)
	}
	near("paired", math.Log(v.Value), .2)
	near("its lower end", math.Log(*v.Low), .2-4.30265273*.1/math.Sqrt(3))
	near("its upper end", math.Log(*v.High), .2+4.30265273*.1/math.Sqrt(3))
	// Variances .04 and .01 of three each: standard error sqrt(.05/3), 2.94117647 degrees of freedom.
	v, ok = TRatio(exp(.1, .3, .5), exp(0, .1, .2), false)
	if !ok {
		t.Fatal(v)
	}
	near("Welch", math.Log(v.Value), .2)
	near("half its width over the standard error", (math.Log(*v.High)-.2)/math.Sqrt(.05/3), 3.2187586)
	for _, x := range [][2][]float64{{{1, 2}, {1, 2}}, {{1}, {1, 2, 3}}, {{2, 2, 2}, {1, 1, 1}}} {
		for _, paired := range []bool{true, false} {
			if v, ok := TRatio(x[0], x[1], paired); ok {
				t.Errorf("%v gives %v", x, v)
			}
		}
	}
}

// TestTIsNoBasis: the interval of three launches is there and named; whatever decides
// sees none.
func TestTIsNoBasis(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 0))
	for launches, method := range map[int]string{2: "", 3: result.StudentT, 4: "", 5: "", 7: ""} {
		b := sweep(noises[0], r, "strong", launches, 1.2, 0)
		row := b.row(t, "strong", 4)
		for name, v := range map[string]*result.Value{"efficiency": row.Efficiency, "speedup": row.Speedup} {
			low, high := v.Firm()
			if v.Method != method || (low == nil) != (launches < 4) || (high == nil) != (launches < 4) || (v.Low == nil) != (launches < 3) {
				t.Errorf("%d launches, %s: %+v, method %q", launches, name, v, v.Method)
			}
		}
		warned := map[string]bool{}
		for _, w := range row.Warnings {
			warned[w.Code] = true
		}
		if warned["few-launches"] != (launches < 4) || warned["superlinear"] != (launches >= 4) {
			t.Errorf("%d launches at an efficiency of 1.2: %v", launches, row.Warnings)
		}
	}
}

// TestCoverageOfT: over three launches Student's interval covers 93 % where what launches
// differ by is symmetric, which a ratio of two equally noisy sides is. Where the sides differ
// and one of them has two modes it does not: all three launches are in the same one in a
// quarter of the cases. That is why nothing rests on it, and from six launches on no such assumption is made.
func TestCoverageOfT(t *testing.T) {
	const truth = .9
	modes := noises[2]
	for k, n := range append(slices.Clone(noises), noise{name: "team bimodal"}) {
		two, base := n, n
		if n.between == nil {
			two, base = modes, noises[0]
		}
		r := rand.New(rand.NewPCG(27, uint64(k)))
		paired, welch := 0, 0
		for range coverageRuns {
			num, den := make([]float64, 3), make([]float64, 3)
			for i := range num {
				num[i], den[i] = two.launchMedian(r, truth), base.launchMedian(r, 1)
			}
			if v, _ := TRatio(num, den, true); *v.Low <= truth && truth <= *v.High {
				paired++
			}
			if v, _ := TRatio(num, den, false); *v.Low <= truth && truth <= *v.High {
				welch++
			}
		}
		for form, hits := range map[string]int{"paired": paired, "Welch": welch} {
			share := float64(hits) / coverageRuns
			t.Logf("%s, 3 + 3 launches, %s: %.1f %%", form, n.name, 100*share)
			switch {
			case n.between != nil && share < .93:
				t.Errorf("%s, %s: covers %.3f", form, n.name, share)
			case n.between == nil && (share < .70 || share > .85):
				t.Errorf("%s, %s: covers %.3f, docs/method.md says about 80 and 77 %%", form, n.name, share)
			}
		}
	}
}

// TestCoverageOfTEfficiency goes through Summary, strong and weak.
func TestCoverageOfTEfficiency(t *testing.T) {
	const truth, runs = .9, 1500
	for m, mode := range []string{"strong", "weak"} {
		for k, n := range noises {
			r := rand.New(rand.NewPCG(28, uint64(10*m+k)))
			efficiency, speedup := 0, 0
			for range runs {
				row := sweep(n, r, mode, 3, truth, 0).row(t, mode, 4)
				if e := row.Efficiency; *e.Low <= truth && truth <= *e.High {
					efficiency++
				}
				if s := row.Speedup; *s.Low <= 4*truth && 4*truth <= *s.High {
					speedup++
				}
			}
			share := float64(efficiency) / runs
			t.Logf("%s, 3 launches, %s: %.1f %%", mode, n.name, 100*share)
			if share < .93 || efficiency != speedup {
				t.Errorf("%s, %s: covers %.3f of efficiencies, %d and %d", mode, n.name, share, efficiency, speedup)
			}
		}
	}
}
