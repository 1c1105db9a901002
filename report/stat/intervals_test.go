package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: %.10g, want %.10g within %g", what, got, want, tol)
	}
}

// TestMedianRanks: aclements/go-moremath, as tabulated in measurement.md 5.1.
func TestMedianRanks(t *testing.T) {
	for _, c := range []struct {
		n, lo, hi int
		percent   float64
	}{{6, 1, 6, 96.9}, {7, 1, 7, 98.4}, {8, 1, 7, 96.1}, {9, 2, 8, 96.1}, {10, 2, 9, 97.9}, {12, 3, 10, 96.1},
		{15, 4, 12, 96.5}, {20, 6, 15, 95.9}, {25, 8, 18, 95.7}, {30, 10, 21, 95.7}} {
		lo, hi, coverage, ok := MedianRanks(c.n)
		if !ok || lo != c.lo || hi != c.hi {
			t.Errorf("n %d: ranks %d,%d, want %d,%d", c.n, lo, hi, c.lo, c.hi)
		}
		near(t, "coverage", 100*coverage, c.percent, 0.05)
	}
	for n := range 6 {
		if _, _, _, ok := MedianRanks(n); ok {
			t.Errorf("%d values have an interval", n)
		}
	}
	if lo, hi, coverage, ok := MedianRanks(5000); !ok || coverage < 0.95 || hi-lo > 145 {
		t.Errorf("n 5000: %d..%d, %g", lo, hi, coverage)
	}
}

// TestAttainableLevels: golang/perf benchmath (measurement.md 7.8): a 95 % interval of
// the median needs six values and a 99 % one eight; the U test can reach .05 with four
// a side and .01 with five, and its smallest p is that of the exact permutation.
func TestAttainableLevels(t *testing.T) {
	for level, least := range map[float64]int{.95: 6, .99: 8} {
		for n := 1; n < 20; n++ {
			if _, _, coverage, ok := medianRanks(n, level); ok != (n >= least) || ok && coverage < level {
				t.Errorf("%g of the median of %d: %v, coverage %g", level, n, ok, coverage)
			}
		}
	}
	for alpha, least := range map[float64]int{.05: 4, .01: 5} {
		for n := 2; n < 12; n++ {
			low, high := make([]float64, n), make([]float64, n)
			for i := range n {
				low[i], high[i] = float64(i), float64(100+i)
			}
			p := MannWhitney(low, high).TwoSided
			near(t, "smallest p", p, 2*LeastP(n, n), 1e-12)
			if reached := p <= alpha; reached != (n >= least) {
				t.Errorf("%g with %d a side: p %g", alpha, n, p)
			}
		}
	}
}

// TestMedianInterval: golang/perf benchmath, {-10,2,3,4,5,6} at .95 (measurement.md 7.8).
func TestMedianInterval(t *testing.T) {
	xs := []float64{6, 2, 3, -10, 5, 4}
	m, ok := MedianInterval(xs)
	if !ok || m.Median != 3.5 || *m.Low != -10 || *m.High != 6 {
		t.Errorf("%+v", m)
	}
	if _, _, coverage, _ := MedianRanks(6); coverage != .96875 {
		t.Errorf("coverage %g", coverage)
	}
	if xs[0] != 6 {
		t.Error("the caller's values were sorted")
	}
	if m, _ := MedianInterval(xs[:5]); m.Low != nil || m.High != nil {
		t.Error("five values have an interval")
	}
	if _, ok := MedianInterval(nil); ok {
		t.Error("a median of nothing")
	}
}

// TestUK: the k table of measurement.md 5.2, and the attainable sizes of
// golang/perf benchmath (n >= 4 at .05, n >= 5 at .01).
func TestUK(t *testing.T) {
	for n, want := range map[int]int{3: 0, 4: 1, 5: 3, 6: 6, 7: 9, 8: 14, 10: 24} {
		if k := UK(n, n, 0.05); k != want {
			t.Errorf("%d against %d: k %d, want %d", n, n, k, want)
		}
	}
	if UK(4, 4, 0.01) != 0 || UK(5, 5, 0.01) == 0 {
		t.Error(".01 must be attainable from 5 a side on")
	}
	exact := UK(50, 50, 0.05)
	sigma := math.Sqrt(2500 * 101.0 / 12)
	if approx := int(math.Floor(1250 - 1.959963985*sigma + 0.5)); abs(exact-approx) > 1 {
		t.Errorf("at 50 the exact k %d and the approximation %d part", exact, approx)
	}
}

// TestMannWhitney: aclements/go-moremath utest_test.go (measurement.md 7.8).
func TestMannWhitney(t *testing.T) {
	var big1, big2 []float64
	for i := range 500 {
		big1 = append(big1, float64(2*i))
	}
	for i := range 600 {
		big2 = append(big2, float64(2*i-41))
	}
	four := []float64{2, 1, 3, 5}
	none := math.NaN()
	for _, c := range []struct {
		a, b                 []float64
		u, less, two, greate float64
		tol                  float64
	}{
		{four, []float64{12, 11, 13, 15}, 0, .0142857, .0285714, none, 5e-8},
		{four, []float64{0, 4, 6, 7}, 5, .2428571, .4857143, .8285714, 5e-8},
		{big1, big2, 135250, .0024667680, .0049335361, .9975346930, 5e-11},
		{four, []float64{1, 1, 1, 1, 1}, none, none, .0476, none, 5e-5}, // ties and unequal sizes
	} {
		p := MannWhitney(c.a, c.b)
		for _, v := range [][2]float64{{p.U, c.u}, {p.Less, c.less}, {p.TwoSided, c.two}, {p.Greater, c.greate}} {
			if !math.IsNaN(v[1]) {
				near(t, "Mann-Whitney", v[0], v[1], c.tol)
			}
		}
	}
	if p := MannWhitney(nil, four); !math.IsNaN(p.TwoSided) {
		t.Error("a p-value of nothing")
	}
	if p := MannWhitney([]float64{1, 1}, []float64{1, 1}); p.TwoSided != 1 || p.Less != 1 {
		t.Errorf("alike: %+v", p)
	}
}

