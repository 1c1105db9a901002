package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

func pts(n, x []float64) []point {
	out := make([]point, len(n))
	for i := range n {
		out[i] = point{n[i], x[i], 1}
	}
	return out
}

func relative(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	near(t, what, got, want, tol*math.Abs(want))
}

func misra() []point {
	return pts([]float64{77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0},
		[]float64{10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78})
}

// TestMisra1d: NIST StRD Misra1d, certified values; USL with kappa 0 after
// sigma = b2/(1+b2), gamma = b1 sigma (measurement.md 7.1).
func TestMisra1d(t *testing.T) {
	data := misra()
	p := fitUSL(data, false)
	relative(t, "b2", p.sigma/(1-p.sigma), 3.0227324449e-4, 1e-9)
	relative(t, "b1", p.gamma/p.sigma, 4.3736970754e2, 1e-9)
	relative(t, "rss", p.rss(data), 5.6419295283e-2, 1e-9)
	near(t, "kappa", p.kappa, 0, 0)
	relative(t, "residual sd", math.Sqrt(p.rss(data)/12), 6.8568272111e-2, 1e-9)
	q := fitUSL(data, true)
	se, ok := q.errors(data, true)
	if !ok {
		t.Fatal("no standard errors")
	}
	b2 := q.sigma / (1 - q.sigma) // d b2 = d sigma / (1-sigma)^2
	relative(t, "sd of b2", se[0]*(1+b2)*(1+b2), 2.9334354479e-6, 1e-6)
}

// The raytracer of cran/usl (SGI Origin 2000, Gunther 2007; measurement.md 7.2).
var (
	rayN = []float64{1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64}
	rayX = []float64{20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310}
)

// TestRaytracer: the fits of cran/usl 3.0.3 (vignette, tests/confint,
// tests/warn-accuracy; measurement.md 7.2). More of them are in TestRaytracerMore.
func TestRaytracer(t *testing.T) {
	data := pts(rayN, rayX)
	p := fitUSL(data, false)
	se, _ := p.errors(data, false)
	near(t, "alpha", p.sigma, .057771, 5e-7)
	near(t, "beta", p.kappa, 0, 5e-7)
	near(t, "gamma", p.gamma, 21.848843, 5e-7)
	near(t, "SE alpha", se[0], .013293, 5e-7)
	near(t, "SE beta", se[1], .000118, 5e-7)
	near(t, "SE gamma", se[2], 2.196165, 5e-7)
	near(t, "residual SE", math.Sqrt(p.rss(data)/8), 9.34, 0.005)
	near(t, "limit", p.gamma/p.sigma, 378, 0.5)
	near(t, "predict 96", p.at(96), 323.3, 0.05)
	near(t, "predict 128", p.at(128), 335.5, 0.05)
	q := fitUSL(data[:6], false)
	near(t, "alpha of 6", q.sigma, .02444404, 5e-9)
	near(t, "beta of 6", q.kappa, .00162680928, 5e-10)
	near(t, "gamma of 6", q.gamma, 20.8560453, 5e-7)
	r := fitUSL(data[:5], false)
	near(t, "alpha of 5", r.sigma, .02789501, 5e-9)
	near(t, "beta of 5", r.kappa, .00146080, 5e-9)
}

// ciscoX is the Cisco benchmark of codahale/usl4j (Schwartz), N = 1..32
// (measurement.md 7.3).
var ciscoX = []float64{955.16, 1878.91, 2688.01, 3548.68, 4315.54, 5130.43, 5931.37, 6531.08, 7219.8, 7867.61, 8278.71,
	8646.7, 9047.84, 9426.55, 9645.37, 9897.24, 10097.6, 10240.5, 10532.39, 10798.52, 11151.43, 11518.63, 11806, 12089.37,
	12075.41, 12177.29, 12211.41, 12158.93, 12155.27, 12118.04, 12140.4, 12074.39}

func ciscoN() []float64 {
	n := make([]float64, len(ciscoX))
	for i := range n {
		n[i] = float64(i + 1)
	}
	return n
}

// TestCisco: the fit of codahale/usl4j ModelTest.java (measurement.md 7.3).
func TestCisco(t *testing.T) {
	p := fitUSL(pts(ciscoN(), ciscoX), false)
	relative(t, "sigma", p.sigma, .02671591, 1e-5)
	relative(t, "kappa", p.kappa, 7.690945e-4, 1e-5)
	relative(t, "gamma", p.gamma, 995.6486, 1e-5)
	near(t, "peak", math.Floor(math.Sqrt((1-p.sigma)/p.kappa)), 35, 0)
	relative(t, "X(20)", p.at(20), 11063.63312570436, 1e-5)
	relative(t, "X(35)", p.at(35), 12341.745655201905, 1e-5)
}

// TestSynthetic: cran/usl tests/coef.R (measurement.md 7.4).
func TestSynthetic(t *testing.T) {
	p := fitUSL(pts([]float64{1, 2, 4, 6, 8, 10}, []float64{1, 1.8868, 3.0769, 3.5294, 3.5398, 3.3557}), false)
	near(t, "sigma", p.sigma, .02, 5e-5)
	near(t, "kappa", p.kappa, .02, 5e-5)
	near(t, "gamma", p.gamma, 1, 5e-3)
	near(t, "peak", math.Sqrt((1-p.sigma)/p.kappa), 7, 1e-3)
}

// TestAmdahlFormula: arithmetic at N = 1024 (measurement.md 7.10).
func TestAmdahlFormula(t *testing.T) {
	for f, want := range map[float64]float64{.01: 91.18, .02: 47.72, .04: 24.43} {
		near(t, "Amdahl", usl{f, 0, 1}.at(1024), want, 0.005)
	}
}

func TestFitScale(t *testing.T) {
	// Rates of 1e14 and 1e-9 must fit as well as those near 1.
	for _, scale := range []float64{1e-9, 1, 1e14} {
		var data []point
		for _, n := range []float64{1, 2, 4, 8} {
			x := usl{.03, 0, scale}.at(n)
			data = append(data, point{n, x, 1 / (x * x)})
		}
		p := fitUSL(data, true)
		near(t, "f", p.sigma, .03, 1e-8)
		relative(t, "gamma", p.gamma, scale, 1e-8)
	}
}

// TestRefit: from the first fit to resampled points, refit finds what a full fit finds.
func TestRefit(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	projected := 0
	for range 300 {
		truth := usl{.1 * r.Float64(), .01 * r.Float64() * float64(r.IntN(2)), math.Exp(30 * r.NormFloat64())}
		var first, again []point
		for _, n := range []float64{1, 2, 3, 4, 6, 8, 12} {
			x := truth.at(n)
			first = append(first, point{n, x * (1 + .01*r.NormFloat64()), 1 / (x * x)})
			again = append(again, point{n, x * (1 + .01*r.NormFloat64()), 1 / (x * x)})
		}
		for _, amdahl := range []bool{true, false} {
			full, quick := fitUSL(again, amdahl), refit(again, fitUSL(first, amdahl), amdahl)
			if _, ok := project(again, fitUSL(first, amdahl), amdahl); ok {
				projected++
			}
			near(t, "sigma", quick.sigma, full.sigma, 2e-5)
			near(t, "kappa", quick.kappa, full.kappa, 2e-6)
			relative(t, "gamma", quick.gamma, full.gamma, 2e-5)
			if quick.rss(again) > full.rss(again)*(1+1e-6) {
				t.Errorf("rss %g against %g", quick.rss(again), full.rss(again))
			}
		}
	}
	if projected < 540 {
		t.Errorf("the fast way found %d of 600 refits", projected)
	}
}
