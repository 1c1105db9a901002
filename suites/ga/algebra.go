// Package ga holds the workloads of geometric algebra over Cl(3,0). Multivectors have
// eight components in bitmask order [1, e1, e2, e12, e3, e13, e23, e123]: bit i of a
// component's index says that e(i+1) is a factor of its blade.
package ga

import "math"

// Multivector is an element of Cl(3,0) in float64, for references.
type Multivector [8]float64

// signMask has bit b of entry a set where blade a times blade b carries a minus.
var signMask = [8]uint8{0x00, 0x00, 0xAA, 0xAA, 0x66, 0x66, 0xCC, 0xCC}

// Sign is the sign of the product of blades a and b, which is blade a^b.
func Sign(a, b int) float64 {
	if signMask[a]>>b&1 == 1 {
		return -1
	}
	return 1
}

// Product is the geometric product a b.
func Product(a, b Multivector) Multivector {
	var c Multivector
	for i := range a {
		for j := range b {
			c[i^j] += Sign(i, j) * a[i] * b[j]
		}
	}
	return c
}

// termSums is the sum of the magnitudes of the terms of each component of a b.
func termSums(a, b Multivector) Multivector {
	var s Multivector
	for i := range a {
		for j := range b {
			s[i^j] += math.Abs(a[i] * b[j])
		}
	}
	return s
}

// Norm is the Euclidean norm of the components.
func (m Multivector) Norm() float64 {
	sum := 0.0
	for _, x := range m {
		sum += x * x
	}
	return math.Sqrt(sum)
}

// Norm1 is the sum of the components' magnitudes.
func (m Multivector) Norm1() float64 {
	sum := 0.0
	for _, x := range m {
		sum += math.Abs(x)
	}
	return sum
}

// Power is m^n by repeated squaring; m^0 is 1.
func Power(m Multivector, n int64) Multivector {
	out := Multivector{1}
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out = Product(out, m)
		}
		m = Product(m, m)
	}
	return out
}
