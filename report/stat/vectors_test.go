package stat

import (
	"fmt"
	"math"
	"testing"
)

// TestPOPFactors: EPOCH strong scaling, numericalalgorithmsgroup/pypop
// examples/mpi/epoch_example_traces/modelfactors.csv (measurement.md 7.5): all 55
// outputs, from the inputs alone, by the function that splits our own times.
func TestPOPFactors(t *testing.T) {
	type column struct{ wall, ideal, average, largest, total, idealLargest, instructions, cycles float64 }
	processes := []float64{1, 2, 4, 8, 16}
	in := []column{
		{21898659.14, 21884758.97, 21882362.82, 21882362.82, 21882362.82, 21884758.97, 84790848422, 45294421893},
		{11528373.56, 11504370.09, 11456696.18, 11484151.34, 22913392.37, 11486234.50, 87640358419, 46855679955},
		{6082352.21, 6051059.08, 5921167.02, 5999910.80, 23684668.07, 6002862.00, 88518412143, 47406198069},
		{3513565.33, 3486349.43, 3362753.84, 3421581.67, 26902030.73, 3426454.46, 90063308642, 51191361663},
		{2339560.72, 2310335.96, 2226119.73, 2242981.13, 35617915.65, 2263040.22, 93158874793, 60494538119},
	}
	want := map[string][]float64{
		"PE":          {99.925583, 99.378252, 97.349953, 95.707736, 95.151184},
		"LB":          {100, 99.760930, 98.687584, 98.280683, 99.248259},
		"CommE":       {99.925583, 99.616405, 98.644580, 97.382042, 95.871892},
		"SerE":        {100, 99.842359, 99.203493, 98.282015, 97.952863},
		"TrE":         {99.925583, 99.773690, 99.436599, 99.084296, 97.875538},
		"CompScale":   {100, 95.500319, 92.390414, 81.340933, 61.436394},
		"GE":          {99.925583, 94.906548, 89.942024, 77.849566, 58.457456},
		"IPC scale":   {100, 99.916598, 99.745711, 93.982492, 82.262861},
		"instr scale": {100, 96.748633, 95.788940, 94.145829, 91.017467},
		"freq scale":  {100, 98.792129, 96.697961, 91.930815, 82.053509},
		"speedup":     {1, 1.899545, 3.600360, 6.232603, 9.360158},
	}
	outputs := 0
	// POP takes serialization from a replay on an ideal network; transfer is the rest
	// of the communication efficiency. Device time and wall time are one here.
	times := func(c column) sums {
		return sums{total: c.total, largest: c.largest, critical: c.largest * c.ideal / c.idealLargest, device: c.wall, wall: c.wall}
	}
	ref := in[0]
	base := split(times(ref), times(ref), 1, 1, 1, 1, true)
	for i, c := range in {
		n := processes[i]
		f := split(times(c), times(ref), n, 1, ref.instructions/c.instructions, c.cycles/c.total/(ref.cycles/ref.total), true)
		got := map[string]float64{"PE": 100 * f[parallel], "LB": 100 * f[loadBalance], "CommE": 100 * f[serialization] * f[transferring],
			"SerE": 100 * f[serialization], "TrE": 100 * f[transferring], "CompScale": 100 * f[computation], "GE": 100 * f[global],
			"IPC scale": 100 * f[rating], "instr scale": 100 * f[working], "freq scale": 100 * f[clocking], "speedup": ref.wall / c.wall}
		for name, value := range got {
			// 5e-7 in the printed unit; useful times are printed to 0.01 us themselves.
			near(t, fmt.Sprintf("%s on %g", name, n), value, want[name][i], 5e-7)
			outputs++
		}
		near(t, "average", c.total/n, c.average, 0.011)
		near(t, "orchestration", f[orchestration], 1, 0)
		near(t, "identity", f[global]/base[global], ref.wall/c.wall/n, 1e-9) // A1
	}
	if outputs != 55 {
		t.Errorf("%d outputs, want 55", outputs)
	}
}

