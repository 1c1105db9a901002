package measure

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestPrecise(t *testing.T) {
	five := []float64{1, 1, 1, 1, 1}
	if precise(five, 0.5) || precise(nil, 0.5) {
		t.Error("up to 5 samples have no interval")
	}
	// n = 8: ranks 1 and 7, half-width (1.03-1)/2 of the median 1.01.
	eight := []float64{1.05, 1, 1.01, 1.01, 1.01, 1.01, 1.02, 1.03}
	if !precise(eight, 0.0149) || precise(eight, 0.0148) {
		t.Error("half-width of 8 samples")
	}
}

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
