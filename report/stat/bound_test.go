package stat

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// fitterOf has launches of each rate with a relative scatter.
func fitterOf(counts []int, rates []float64, scatter float64, launches int) *fitter {
	r := rand.New(rand.NewPCG(4, 4))
	f := &fitter{top: counts[len(counts)-1]}
	for i, n := range counts {
		c := column{count: n}
		for range launches {
			c.values = append(c.values, rates[i]*(1+scatter*r.NormFloat64()))
		}
		f.cols = append(f.cols, c)
	}
	return f
}

// TestParameterOnItsBound: one end, on the side where the parameter may be, neither
// missing nor equal to the value (measurement.md P6).
func TestParameterOnItsBound(t *testing.T) {
	few, many := []int{1, 2, 4}, []int{1, 2, 3, 4, 6, 8}
	same := func(xs []int, rate func(n float64) float64) (out []float64) {
		for _, n := range xs {
			out = append(out, rate(float64(n)))
		}
		return out
	}
	slower := func(n float64) float64 { return 1 / n }               // f = 1: no gain, only loss
	linear := func(n float64) float64 { return n * (1 + .02*(n-1)) } // superlinear: f = 0
	for name, c := range map[string]struct {
		fit   *result.Fit
		bound string
		value float64
	}{
		"Amdahl, slower":        {fitterOf(few, same(few, slower), .003, 7).amdahl(), result.OnUpper, 1},
		"Amdahl, superlinear":   {fitterOf(few, same(few, linear), .003, 7).amdahl(), result.OnLower, 0},
		"Amdahl, one value":     {fitterOf(few, same(few, linear), 0, 1).amdahl(), result.OnLower, 0},
		"Amdahl, two launches":  {fitterOf(few, same(few, slower), .003, 2).amdahl(), result.OnUpper, 1},
		"Gustafson, ideal":      {fitterOf(few, same(few, func(n float64) float64 { return n * (1 + 2e-3*(n-1)) }), .005, 7).gustafson(1), result.OnLower, 0},
		"Gustafson, one value":  {fitterOf(few, same(few, linear), 0, 1).gustafson(1), result.OnLower, 0},
		"Gustafson, all serial": {fitterOf(few, same(few, func(n float64) float64 { return 1 - 1e-3*(n-1) }), .003, 7).gustafson(1), result.OnUpper, 1},
	} {
		f := c.fit
		if f.Bound != c.bound || *f.Value != c.value {
			t.Errorf("%s: %g, bound %q", name, *f.Value, f.Bound)
			continue
		}
		other, end := f.Low, f.High
		if c.bound == result.OnUpper {
			other, end = f.High, f.Low
		}
		if other != nil || end == nil || *end == c.value || *end < 0 || *end > 1 {
			t.Errorf("%s: low %v, high %v", name, f.Low, f.High)
		}
	}
	u, _ := fitterOf(many, same(many, linear), .003, 7).usl()
	if u.SigmaBound != result.OnLower || u.KappaBound != result.OnLower || u.SigmaLow != nil || u.KappaLow != nil ||
		u.SigmaHigh == nil || u.KappaHigh == nil || !(*u.SigmaHigh > 0 && *u.KappaHigh > 0) {
		t.Errorf("USL, superlinear: %+v", u)
	}
	u, _ = fitterOf(many, same(many, slower), .003, 7).usl()
	if u.SigmaBound == result.OnUpper && (u.SigmaHigh != nil || u.SigmaLow == nil || *u.SigmaLow == 1) {
		t.Errorf("USL, slower: sigma %g, %v, %v", *u.Sigma, u.SigmaLow, u.SigmaHigh)
	}
	if u.KappaBound == "" && (u.KappaLow == nil || u.KappaHigh == nil || *u.KappaHigh > 1) {
		t.Errorf("USL, slower: kappa %g, %v, %v", *u.Kappa, u.KappaLow, u.KappaHigh)
	}
	if u.SigmaBound == "" && u.KappaBound == "" {
		t.Error("neither parameter of a machine that only loses ends on its bound")
	}
	// Away from the bounds both ends are there.
	f := fitterOf(few, same(few, usl{.1, 0, 1}.at), .003, 7).amdahl()
	if f.Bound != "" || f.Low == nil || f.High == nil || !(*f.Low < *f.Value && *f.Value < *f.High) {
		t.Errorf("inside: %+v", f)
	}
}

// TestQuantiles: selection gives what sorting gives, bit for bit.
func TestQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		xs := make([]float64, 1+r.IntN(60))
		for i := range xs {
			xs[i] = float64(r.IntN(20)) // ties
			if r.IntN(2) == 0 {
				xs[i] = r.NormFloat64()
			}
		}
		p := r.Float64() / 2
		s := sorted(xs)
		if lo, hi := quantiles(slices.Clone(xs), p, 1-p); lo != quantileSorted(s, p) || hi != quantileSorted(s, 1-p) {
			t.Fatalf("%g of %v: %g and %g, want %g and %g", p, xs, lo, hi, quantileSorted(s, p), quantileSorted(s, 1-p))
		}
	}
}