// TestDGX2Single: fp32 of NVIDIA/DeepLearningExamples MxNet RN50v1.5 on 16x V100,
// and the USL fit of the mixed series (measurement.md 7.6).
func TestDGX2Single(t *testing.T) {
	counts := []float64{1, 2, 4, 8, 16}
	x := []float64{417, 821, 1623, 3223, 6338}
	for i, want := range []float64{1, 1.96, 3.892, 7.72, 15.19} {
		near(t, "speedup", x[i]/x[0], want, .01)
	}
	p := fitUSL(pts(counts, []float64{1492, 2935, 5726, 11368, 21484}), false)
	se, ok := p.errors(pts(counts, []float64{1492, 2935, 5726, 11368, 21484}), false)
	if !ok {
		t.Fatal("no standard errors")
	}
	half := student(len(counts) - 3)
	near(t, "sigma", p.sigma, .0016, 5e-5)
	near(t, "sigma low", p.sigma-half*se[0], -.014, 5e-4)
	near(t, "sigma high", p.sigma+half*se[0], .017, 5e-4)
	near(t, "kappa", p.kappa, .00025, 5e-6)
	near(t, "kappa low", p.kappa-half*se[1], -.0005, 5e-5)
	near(t, "kappa high", p.kappa+half*se[1], .0010, 5e-5)
}

// TestRaytracerMore: cran/usl vignette, tests/confint, and the transformed fit of
// usl 1.8.0 (tests/t05), a method kept in this test alone (measurement.md 7.2, S13).
func TestRaytracerMore(t *testing.T) {
	data := pts(rayN, rayX)
	p := fitUSL(data, false)
	for i, want := range []float64{.9154, .8925, .7437, .6484, .5435, .4577, .4005, .3760, .3719, .2670, .2217} {
		near(t, "X / (gamma N)", rayX[i]/(p.gamma*rayN[i]), want, 5e-5)
	}
	near(t, "N optimal", 1/p.sigma, 17.3, .05)
	near(t, "X there", p.at(1/p.sigma), 195, .5)
	if !math.IsInf(peakOf(p), 1) {
		t.Errorf("a peak at %g", peakOf(p))
	}
	q := fitUSL(data[:6], false)
	se, _ := q.errors(data[:6], false)
	near(t, "SE alpha of 6", se[0], .0083907, 5e-8)
	near(t, "SE beta of 6", se[1], .0002614, 5e-8)
	near(t, "SE gamma of 6", se[2], .788506, 5e-7)
	near(t, "gamma of 5", fitUSL(data[:5], false).gamma, 21.0593258, 5e-8)

	// y = N X(1)/X - 1 on x = N - 1: y = kappa x^2 + (sigma + kappa) x.
	var s11, s12, s22, s1y, s2y float64
	for i, n := range rayN {
		x := n - 1
		y := n*rayX[0]/rayX[i] - 1
		s11, s12, s22 = s11+x*x, s12+x*x*x, s22+x*x*x*x
		s1y, s2y = s1y+x*y, s2y+x*x*y
	}
	det := s11*s22 - s12*s12
	linear, square := (s1y*s22-s2y*s12)/det, (s2y*s11-s1y*s12)/det
	near(t, "sigma transformed", linear-square, .050023944, 5e-10)
	near(t, "kappa transformed", square, .000004708, 5e-10)
}

// TestMisra1dParameter: the certified standard deviation of b1 = gamma/sigma (NIST
// StRD, measurement.md 7.1).
func TestMisra1dParameter(t *testing.T) {
	q := fitUSL(misra(), true)
	c, ok := q.covariance(misra(), true)
	if !ok {
		t.Fatal("no covariance")
	}
	relative(t, "sd of b1", spread(c, [3]float64{-q.gamma / (q.sigma * q.sigma), 0, 1 / q.sigma}), 3.6489174345, 1e-6)
	relative(t, "residual sd", math.Sqrt(q.rss(misra())/12), 6.8568272111e-2, 1e-9)
}

