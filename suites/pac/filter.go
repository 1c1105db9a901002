package pac

import (
	"math"
	"math/cmplx"
)

// band is a frequency band: its centre and edges in Hz.
type band struct{ centre, low, high float64 }

// leastEdge is the lowest edge of a band in Hz.
const leastEdge = 0.5

// bandsOver are n bands with centres linear over [lo, hi] and a width of the centre/part,
// edges inside the range and not below leastEdge.
func bandsOver(lo, hi float64, n int64, part float64) []band {
	out := make([]band, n)
	for i := range out {
		c := lo
		if n > 1 {
			c += (hi - lo) * float64(i) / float64(n-1)
		}
		half := c / part / 2
		out[i] = band{c, max(c-half, lo, leastEdge), min(c+half, hi)}
	}
	return out
}

// sinc is the difference of two sinc functions under a Hamming window, with gain 1 in the
// middle of the band.
func sinc(b band, fs float64, length int64) []float64 {
	h := make([]float64, length)
	c := float64(length / 2)
	low, high := 2*b.low/fs, 2*b.high/fs
	gain := 0.0
	for i := range h {
		t := float64(i) - c
		w := 0.54 + 0.46*math.Cos(math.Pi*t/max(c, 1))
		h[i] = w * (high*sincOf(high*t) - low*sincOf(low*t))
		gain += h[i] * math.Cos(math.Pi*(low+high)/2*t)
	}
	for i := range h {
		h[i] /= gain
	}
	return h
}

func sincOf(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// butterworth is the kernel of gPAC: the impulse response of a Butterworth band-pass of
// order 4 from the middle of the window on, divided by its largest magnitude. The filter is
// four sections of second order, (1 - z^-2)/(1 - 2 Re p z^-1 + |p|^2 z^-2): the polynomials
// of order 8 lose all digits in narrow bands.
func butterworth(b band, fs float64, length int64) []float64 {
	warp := func(f float64) float64 { return 2 * fs * math.Tan(math.Pi*f/fs) }
	low, high := warp(b.low), warp(b.high)
	h := make([]float64, length)
	h[length/2] = 1
	for _, pole := range [2]complex128{cmplx.Exp(complex(0, math.Pi*5/8)), cmplx.Exp(complex(0, math.Pi*7/8))} {
		mid := pole * complex((high-low)/2, 0)
		root := cmplx.Sqrt(mid*mid - complex(low*high, 0))
		for _, s := range [2]complex128{mid + root, mid - root} {
			z := (complex(2*fs, 0) + s) / (complex(2*fs, 0) - s)
			section(h, 2*real(z), -real(z)*real(z)-imag(z)*imag(z))
		}
	}
	most := 0.0
	for _, x := range h {
		most = max(most, math.Abs(x))
	}
	for i := range h {
		h[i] /= most
	}
	return h
}

// section filters in place: y[n] = x[n] - x[n-2] + a1 y[n-1] + a2 y[n-2].
func section(h []float64, a1, a2 float64) {
	var x1, x2, y1, y2 float64
	for i, x := range h {
		y := x - x2 + a1*y1 + a2*y2
		x1, x2, y1, y2 = x, x1, y, y1
		h[i] = y
	}
}
