package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// law makes a strong series that follows p, with noise between launches.
func law(t *testing.T, p usl, noise float64, launches int, counts ...int) result.Law {
	t.Helper()
	most := counts[len(counts)-1]
	b := newBench("default", make([]float64, most)...)
	b.random = rand.New(rand.NewPCG(5, uint64(most)))
	b.noise = noise
	for block := range launches {
		for _, n := range counts {
			devices := make([]int, n)
			for i := range devices {
				devices[i] = i
			}
			b.add("strong", block, 1000/p.at(float64(n)), 1000, devices...)
		}
	}
	_, laws, _ := Summary(b.res)
	if len(laws) != 1 {
		t.Fatalf("%d laws", len(laws))
	}
	return laws[0]
}

// TestIdentifiability is the table of measurement.md 2.4.
func TestIdentifiability(t *testing.T) {
	counts := []int{1, 2, 3, 4, 5, 6, 7, 8}
	p := usl{.05, .01, 1}
	for n := 2; n <= 8; n++ {
		l := law(t, p, 0.001, 7, counts[:n]...)
		if len(l.KarpFlatt) != n-1 || len(l.Counts) != n {
			t.Errorf("%d counts: %d Karp-Flatt values", n, len(l.KarpFlatt))
		}
		if l.Amdahl.Identifiable != (n >= 3) || l.USL.Identifiable != (n >= 5) {
			t.Errorf("%d counts: Amdahl %+v, USL %+v", n, l.Amdahl, l.USL)
		}
		want := fmt.Sprintf("not identifiable with %d counts", n)
		if n < 3 && (l.Amdahl.Reason != want || l.Amdahl.Value != nil) || n < 5 && (l.USL.Reason != want || l.USL.Sigma != nil) {
			t.Errorf("%d counts: %q, %q", n, l.Amdahl.Reason, l.USL.Reason)
		}
		if l.Gustafson != nil {
			t.Error("Gustafson's law of a strong series")
		}
	}
	if l := law(t, p, 0.001, 2, 1, 2, 3, 4, 5); l.USL.Identifiable { // pure-error df 5
		t.Error("5 counts with 2 launches identify USL")
	}
}

func TestFitsFindTheTruth(t *testing.T) {
	l := law(t, usl{.03, 0, 1}, 0.002, 7, 1, 2, 4, 8)
	if !l.Amdahl.Identifiable {
		t.Fatal(l.Amdahl.Reason)
	}
	near(t, "f", *l.Amdahl.Value, .03, .002)
	if !(*l.Amdahl.Low < .03 && .03 < *l.Amdahl.High) || *l.Amdahl.High-*l.Amdahl.Low > .004 {
		t.Errorf("f in [%g, %g]", *l.Amdahl.Low, *l.Amdahl.High)
	}
	k := l.KarpFlatt[2]
	near(t, "Karp-Flatt at 8", k.Value.Value, .03, .002)
	if k.Low == nil || *k.Low > k.Value.Value || *k.High < k.Value.Value {
		t.Error("Karp-Flatt has its interval the wrong way round")
	}
	l = law(t, usl{.05, .01, 1}, 0.002, 7, 1, 2, 3, 4, 6, 8, 12, 16)
	near(t, "sigma", *l.USL.Sigma, .05, .006)
	near(t, "kappa", *l.USL.Kappa, .01, .001)
	if l.USL.Peak == nil || math.Abs(l.USL.Peak.Value-math.Sqrt(.95/.01)) > .5 {
		t.Errorf("peak %+v", l.USL.Peak)
	}
	if hasCode(l.Warnings, "extrapolated") || hasCode(l.Warnings, "lack-of-fit") {
		t.Errorf("%v", l.Warnings)
	}
}

