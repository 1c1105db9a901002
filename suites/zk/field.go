// Package zk holds workloads over finite fields as succinct proofs use them: the
// number-theoretic transform, sums of multiples of points of a curve, and a proxy of a
// whole prover.
package zk

import (
	"math/bits"

	"github.com/amgpu/amgpu/suites/dft"
	"github.com/amgpu/amgpu/suites/program"
)

// field is a prime field below 2^64 with roots of unity of order 2^k.
type field struct {
	name   string // of its shaders
	p      uint64
	adic   int    // log2 of the largest order
	root   uint64 // primitive root of that order
	words  int64  // of an element on the device
	unit   uint64 // factor of constants on the device: 2^32 where products are Montgomery's
	mulOps float64
	addOps float64 // nominal 32-bit operations of a product and of a sum
}

var (
	// goldilocks is 2^64 - 2^32 + 1, with generator 7.
	goldilocks = &field{name: "goldilocks", p: 0xFFFFFFFF00000001, adic: 32, root: 1753635133440165772, words: 2, unit: 1, mulOps: 30, addOps: 11}
	// babybear is 15*2^27 + 1, with generator 31; its constants are in Montgomery form.
	babybear = &field{name: "babybear", p: 2013265921, adic: 27, root: 440564289, words: 1, unit: 1 << 32 % 2013265921, mulOps: 6, addOps: 2}
)

func (f *field) mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if f != goldilocks {
		return lo % f.p // below 2^62
	}
	const epsilon = 1<<32 - 1 // 2^64 mod p
	r, borrow := bits.Sub64(lo, hi>>32, 0)
	r -= borrow * epsilon
	r, carry := bits.Add64(r, hi&epsilon*epsilon, 0)
	r += carry * epsilon
	if r >= f.p {
		r -= f.p
	}
	return r
}

func (f *field) add(a, b uint64) uint64 {
	s, carry := bits.Add64(a, b, 0)
	if carry != 0 || s >= f.p {
		s -= f.p
	}
	return s
}

func (f *field) sub(a, b uint64) uint64 {
	d, borrow := bits.Sub64(a, b, 0)
	return d + borrow*f.p
}

func (f *field) pow(a, e uint64) uint64 {
	r := uint64(1)
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			r = f.mul(r, a)
		}
		a = f.mul(a, a)
	}
	return r
}

// inv is 1/a by Fermat.
func (f *field) inv(a uint64) uint64 { return f.pow(a, f.p-2) }

// rootOf is the primitive root of unity of order 2^m, or its inverse.
func (f *field) rootOf(m int, inverse bool) uint64 {
	r := f.root
	for range f.adic - m {
		r = f.mul(r, r)
	}
	if inverse {
		r = f.inv(r)
	}
	return r
}

// element is the field element that words of a device hold, not necessarily reduced.
func (f *field) element(words []uint32) uint64 {
	if f.words == 1 {
		return uint64(words[0]) % f.p
	}
	return (uint64(words[0]) | uint64(words[1])<<32) % f.p
}

// put writes an element as the words of a device.
func (f *field) put(x uint64, words []uint32) {
	words[0] = uint32(x)
	if f.words == 2 {
		words[1] = uint32(x >> 32)
	}
}

// constant is a factor as the device wants it.
func (f *field) constant(x uint64) uint64 { return f.mul(x, f.unit) }

// transform is the transform of a vector of 2^m elements, in place and in natural order,
// by butterflies of two: the reference for what a device does in passes.
func (f *field) transform(x []uint64, inverse bool) {
	m := bits.Len(uint(len(x))) - 1
	for i := range x {
		if j := int(bits.Reverse64(uint64(i)) >> (64 - m)); m > 0 && i < j {
			x[i], x[j] = x[j], x[i]
		}
	}
	for s := 1; s <= m; s++ {
		half, w := 1<<(s-1), f.rootOf(s, inverse)
		for at := 0; at < len(x); at += 2 * half {
			t := uint64(1)
			for i := at; i < at+half; i++ {
				a, b := x[i], f.mul(x[i+half], t)
				x[i], x[i+half] = f.add(a, b), f.sub(a, b)
				t = f.mul(t, w)
			}
		}
	}
	if inverse {
		scale := f.inv(uint64(len(x)))
		for i := range x {
			x[i] = f.mul(x[i], scale)
		}
	}
}

// ring is the field as the passes of a transform know it, wide: on 64-bit integers.
func (f *field) ring(wide bool) dft.Ring {
	r := dft.Ring{
		Shader: "zk/ntt_" + f.name, Elem: program.U32, Words: f.words,
		Roots: func(name string, m int, inverse bool) program.Array { return roots(name, f, m, inverse) },
		Scale: func(m int) uint64 { return f.constant(f.inv(1 << m)) },
	}
	if wide && f == goldilocks {
		r.Shader += "_wide"
		r.Needs = []string{int64Feature}
	}
	return r
}