// TestCiscoTimes: N/X of codahale/usl and usl-rs (measurement.md 7.3).
func TestCiscoTimes(t *testing.T) {
	p := fitUSL(pts(ciscoN(), ciscoX), false)
	relative(t, "X(1)", p.at(1), 995.648772003358, 1e-5)
	for n, want := range map[float64]float64{1: .0010043702, 20: .0018077244, 35: .0028359035} {
		relative(t, "R", n/p.at(n), want, 1e-5)
	}
}

// TestFieller and TestMedianRatio: golang/perf benchstat's json rows (7.7).
func TestFieller(t *testing.T) {
	v, ok := Fieller(jsonNew, jsonOld)
	if !ok || v.Low == nil {
		t.Fatal("no interval")
	}
	near(t, "low", *v.Low, .8170, 5e-5)
	near(t, "high", *v.High, .8339, 5e-5)
	if v, ok := Fieller([]float64{1, 2}, []float64{-1, 1.1}); !ok || v.Low != nil {
		t.Errorf("a denominator around 0 has an interval: %+v", v)
	}
	if _, ok := Fieller([]float64{1}, jsonOld); ok {
		t.Error("a variance of one value")
	}
}

func TestMedianRatio(t *testing.T) {
	v, ok := MedianRatio(jsonNew, jsonOld)
	if !ok || v.Low == nil {
		t.Fatal("no interval")
	}
	near(t, "low", *v.Low, .8194, .002)
	near(t, "high", *v.High, .8342, .002)
	if _, ok := MedianRatio(nil, jsonOld); ok {
		t.Error("a ratio of nothing")
	}
	if v, ok := MedianRatio([]float64{2}, []float64{1}); !ok || v.Value != 2 || v.Low != nil {
		t.Errorf("%+v", v)
	}
}

// TestMultiplicity: juliangehring/MultipleTesting.jl; the last row is the example of
// Benjamini and Hochberg 1995 (measurement.md 7.9).
func TestMultiplicity(t *testing.T) {
	for _, c := range []struct{ p, holm, bh []float64 }{
		{[]float64{0, .0001, .001, .01, .05, .1, .2, .4, .75, 1}, []float64{0, .0009, .008, .07, .3, .5, .8, 1, 1, 1},
			[]float64{0, .0005, .01 / 3, .025, .1, .5 / 3, 2. / 7, .5, .75 / .9, 1}},
		{[]float64{.0001, .0001, .001, .01, .05, .1, .1, .4, .75, 1}, []float64{.001, .001, .008, .07, .3, .5, .5, 1, 1, 1},
			[]float64{.0005, .0005, .01 / 3, .025, .1, 1. / 7, 1. / 7, .5, .75 / .9, 1}},
	} {
		// Any order must give the same, so the rows come backwards too.
		for _, reverse := range []bool{false, true} {
			at := func(i int) int {
				if reverse {
					return len(c.p) - 1 - i
				}
				return i
			}
			ps := make([]float64, len(c.p))
			for i := range ps {
				ps[i] = c.p[at(i)]
			}
			for i := range ps {
				near(t, "Holm", Holm(ps)[i], c.holm[at(i)], 1e-9)
				near(t, "BH", BenjaminiHochberg(ps)[i], c.bh[at(i)], 1e-9)
			}
		}
	}
	ps := []float64{.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344, .0459, .3240, .4262, .5719, .6528, .7590, 1}
	rejected := func(adjusted []float64) (n int) {
		for _, p := range adjusted {
			if p <= .05 {
				n++
			}
		}
		return n
	}
	if bh, holm := rejected(BenjaminiHochberg(ps)), rejected(Holm(ps)); bh != 4 || holm != 3 {
		t.Errorf("BH rejects %d, Holm %d; want 4 and 3", bh, holm)
	}
}

// TestLargestFamily is the table of measurement.md G5.
func TestLargestFamily(t *testing.T) {
	for l, want := range map[int][2]int{4: {3, 1}, 5: {12, 6}, 6: {46, 23}, 7: {171, 85}, 8: {643, 321}, 10: {9237, 4618}} {
		if one, two := LargestFamily(l, l, .05), LargestFamily(l, l, .025); one != want[0] || two != want[1] {
			t.Errorf("%d launches: %d and %d comparisons, want %v", l, one, two, want)
		}
	}
}