// TestPeakBeyondTheCounts: marked beyond the largest count, withheld beyond twice
// that (P4).
func TestPeakBeyondTheCounts(t *testing.T) {
	l := law(t, usl{.05, .01, 1}, 0.0005, 7, 1, 2, 3, 4, 5, 6) // N* = 9.7
	if l.USL.Peak == nil || l.USL.Peak.Low == nil || !hasCode(l.Warnings, "extrapolated") {
		t.Errorf("%+v %v", l.USL.Peak, l.Warnings)
	}
	l = law(t, usl{.05, .004, 1}, 0.0005, 7, 1, 2, 3, 4, 5, 6) // N* = 15.4
	if l.USL.KappaLow == nil || l.USL.Peak != nil || hasCode(l.Warnings, "extrapolated") {
		t.Errorf("%+v %v", l.USL, l.Warnings)
	}
}

func TestKappaNotDistinguishable(t *testing.T) {
	l := law(t, usl{.05, 0, 1}, 0.003, 7, 1, 2, 3, 4, 6, 8)
	u := l.USL
	if u.KappaLow != nil || u.KappaHigh == nil || !strings.Contains(u.Reason, "kappa not distinguishable from 0") || u.Peak != nil {
		t.Errorf("%+v", u)
	}
	l = law(t, usl{0, 0, 1}, 0.01, 7, 1, 2, 3, 4, 6, 8)
	if l.USL.Identifiable || !strings.Contains(l.USL.Reason, "upper bound") || l.USL.Sigma == nil {
		t.Errorf("%+v", l.USL)
	}
}

func TestLackOfFit(t *testing.T) {
	b := newBench("default", make([]float64, 8)...)
	for block := range 7 {
		for n, x := range map[int]float64{1: 1, 2: 2, 3: 3, 4: 4, 6: 2, 8: 7} { // a hole at 6
			b.add("strong", block, 1000/x, 1000, make([]int, n)...)
		}
	}
	if _, laws, _ := Summary(b.res); !hasCode(laws[0].Warnings, "lack-of-fit") {
		t.Errorf("%+v", laws[0].Warnings)
	}
}

func TestSuperlinear(t *testing.T) {
	b := newBench("default", 1, 1, 1, 1)
	for block := range 7 {
		b.add("strong", block, 1, 1000, 0)
		b.add("strong", block, 0.45, 1000, 0, 1)
		b.add("strong", block, 0.2, 1000, 0, 1, 2, 3)
	}
	_, laws, _ := Summary(b.res)
	l := laws[0]
	if !hasCode(l.Warnings, "superlinear") || *l.Amdahl.Value != 0 || l.Amdahl.Low != nil || l.KarpFlatt[0].Value.Value >= 0 {
		t.Errorf("%+v, f %+v", l.Warnings, l.Amdahl)
	}
}

// TestGustafson: the formula at N = 1024 (measurement.md 7.10), and the fit.
func TestGustafson(t *testing.T) {
	for s, want := range map[float64]float64{.01: 1013.77, .02: 1003.54, .03: 993.31, .04: 983.08} {
		near(t, "formula", 1024+(1-1024)*s, want, 0.005)
		near(t, "slope", slope([]point{{1, 1, 1}, {1024, want, 1}}), s, 5e-6)
	}
	b := newBench("default", make([]float64, 8)...)
	for block := range 7 {
		for _, n := range []int{1, 2, 4, 8} {
			speedup := float64(n) + float64(1-n)*.04
			b.add("weak", block, float64(n)/speedup, 1000*float64(n), make([]int, n)...)
		}
	}
	_, laws, _ := Summary(b.res)
	g := laws[0].Gustafson
	if laws[0].Amdahl != nil || !g.Identifiable {
		t.Fatalf("%+v", laws[0])
	}
	near(t, "s'", *g.Value, .04, .003)
	if !(*g.Low < *g.Value && *g.Value < *g.High) {
		t.Errorf("[%g, %g]", *g.Low, *g.High)
	}
}

func TestResamplerMatchesResampling(t *testing.T) {
	for _, n := range []int{5, 6, 7} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i * i)
		}
		source := rand.NewPCG(7, 7)
		fast, r := newResampler(values, source), rand.New(source)
		var a, b float64
		const draws = 40000
		for range draws {
			again := make([]float64, n)
			for i := range again {
				again[i] = values[r.IntN(n)]
			}
			a += Median(again) / draws
			b += fast.median() / draws
		}
		near(t, fmt.Sprintf("mean of the median of %d", n), b, a, 0.15)
	}
}
