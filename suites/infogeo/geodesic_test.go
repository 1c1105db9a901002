package infogeo

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestTensorIsTheThirdDerivative differentiates the metric, itself the second derivative of
// psi = -h1^2/(4 h2) - log(-2 h2)/2.
func TestTensorIsTheThirdDerivative(t *testing.T) {
	h := [2]float64{0.7, -0.55}
	const d = 1e-5
	slope := func(i, entry int) float64 {
		up, down := h, h
		up[i] += d
		down[i] -= d
		return (metricAt(up)[entry] - metricAt(down)[entry]) / (2 * d)
	}
	want := tensorAt(h)
	for _, c := range []struct {
		got, want float64
		name      string
	}{
		{slope(0, 0), 0, "T111"}, {slope(1, 0), want[0], "T112"}, {slope(0, 1), want[0], "T121"},
		{slope(1, 1), want[1], "T122"}, {slope(0, 2), want[1], "T221"}, {slope(1, 2), want[2], "T222"},
	} {
		if math.Abs(c.got-c.want) > 1e-6*(1+math.Abs(c.want)) {
			t.Errorf("%s = %v, expected %v", c.name, c.got, c.want)
		}
	}
	psi := func(h [2]float64) float64 { return -h[0]*h[0]/(4*h[1]) - math.Log(-2*h[1])/2 }
	const e = 1e-4
	second := (psi([2]float64{h[0], h[1] + e}) - 2*psi(h) + psi([2]float64{h[0], h[1] - e})) / (e * e)
	if math.Abs(second-metricAt(h)[2]) > 1e-5 {
		t.Errorf("g22 = %v, second derivative %v", metricAt(h)[2], second)
	}
}

// TestExactCurves: alpha 1 is straight in natural coordinates, -1 in expectations, 0 keeps
// the speed, all to the accuracy of the integration.
func TestExactCurves(t *testing.T) {
	in := stream(7, geodesicNumber, curveInput)
	for i := range int64(50) {
		s := startCurve(in, i)
		e := curve(s, 1, 0.01, 100)
		for j := range 2 {
			if math.Abs(e[j]-s[j]-s[2+j]) > 1e-12 {
				t.Errorf("curve %d: component %d is %v, expected %v", i, j, e[j], s[j]+s[2+j])
			}
		}
		from, rate := expectations(s)
		to, _ := expectations(curve(s, -1, 0.01, 100))
		for j := range to {
			if math.Abs(to[j]-from[j]-rate[j]) > 1e-8 {
				t.Errorf("curve %d: expectation %d is %v, expected %v", i, j, to[j], from[j]+rate[j])
			}
		}
		if got := speed(curve(s, 0, 0.01, 100)); math.Abs(got-speed(s)) > 1e-9*(1+speed(s)) {
			t.Errorf("curve %d: speed %v becomes %v", i, speed(s), got)
		}
		for _, alpha := range []float64{-1, 0, 1} {
			end := curve(s, alpha, 0.01, 200)
			if sigma := math.Sqrt(-1 / (2 * end[1])); !(sigma > 0.3 && sigma < 3) {
				t.Errorf("curve %d, alpha %v ends at sigma %v", i, alpha, sigma)
			}
		}
	}
}

func TestGeodesicProgramsAreValid(t *testing.T) {
	for _, size := range []int64{1, 3, 255, 257, 1021, 1 << 20} {
		for _, count := range []int{1, 2, 3, 7} {
			for tensor := range int64(2) {
				b := suitetest.Build(geodesic{}, size, count)
				b.Params["tensor"] = tensor
				build(t, geodesic{}, b)
				build(t, geodesic{}, suitetest.Uneven(b))
			}
		}
	}
	if _, err := (geodesic{}).Build(suitetest.Build(geodesic{}, 0, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
		t.Errorf("no curves: %v", err)
	}
}

func TestGeodesicVerify(t *testing.T) {
	for _, c := range []struct{ alpha, tensor int64 }{{0, 0}, {100, 0}, {-100, 0}, {37, 0}, {0, 1}} {
		b := suitetest.Build(geodesic{}, 1100, 2)
		b.Params["alpha"], b.Params["tensor"] = c.alpha, c.tensor
		p := build(t, geodesic{}, b)
		in := stream(b.Seed, geodesicNumber, curveInput)
		var out []float32
		for i := range b.Size {
			if c.tensor == 1 {
				v, _ := contract(naturalPoint(in(8*i), in(8*i+1)), [2]float64{in(8*i + 2), in(8*i + 3)}, [2]float64{in(8*i + 4), in(8*i + 5)}, [2]float64{in(8*i + 6), in(8*i + 7)})
				out = append(out, float32(v))
				continue
			}
			for _, x := range curve(startCurve(in, i), alphaOf(b), float64(curveStep), 100) {
				out = append(out, float32(x))
			}
		}
		arrays := map[string][]uint32{"end": words(out), "T": words(out)}
		check := &suites.Check{Build: b, Program: p, Out: suitetest.Memory{Arrays: arrays}}
		for _, check.Full = range []bool{true, false} {
			if got, err := (geodesic{}).Verify(check); err != nil || got.Wrong != "" || got.Checked < suites.MinSampled {
				t.Errorf("alpha %d, tensor %d: %+v, %v", c.alpha, c.tensor, got, err)
			}
		}
		for _, a := range arrays {
			a[0] = bits(out[0] + 1e-3)
		}
		if got, err := (geodesic{}).Verify(check); err != nil || got.Wrong == "" {
			t.Errorf("alpha %d, tensor %d: a wrong value passes: %+v, %v", c.alpha, c.tensor, got, err)
		}
	}
}
