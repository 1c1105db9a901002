// Package dft plans discrete Fourier transforms on one device and on several: passes over
// the digits of an index, the four-step division with one all-to-all, and where elements
// then lie. The numbers are any ring with roots of unity that a shader knows.
package dft

import "github.com/amgpu/amgpu/suites/program"

// Ring is what passes need to know of the numbers that are transformed.
type Ring struct {
	Shader string       // of a pass: includes common/dft.glsl after the ring
	Needs  []string     // features of a device
	Elem   program.Elem // of a word
	Words  int64        // of an element on the device
	// Sixteenths: the shader has butterflies of 16 points (FIELD_SIXTEENTHS).
	Sixteenths bool
	// Roots makes the table that all passes of a transform of 2^m points read, in the ring's
	// words: 2^MostPoints powers of the root of that order, then 2^Half(m) powers of the root w
	// of order 2^m, then 2^(m-Half(m)) powers of w^(2^Half(m)); of the inverse roots if inverse.
	Roots func(name string, m int, inverse bool) program.Array
	// Scale is 2^-m as the inverse transform pushes it, in two words.
	Scale func(m int) uint64
}
