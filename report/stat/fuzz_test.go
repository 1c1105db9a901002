package stat

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// numbers reads positive values within what a result may hold.
func numbers(raw []byte) []float64 {
	var out []float64
	for ; len(raw) >= 8 && len(out) < 64; raw = raw[8:] {
		v := math.Abs(math.Float64frombits(binary.LittleEndian.Uint64(raw)))
		if v >= 1e-36 && v <= 1e36 {
			out = append(out, v)
		}
	}
	return out
}

func bytesOf(values ...float64) []byte {
	var out []byte
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

// FuzzFit: whatever the rates, a fit ends inside its bounds, is no worse than a
// straight line, and what is said of it can be written as JSON.
func FuzzFit(f *testing.F) {
	f.Add(bytesOf(rayX...), byte(1))
	f.Add(bytesOf(1, 2, 3, 4, 2, 7), byte(1))
	f.Add(bytesOf(1e36, 1e-36, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), byte(3))
	f.Add(bytesOf(5, 5, 5, 5, 5, 5), byte(2))
	f.Fuzz(func(t *testing.T, raw []byte, perCount byte) {
		xs, per := numbers(raw), int(perCount)%3+1
		if len(xs) < 2*per {
			return
		}
		fit := fitter{draws: 20}
		for i := 0; i+per <= len(xs) && len(fit.cols) < 8; i += per {
			fit.cols = append(fit.cols, column{count: len(fit.cols) + 1, values: xs[i : i+per]})
		}
		fit.top = len(fit.cols)
		pts := fit.points()
		for _, amdahl := range []bool{true, false} {
			p := fitUSL(pts, amdahl)
			if !(p.sigma >= 0 && p.sigma <= 1 && p.kappa >= 0 && p.kappa <= 1 && p.gamma > 0) || amdahl && p.kappa != 0 {
				t.Fatalf("%v: %+v", pts, p)
			}
			start := usl{.01, 0, 0}
			for _, q := range pts {
				start.gamma = max(start.gamma, q.x/q.n)
			}
			if limit := start.rss(pts); amdahl && p.rss(pts) > limit {
				t.Fatalf("%v: worse than its start, %g > %g", pts, p.rss(pts), limit)
			}
		}
		u, _ := fit.usl()
		law := &result.Law{USL: u, Amdahl: fit.amdahl()}
		finite(t, u.Sigma, u.Kappa, u.Gamma, u.SigmaLow, u.SigmaHigh, u.KappaLow, u.KappaHigh, u.SigmaSE, u.KappaSE, u.GammaSE,
			u.ResidualSE, u.Limit, u.KappaZero, u.LackOfFit, law.Amdahl.Value, law.Amdahl.Low, law.Amdahl.High)
		for _, p := range fit.predict(law, 1, "x/s", Ask{Predict: []int{1, 9, 1 << 20}, Far: true}) {
			for _, v := range []*result.Value{p.Rate, p.Speedup, p.Efficiency} {
				if v != nil {
					finite(t, &v.Value, v.Low, v.High)
				}
			}
		}
		gustafson := fit.gustafson(1)
		finite(t, gustafson.Value, gustafson.Low, gustafson.High)
		for _, one := range []*result.Fit{law.Amdahl, gustafson, {Value: u.Sigma, Low: u.SigmaLow, High: u.SigmaHigh, Bound: u.SigmaBound},
			{Value: u.Kappa, Low: u.KappaLow, High: u.KappaHigh, Bound: u.KappaBound}} {
			oneEnd(t, one)
		}
	})
}

// oneEnd: on a bound of its parameter a fit has the other end only, and both lie where
// a parameter can.
func oneEnd(t *testing.T, f *result.Fit) {
	t.Helper()
	if f.Value == nil {
		return
	}
	onLower, onUpper := *f.Value == 0, *f.Value == 1
	if onLower != (f.Bound == result.OnLower) || onUpper != (f.Bound == result.OnUpper) || onLower && f.Low != nil || onUpper && f.High != nil {
		t.Fatalf("%g on bound %q: low %v, high %v", *f.Value, f.Bound, f.Low, f.High)
	}
	for _, end := range []*float64{f.Low, f.High} {
		if end != nil && !(*end >= 0 && *end <= 1) {
			t.Fatalf("an end of %g", *end)
		}
	}
}

func finite(t *testing.T, values ...*float64) {
	t.Helper()
	for i, v := range values {
		if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
			t.Fatalf("value %d is %g", i, *v)
		}
	}
}
