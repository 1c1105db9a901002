package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestMannKendall(t *testing.T) {
	// Exact p for a strictly rising series of 10 is 2/10! = 5.5e-7; the normal
	// approximation gives S = 45, var = 125, z = 44/sqrt(125), p = 8.3e-5.
	rising := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if p := MannKendall(rising); math.Abs(p-8.3e-5) > 1e-6 {
		t.Errorf("rising: p = %g", p)
	}
	// With ties: 1 1 2 2 3 3: S = 12, var = (6*5*17 - 3*2*1*9)/18 = 25.33, z = 2.186.
	if p := MannKendall([]float64{1, 1, 2, 2, 3, 3}); math.Abs(p-0.0288) > 1e-3 {
		t.Errorf("ties: p = %g", p)
	}
	if p := MannKendall([]float64{4, 4, 4, 4}); p != 1 {
		t.Errorf("constant: p = %g", p)
	}
	// Under no trend p < 0.10 in about 10 % of the cases.
	rng := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range 2000 {
		x := make([]float64, 16)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		if MannKendall(x) < 0.10 {
			found++
		}
	}
	if found < 140 || found > 260 {
		t.Errorf("%d of 2000 series without a trend have p < 0.10", found)
	}
}

// Of parts only what happens within them counts: S = 2 * 10, var = 2 * 16.67.
func TestMannKendallOfParts(t *testing.T) {
	low, high := []float64{1, 2, 3, 4, 5}, []float64{11, 12, 13, 14, 15}
	want := math.Erfc(19 / math.Sqrt(2*50./3) / math.Sqrt2)
	if p := MannKendall(high, low); math.Abs(p-want) > 1e-12 {
		t.Errorf("p = %g, want %g", p, want)
	}
	if p := MannKendall([]float64{1, 1, 1}, []float64{2, 2, 2}, nil); p != 1 {
		t.Errorf("a step between parts: p = %g", p)
	}
	if v := SenSlope(high, low); v.Value != 1 || *v.Low != 1 || *v.High != 1 {
		t.Errorf("%+v", v)
	}
	if v := SenSlope([]float64{3}); !math.IsNaN(v.Value) || v.Low != nil {
		t.Errorf("%+v", v)
	}
	if v := SenSlope([]float64{3, 5}); v.Value != 2 || v.Low != nil {
		t.Errorf("two values: %+v", v)
	}
}

// The interval of the slope holds the true one in about 95 % of the cases.
func TestSenSlopeCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	hits := 0
	for range 1000 {
		x := make([]float64, 30)
		for i := range x {
			x[i] = .1*float64(i) + rng.NormFloat64()
		}
		if v := SenSlope(x[:12], x[12:]); v.Low != nil && *v.Low <= .1 && .1 <= *v.High {
			hits++
		}
	}
	if hits < 930 || hits > 980 {
		t.Errorf("%d of 1000 intervals hold the slope", hits)
	}
}
