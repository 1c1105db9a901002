package pac

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

// The bands that the specification names.
func TestBands(t *testing.T) {
	pha, amp := bandsOver(2, 20, 10, 2), bandsOver(60, 160, 10, 4)
	near := func(a, b float64) bool { return math.Abs(a-b) < 0.05 }
	if b := pha[0]; b.low != 2 || b.high != 2.5 {
		t.Errorf("first band of the phase: %v", b)
	}
	if b := pha[peakPhase]; b.low != 6 || b.high != 10 {
		t.Errorf("band of 8 Hz: %v", b)
	}
	if b := amp[peakAmplitude]; !near(b.low, 62.2) || !near(b.high, 80) {
		t.Errorf("second band of the amplitude: %v", b)
	}
	if b := amp[9]; b.low != 140 || b.high != 160 {
		t.Errorf("last band: %v", b)
	}
}

// gain is |H| of centred taps at a frequency.
func gain(h []float64, f, fs float64) float64 {
	var sum complex128
	for i, x := range h {
		s, c := math.Sincos(-2 * math.Pi * f / fs * float64(i-len(h)/2))
		sum += complex(x*c, x*s)
	}
	return cmplx.Abs(sum)
}

func TestSinc(t *testing.T) {
	b := band{71.1, 62.2, 80}
	h := sinc(b, 512, 1025)
	for i := range h {
		if math.Abs(h[i]-h[len(h)-1-i]) > 1e-15 {
			t.Fatalf("tap %d is %v, its mirror %v", i, h[i], h[len(h)-1-i])
		}
	}
	for f, want := range map[float64]float64{(b.low + b.high) / 2: 1, 62.2: 0.5, 80: 0.5, 50: 0, 100: 0, 0: 0} {
		if g := gain(h, f, 512); math.Abs(g-want) > 0.01 {
			t.Errorf("gain %v at %v Hz, expected %v", g, f, want)
		}
	}
}

// The response of the Butterworth sections against the analog prototype
// |H|^2 = 1/(1 + W^8), W = (w^2 - w0^2)/(w bw), frequencies warped.
func TestButterworth(t *testing.T) {
	const fs = 512
	for _, b := range []band{{8, 6, 10}, {2, 2, 2.5}, {71.1, 62.2, 80}} {
		h := butterworth(b, fs, 1<<15+1)
		warp := func(f float64) float64 { return math.Tan(math.Pi * f / fs) }
		low, high := warp(b.low), warp(b.high)
		middle := math.Atan(math.Sqrt(low*high)) * fs / math.Pi
		most := gain(h, middle, fs)
		for _, f := range []float64{b.low / 2, b.low, middle, b.high, b.high * 1.5} {
			w := warp(f)
			shape := math.Sqrt(1 / (1 + math.Pow((w*w-low*high)/(w*(high-low)), 8)))
			if g := gain(h, f, fs) / most; math.Abs(g-shape) > 1e-6 {
				t.Errorf("band %v at %v Hz: gain %v, expected %v", b, f, g, shape)
			}
		}
		for i := range len(h) / 2 {
			if h[i] != 0 {
				t.Fatalf("tap %d before the impulse is %v", i, h[i])
			}
		}
	}
}

func TestFFT(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 8, 64} {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(r.NormFloat64(), r.NormFloat64())
		}
		y := append([]complex128(nil), x...)
		fft(y, false)
		for k := range y {
			var want complex128
			for j, v := range x {
				want += v * cmplx.Exp(complex(0, -2*math.Pi*float64(j*k)/float64(n)))
			}
			if cmplx.Abs(want-y[k]) > 1e-12 {
				t.Errorf("n = %d: element %d is %v, expected %v", n, k, y[k], want)
			}
		}
		fft(y, true)
		for i := range y {
			if cmplx.Abs(y[i]/complex(float64(n), 0)-x[i]) > 1e-13 {
				t.Errorf("n = %d: there and back gives %v for %v", n, y[i], x[i])
			}
		}
	}
}

// Both forms of the analytic signal against its definition by sums.
func TestAnalyticSignal(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int64{64, 65, 66, 97, 128} {
		y := make([]complex128, 256)
		for i := range y[:n] {
			y[i] = complex(r.NormFloat64(), 0)
		}
		x := append([]complex128(nil), y[:n]...)
		got := analyticSignal(y, n)
		for at := range n {
			var want complex128
			for k := range n {
				weight := 2.0
				switch {
				case k == 0 || 2*k == n:
					weight = 1
				case 2*k > n:
					continue
				}
				var c complex128
				for j, v := range x {
					c += v * cmplx.Exp(complex(0, -2*math.Pi*float64(int64(j)*k)/float64(n)))
				}
				want += c * cmplx.Exp(complex(0, 2*math.Pi*float64(at*k)/float64(n))) * complex(weight/float64(n), 0)
			}
			if cmplx.Abs(got[at]-want) > 1e-11 {
				t.Fatalf("n = %d: sample %d is %v, expected %v", n, at, got[at], want)
			}
		}
	}
}

// The order in which the kernel meets pairs of frequencies: position p and its mirror hold
// k and m-k, in bit-reversed order.
func TestPairs(t *testing.T) {
	for m := int64(64); m <= 4096; m *= 2 {
		seen := map[int64]bool{0: true, m / 2: true}
		for q := int64(1); q < m/2; q++ {
			k := pairAt(q, m)
			if k < 1 || k >= m || seen[k] || seen[m-k] {
				t.Fatalf("m = %d: pair %d is frequency %d", m, q, k)
			}
			seen[k], seen[m-k] = true, true
		}
		if int64(len(seen)) != m {
			t.Errorf("m = %d: %d frequencies", m, len(seen))
		}
	}
}
