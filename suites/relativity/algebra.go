package relativity

import (
	"math"
	"math/bits"
)

// spacetimeElement is an element of Cl(1,3) in float64, in bitmask order: bit 0 is g0
// (square +1), bits 1 to 3 are g1 to g3 (square -1).
type spacetimeElement [16]float64

// signMask has bit b of entry a set where blade a times blade b carries a minus.
var signMask = [16]uint16{
	0x0000, 0x0000, 0x6666, 0x6666, 0x9696, 0x9696, 0xF0F0, 0xF0F0,
	0x6996, 0x6996, 0x0FF0, 0x0FF0, 0xFF00, 0xFF00, 0x9966, 0x9966,
}

// evenBlades are those of even grade: the components of a rotor.
var evenBlades = [8]int{0, 3, 5, 6, 9, 10, 12, 15}

// Sign is the sign of the product of blades a and b, which is blade a^b.
func Sign(a, b int) float64 {
	if signMask[a]>>b&1 == 1 {
		return -1
	}
	return 1
}

// times is the geometric product a b.
func (a spacetimeElement) times(b spacetimeElement) (c spacetimeElement) {
	for i, x := range a {
		for j, y := range b {
			c[i^j] += Sign(i, j) * x * y
		}
	}
	return c
}

// reversed changes the sign of grades 2 and 3.
func (a spacetimeElement) reversed() spacetimeElement {
	for i := range a {
		if bits.OnesCount(uint(i))&2 != 0 {
			a[i] = -a[i]
		}
	}
	return a
}

// square is the scalar part of a rev(a), which a rotor keeps: x.x of a vector x.
func (a spacetimeElement) square() float64 { return a.times(a.reversed())[0] }

// magnitudes of the terms of each component of a b.
func (a spacetimeElement) magnitudes(b spacetimeElement) (s spacetimeElement) {
	for i, x := range a {
		for j, y := range b {
			s[i^j] += math.Abs(x * y)
		}
	}
	return s
}

// lorentz is the rotor of the workload: a rotation by 2.2 about (0.64, -0.6, 0.48), then a
// boost of rapidity 1.3 along (0.6, 0, 0.8), in the float32 values the kernel gets.
func lorentz() spacetimeElement {
	const half, turn = 0.65, 1.1
	s, c := math.Sin(turn), math.Cos(turn)
	boost := spacetimeElement{0: math.Cosh(half)}
	for i, n := range []float64{0.6, 0, 0.8} { // -sinh n g0 with g_i g0 = -g0 g_i
		boost[1|2<<i] = math.Sinh(half) * n
	}
	rotation := spacetimeElement{0: c, 6: -0.48 * s, 10: -0.60 * s, 12: -0.64 * s}
	r := boost.times(rotation)
	for i, x := range r {
		r[i] = float64(float32(x))
	}
	return r
}
