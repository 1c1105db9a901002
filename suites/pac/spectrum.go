package pac

import (
	"math"
	"math/bits"
	"math/cmplx"
	"sync"
)

// fft transforms 2^k numbers in place, by exp(-2 pi i jk/n); inverse: by the conjugate,
// unscaled.
func fft(x []complex128, inverse bool) {
	n := len(x)
	if n < 2 {
		return
	}
	shift := 64 - bits.Len(uint(n-1))
	for i := range x {
		if j := int(bits.Reverse64(uint64(i)) >> shift); j > i {
			x[i], x[j] = x[j], x[i]
		}
	}
	w := roots(n)
	for size := 2; size <= n; size *= 2 {
		half, step := size/2, n/size
		for at := 0; at < n; at += size {
			for k := range half {
				t := w[k*step]
				if inverse {
					t = cmplx.Conj(t)
				}
				a, b := x[at+k], x[at+k+half]*t
				x[at+k], x[at+k+half] = a+b, a-b
			}
		}
	}
}

var rootsOf sync.Map // int -> []complex128

// roots are exp(-2 pi i k/n) for k < n/2.
func roots(n int) []complex128 {
	if w, ok := rootsOf.Load(n); ok {
		return w.([]complex128)
	}
	w := make([]complex128, n/2)
	for k := range w {
		s, c := math.Sincos(-2 * math.Pi * float64(k) / float64(n))
		w[k] = complex(c, s)
	}
	rootsOf.Store(n, w)
	return w
}

// centred puts taps on a circle of n, the middle one at 0.
func centred(taps []float32, n int64) []complex128 {
	out := make([]complex128, n)
	c := int64(len(taps) / 2)
	for k, h := range taps {
		out[(int64(k)-c+n)%n] = complex(float64(h), 0)
	}
	return out
}

// hilbertKernel is the circular Hilbert transform of t points as a kernel on a circle of
// n >= 2t-1: g[m] = 2/t cot(pi m/t) at odd m for even t, (cot(pi m/t) - (-1)^m /
// sin(pi m/t)) / t for odd t. Constant and Nyquist part vanish, so that x + i (g * x) keeps
// them as they are, doubles positive frequencies and has no negative ones.
func hilbertKernel(t, n int64) []complex128 {
	out := make([]complex128, n)
	for m := int64(1); m < t; m++ {
		a := math.Pi * float64(m) / float64(t)
		g := 0.0
		switch sign := 1 - 2*float64(m%2); {
		case t%2 != 0:
			g = (math.Cos(a) - sign) / math.Sin(a) / float64(t)
		case m%2 != 0:
			g = 2 * math.Cos(a) / math.Sin(a) / float64(t)
		}
		out[m] = complex(g, 0)
		out[n-t+m] = complex(g, 0)
	}
	return out
}

// pairAt is frequency k of pair q of the kernel: pairs (k, m-k) in the order in which
// bit-reversed positions hold them.
func pairAt(q, m int64) int64 {
	top := int64(1) << (bits.Len64(uint64(q)) - 1)
	return int64(bits.Reverse64(uint64(q+top)) >> (64 - log2(m)))
}

// spectrum is the transform of a kernel on a circle of 2m, divided by m, as
// shaders/pac/analytic.comp reads it.
func spectrum(kernel []complex128, m int64) []float32 {
	fft(kernel, false)
	out := make([]float32, 2*m)
	put := func(q int64, x, y complex128) {
		for i, v := range [4]float64{real(x), imag(x), real(y), imag(y)} {
			out[4*q+int64(i)] = float32(v / float64(m))
		}
	}
	put(0, complex(real(kernel[0]), real(kernel[m])), kernel[m/2])
	for q := int64(1); q < m/2; q++ {
		k := pairAt(q, m)
		put(q, kernel[k], kernel[m-k])
	}
	return out
}

// turns are exp(-2 pi i k/2m) for k < m, then those of the pairs.
func turns(m int64) []float32 {
	out := make([]float32, 3*m)
	put := func(i, k int64) {
		s, c := math.Sincos(-math.Pi * float64(k) / float64(m))
		out[2*i], out[2*i+1] = float32(c), float32(s)
	}
	for k := range m {
		put(k, k)
	}
	for q := int64(1); q < m/2; q++ {
		put(m+q, pairAt(q, m))
	}
	return out
}

// words is a source of numbers made when they are first asked for.
func words(fill func() []float32) func(rank int, first int64, into []uint32) {
	once := sync.OnceValue(fill)
	return func(_ int, first int64, into []uint32) {
		all := once()
		for i := range into {
			into[i] = 0
			if at := first + int64(i); at < int64(len(all)) {
				into[i] = math.Float32bits(all[at])
			}
		}
	}
}
