package suites

import "math"

// The functions of shaders/common/fmath.glsl in float32, step by step: the same bits as
// a device that rounds additions and multiplications correctly, as Vulkan demands.
// Every product is converted explicitly, so that no compiler fuses it with a sum.

// Constants shared with the shader.
const (
	log2E            = 1.44269502
	ln2Hi            = 0.693359375 // 9 bits: its products with whole numbers up to 2^14 are exact
	ln2Lo            = -0.000212194442
	expMost          = 88.7228317 // largest x whose exp is finite
	expLeast         = -87.3365402
	sqrtHalf         = 0.707106769
	reciprocalMagic  = 0x7EF311C7
	smallestNormal   = 0x1p-126
	tanhSmall        = 0.55
	tanhOne          = 9.0109
	twoOverPi        = 0.636619747
	piHalf1, piHalf2 = 1.5703125, 0.000483751297
	piHalf3          = 7.54979013e-08
)

// horner is the polynomial c[0] + x (c[1] + x (...)).
func horner(x float32, c ...float32) float32 {
	sum := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		sum = float32(sum*x) + c[i]
	}
	return sum
}

// Rcp32 is 1/d within 1.5 ULP for 2^-100 <= |d| <= 2^100: three steps of Newton from a
// guess made of the exponent.
func Rcp32(d float32) float32 {
	y := math.Float32frombits(reciprocalMagic - math.Float32bits(d)&0x7FFFFFFF)
	a := math.Float32frombits(math.Float32bits(d) & 0x7FFFFFFF)
	for range 3 {
		e := 1 - float32(a*y)
		y += float32(y * e)
	}
	return math.Float32frombits(math.Float32bits(y) | math.Float32bits(d)&0x80000000)
}

// Exp32 is e^x; 0 where that lies below 2^-126.
func Exp32(x float32) float32 {
	switch {
	case x > expMost:
		return float32(math.Inf(1))
	case x < expLeast:
		return 0
	}
	n := float32(math.Floor(float64(float32(x*log2E) + 0.5)))
	r := (x - float32(n*ln2Hi)) - float32(n*ln2Lo)
	p := horner(r, 0.5, 1.0/6, 1.0/24, 1.0/120, 1.0/720, 1.0/5040)
	y := (float32(float32(r*r)*p) + r) + 1
	half := int32(n) >> 1
	return float32(y*pow2(half)) * pow2(int32(n)-half)
}

// pow2 is 2^n for -126 <= n <= 127.
func pow2(n int32) float32 { return math.Float32frombits(uint32(n+127) << 23) }

// Log32 is the natural logarithm: -infinity below 2^-126, NaN below zero.
func Log32(x float32) float32 {
	switch {
	case x < 0:
		return float32(math.NaN())
	case x < smallestNormal:
		return float32(math.Inf(-1))
	case x > math.MaxFloat32:
		return x
	}
	// x = 2^e m with sqrt(1/2) <= m < sqrt 2.
	bits := math.Float32bits(x) - math.Float32bits(sqrtHalf)
	e := float32(int32(bits) >> 23)
	m := math.Float32frombits(bits&0x007FFFFF + math.Float32bits(sqrtHalf))
	f := m - 1
	// log(1+f) = f - f^2/2 + s (f^2/2 + 2 (s^2/3 + s^4/5 + ...)), s = f/(2+f).
	s := float32(f * Rcp32(f+2))
	z := float32(s * s)
	half := float32(float32(f*f) * 0.5)
	tail := float32(z * horner(z, 2.0/3, 2.0/5, 2.0/7, 2.0/9))
	low := float32(e*ln2Lo) + float32(s*(half+tail))
	return (f - (half - low)) + float32(e*ln2Hi)
}

// Tanh32 is the hyperbolic tangent.
func Tanh32(x float32) float32 {
	a := float32(math.Abs(float64(x)))
	if a < tanhSmall {
		return tanhNear(x)
	}
	y := float32(1)
	if a < tanhOne {
		y = 1 - float32(2*Rcp32(Exp32(float32(2*a))+1))
	}
	return float32(math.Copysign(float64(y), float64(x)))
}

// tanhNear is tanh for |x| < 0.625: a polynomial in place of the rational function, with
// the coefficients of Cephes' tanhf.
func tanhNear(x float32) float32 {
	z := float32(x * x)
	p := horner(z, -0.333332819422, 0.133314422036, -0.0537397155531, 0.0206390887954, -0.00570498872745)
	return float32(float32(p*z)*x) + x
}
