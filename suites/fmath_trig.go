package suites

import "math"

// Sin32 is the sine for |x| < 8192.
func Sin32(x float32) float32 {
	s, _ := SinCos32(x)
	return s
}

// Cos32 is the cosine for |x| < 8192.
func Cos32(x float32) float32 {
	_, c := SinCos32(x)
	return c
}

// SinCos32 is sine and cosine for |x| < 8192.
func SinCos32(x float32) (sin, cos float32) {
	n := float32(math.Floor(float64(float32(x*twoOverPi) + 0.5)))
	r := ((x - float32(n*piHalf1)) - float32(n*piHalf2)) - float32(n*piHalf3)
	z := float32(r * r)
	s := float32(float32(horner(z, -1.0/6, 1.0/120, -1.0/5040, 1.0/362880)*z)*r) + r
	c := 1 - (float32(z*0.5) - float32(float32(z*z)*horner(z, 1.0/24, -1.0/720, 1.0/40320, -1.0/3628800)))
	quadrant := uint32(int32(n))
	if quadrant&1 != 0 {
		s, c = c, s
	}
	sin = math.Float32frombits(math.Float32bits(s) ^ quadrant<<30&0x80000000)
	cos = math.Float32frombits(math.Float32bits(c) ^ (quadrant+1)<<30&0x80000000)
	return sin, cos
}

// The centres that Atan32 reduces to, near 20 and 40 degrees: float32 tangents whose
// angles are float32 too, within 1e-9.
var (
	atanAt    = [3]float32{0, 0.363672674, 0.838505983}
	atanAngle = [3]float32{0, 0.348803073, 0.697783232}
)

const (
	atanFirst, atanSecond = 0.176326975, 0.577350259 // tan 10 and tan 30 degrees
	piHalfHi, piHalfLo    = 1.57079637, -4.37113883e-08
)

// Atan32 is the inverse tangent.
func Atan32(x float32) float32 {
	a := min(float32(math.Abs(float64(x))), 0x1p60)
	// |x| or its inverse as p/q; with the centre c, t = (p - c q)/(q + c p) is below tan 10
	// degrees.
	p, q := a, float32(1)
	if a > 1 {
		p, q = 1, a
	}
	k := 0
	if p > float32(atanFirst*q) {
		k++
	}
	if p > float32(atanSecond*q) {
		k++
	}
	c := atanAt[k]
	t := float32((p - float32(c*q)) * Rcp32(q+float32(c*p)))
	z := float32(t * t)
	y := atanAngle[k] + (float32(float32(horner(z, -1.0/3, 1.0/5, -1.0/7, 1.0/9)*z)*t) + t)
	if a > 1 {
		y = piHalfHi - (y - piHalfLo)
	}
	return float32(math.Copysign(float64(y), float64(x)))
}
