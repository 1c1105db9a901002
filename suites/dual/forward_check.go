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

// complexChain is g of a complex number, tanh by its exponential.
func complexChain(z complex128) complex128 {
	e := cmplx.Exp(2 * cmplx.Sin(z) * cmplx.Exp(-z*z/2))
	return (e-1)/(e+1) + cmplx.Log(1+z*z)
}

// differs notes a value or derivative of element i that is not that of the difference.
func differs(t *suites.Tally, i int64, device, step number) {
	t.Identity("value = real part", i, device.v, step.v, suites.E2(-8, 0, 32, 1+math.Abs(step.v)))
	t.Identity("derivative = complex-step difference", i, device.d, step.d, suites.E2(-8, 0, 64, 1+math.Abs(step.d)))
}
