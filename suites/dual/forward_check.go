package dual

import (
	"math"
	"math/cmplx"

	"github.com/amgpu/amgpu/suites"
)

// stepEvery is of how many units a full check differentiates one by complex steps.
const stepEvery = 16

// complexStep is value and derivative of the composed function without any rule of
// differentiation: h^-1 Im G(x + i h x') (Squire and Trapp 1998), whose error is of order
// h^2 and which subtracts nothing.
func complexStep(x number, repeat int64) number {
	const h = 1e-30
	z := complexChain(complex(x.v, h*x.d))
	for range repeat - 1 {
		z = complexChain(z / 2)
	}
	return number{real(z), imag(z) / h}
}

// complexChain is g of a complex number.
func complexChain(z complex128) complex128 {
	return cmplx.Tanh(cmplx.Sin(z)*cmplx.Exp(-z*z/2)) + cmplx.Log(1+z*z)
}

// runningBounds bounds the errors of value and derivative of the composed function as they
// pass from one composition to the next. x <- g(x)/2 shrinks to 0, so that the tolerance of the
// workload, absolute for small values, says little about many compositions. One composition
// errs by at most 16 u of its two terms, twice the rounding of 1 + x^2 (u, or all of x^2), and
// 64 u of its slope of at most 2; the second derivative is below 4. The last term is for
// values below the normal ones.
func runningBounds(x number, repeat int64) (v, d float64) {
	const slopes, curvature, tiny = 64 * 2 * suites.U, 4, 0x1p-120
	for r := range repeat {
		if r > 0 {
			x, v, d = number{x.v / 2, x.d / 2}, v/2, d/2
		}
		next, slope := chain(x), math.Abs(chain(number{x.v, 1}).d)
		logarithm := math.Log1p(x.v * x.v)
		terms := math.Abs(next.v-logarithm) + logarithm
		v, d = slope*v+curvature*v*v+16*suites.U*terms+2*min(suites.U, x.v*x.v),
			slope*d+(math.Abs(x.d)+d)*(curvature*v+slopes)
		x = next
	}
	return v + tiny, d + tiny
}

// differs notes a value or derivative of element i that is not that of the difference.
func differs(t *suites.Tally, i int64, device, step number, v, d float64) {
	t.Identity("value = real part", i, device.v, step.v, v)
	t.Identity("derivative = complex-step difference", i, device.d, step.d, d)
}