// The json rows of golang/perf cmd/benchstat/main.go (measurement.md 7.7), ns/op.
var (
	jsonOld = []float64{1726, 1723, 1707, 1707, 1713, 1729, 1736, 1707, 1705, 1774}
	jsonNew = []float64{1423, 1416, 1411, 1413, 1412, 1426, 1422, 1424, 1447, 1425}
)

// TestBenchstatRows: medians, intervals and change as benchstat prints them
// (golang/perf cmd/benchstat/main.go, measurement.md 7.7).
func TestBenchstatRows(t *testing.T) {
	near(t, "old median", Median(jsonOld), 1718, 0.5)
	near(t, "new median", Median(jsonNew), 1423, 0.5)
	near(t, "change %", 100*(Median(jsonNew)/Median(jsonOld)-1), -17.20, 0.005)
	near(t, "p", MannWhitney(jsonOld, jsonNew).TwoSided, 0, 0.0005)
	for _, xs := range [][]float64{jsonOld, jsonNew} {
		m, _ := MedianInterval(xs)
		side := max(m.Median-*m.Low, *m.High-m.Median) / m.Median
		near(t, "+- %", math.Round(100*side), 1, 0)
	}
	v, ok := Ratio(jsonNew, jsonOld)
	if !ok || *v.Low < .8170 || *v.High > .8345 || v.Value < *v.Low || v.Value > *v.High {
		t.Errorf("Hodges-Lehmann %v [%v, %v]", v.Value, *v.Low, *v.High)
	}
}

// TestRatioIsTheSortedList compares the bisection with the plain definition.
func TestRatioIsTheSortedList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		num, den := make([]float64, 1+r.IntN(60)), make([]float64, 1+r.IntN(60))
		for _, xs := range [][]float64{num, den} {
			for i := range xs {
				xs[i] = 1 + float64(r.IntN(40))/16 // ties on purpose
			}
		}
		var d []float64
		for _, y := range num {
			for _, x := range den {
				d = append(d, math.Log(y)-math.Log(x))
			}
		}
		slices.Sort(d)
		v, _ := Ratio(num, den)
		near(t, "estimate", v.Value, math.Exp(medianSorted(d)), 1e-15)
		if k := UK(len(num), len(den), 0.05); k > 0 {
			near(t, "low", *v.Low, math.Exp(d[k-1]), 0)
			near(t, "high", *v.High, math.Exp(d[len(d)-k]), 0)
		} else if v.Low != nil {
			t.Error("an interval that is not attainable")
		}
	}
	if _, ok := Ratio(nil, []float64{1}); ok {
		t.Error("a ratio of nothing")
	}
}

func TestPairedRatio(t *testing.T) {
	// Differences of logs known exactly: Walsh averages of 1..6 times ln 2.
	num, den := make([]float64, 6), make([]float64, 6)
	for i := range num {
		den[i] = 3
		num[i] = 3 * math.Exp2(float64(i+1))
	}
	v, ok := PairedRatio(num, den)
	if !ok {
		t.Fatal("no estimate from 6 pairs")
	}
	near(t, "estimate", v.Value, math.Exp2(3.5), 1e-12)
	near(t, "low", *v.Low, 2, 1e-12) // k = 1 at n = 6: smallest and largest
	near(t, "high", *v.High, 64, 1e-12)
	if _, ok := PairedRatio(num[:5], den[:5]); ok {
		t.Error("five pairs have an interval")
	}
	// Critical values of the signed rank test at .05 two-sided (Wilcoxon tables): k-1.
	for n, want := range map[int]int{5: 0, 6: 1, 7: 3, 8: 4, 9: 6, 10: 9, 15: 26, 20: 53} {
		if k := WilcoxonK(n, 0.05); k != want {
			t.Errorf("n %d: k %d, want %d", n, k, want)
		}
	}
}

// TestCoverage: the nominal 95 % hold for identical sides (measurement.md 5.5).
func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const runs = 2000
	hit, paired := 0, 0
	for range runs {
		a, b := make([]float64, 10), make([]float64, 10)
		for i := range a {
			a[i], b[i] = math.Exp(0.02*r.NormFloat64()), math.Exp(0.02*r.NormFloat64())
		}
		if v, _ := Ratio(a, b); *v.Low <= 1 && 1 <= *v.High {
			hit++
		}
		if v, _ := PairedRatio(a, b); *v.Low <= 1 && 1 <= *v.High {
			paired++
		}
	}
	near(t, "two-sample coverage", float64(hit)/runs, 0.957, 0.02)
	near(t, "paired coverage", float64(paired)/runs, 0.951, 0.02)
}
