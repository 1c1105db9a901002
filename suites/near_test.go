package suites_test

import (
	"math"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/vk/vktest"
)

// lnNear and expNear are those of shaders/common/near.glsl in float32, without fused
// operations.
func lnNear(x float32) float32 {
	const sqrtHalf = 0x3F3504F3
	b := math.Float32bits(x) - sqrtHalf
	e := float32(int32(b) >> 23)
	f := math.Float32frombits(b&0x007FFFFF+sqrtHalf) - 1
	z := float32(f * f)
	p := polynomial(f, 0.070376836292, -0.11514610310, 0.11676998740, -0.12420140846, 0.14249322787, -0.16668057665, 0.20000714765, -0.24999993993, 0.33333331174)
	y := float32(f*float32(z*p)) + float32(e*-0.000212194442)
	return ((y - float32(0.5*z)) + f) + float32(e*0.693359375)
}

func expNear(x float32) float32 {
	const roundOff = 12582912
	shifted := float32(x*1.44269502) + roundOff
	n := shifted - roundOff
	r := (x - float32(n*0.693359375)) - float32(n*-0.000212194442)
	p := polynomial(r, 0.00019875691500, 0.0013981999507, 0.0083334519073, 0.041665795894, 0.16666665459, 0.5)
	y := (float32(p*float32(r*r)) + r) + 1
	return math.Float32frombits(math.Float32bits(y) + math.Float32bits(shifted)<<23)
}

// polynomial has its highest coefficient first.
func polynomial(x float32, c ...float32) float32 {
	p := c[0]
	for _, v := range c[1:] {
		p = float32(p*x) + v
	}
	return p
}

// nearErrors are the largest errors of ln and exp as fractions of what the shader's comment
// promises, over the ranges it names.
func nearErrors(ln, exp func(xs []float32) []float32) (worstLn, worstExp float64) {
	var xs []float32
	for b := uint32(0x00800000); b < 0x7F800000; b += 997 {
		xs = append(xs, math.Float32frombits(b))
	}
	for i := range 1 << 20 { // ratios near 1 lie densest
		xs = append(xs, 0.5+float32(i)/(1<<20))
	}
	for i, y := range ln(xs) {
		want := math.Log(float64(xs[i]))
		worstLn = math.Max(worstLn, math.Abs(float64(y)-want)/(2*suites.U*math.Abs(want)+0x1p-25))
	}
	xs = xs[:0]
	for i := range 1 << 20 {
		xs = append(xs, float32(-87+175*float64(i)/(1<<20)))
	}
	for i, y := range exp(xs) {
		want := math.Exp(float64(xs[i]))
		worstExp = math.Max(worstExp, math.Abs(float64(y)-want)/(3*suites.U*want))
	}
	return worstLn, worstExp
}

// TestNearErrors: the errors that the shader's comment names, and the value at 1 that makes a
// divergence from itself exactly 0.
func TestNearErrors(t *testing.T) {
	each := func(f func(float32) float32) func([]float32) []float32 {
		return func(xs []float32) (ys []float32) {
			for _, x := range xs {
				ys = append(ys, f(x))
			}
			return ys
		}
	}
	l, e := nearErrors(each(lnNear), each(expNear))
	if !(l <= 1 && e <= 1) {
		t.Errorf("errors are %v and %v of what is promised", l, e)
	}
	t.Logf("ln %.3f, exp %.3f of the bounds", l, e)
	if lnNear(1) != 0 || expNear(0) != 1 {
		t.Errorf("ln 1 = %v, exp 0 = %v", lnNear(1), expNear(0))
	}
	if x := lnNear(0); x != x || math.IsInf(float64(x), 0) {
		t.Errorf("ln 0 = %v: a share of nothing, times it, must be 0", x)
	}
}

// TestNearErrorsOnDevices: the same of the shader's functions on two drivers, which may fuse
// multiplications and additions.
func TestNearErrorsOnDevices(t *testing.T) {
	_, devices := vktest.Devices(t, "1+swiftshader")
	for _, d := range devices {
		of := func(number uint32) func([]float32) []float32 {
			return func(xs []float32) []float32 { return run(t, d, "dual/functions_fused", number, xs) }
		}
		l, e := nearErrors(of(9), of(10))
		if !(l <= 1 && e <= 1) {
			t.Errorf("%s: errors are %v and %v of what is promised", d.Info().Name, l, e)
		}
		t.Logf("%s: ln %.3f, exp %.3f of the bounds", d.Info().Name, l, e)
		if y := run(t, d, "dual/functions_fused", 9, []float32{1, 0}); y[0] != 0 || y[1] != y[1] || math.IsInf(float64(y[1]), 0) {
			t.Errorf("%s: ln 1 = %v, ln 0 = %v", d.Info().Name, y[0], y[1])
		}
	}
}
