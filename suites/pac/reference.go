package pac

import (
	"math"
	"math/cmplx"
)

// The reference: the same steps in float64 on the taps as the devices have them, with the
// angle of the phase where the kernels use cross products.

// analytic is the analytic signal of one band.
type analytic struct {
	z     []complex128
	most  float64 // largest amplitude
	floor float64 // rms of the input times the root mean |H|^4 of the filter
}

// analyticOf filters a signal and makes it analytic.
func (p *problem) analyticOf(x []float32, taps []float32) (s analytic) {
	n := 2 * p.half()
	h := centred(taps, n)
	fft(h, false)
	y := make([]complex128, n)
	power, gain := 0.0, 0.0
	for i, v := range x {
		y[i] = complex(float64(v), 0)
		power += float64(v) * float64(v)
	}
	for _, v := range h {
		square := real(v)*real(v) + imag(v)*imag(v)
		gain += square * square
	}
	s.floor = math.Sqrt(power / float64(len(x)) * gain / float64(n))
	pass := func(conjugate bool) {
		fft(y, false)
		for i := range y {
			t := h[i]
			if conjugate {
				t = complex(real(t), -imag(t))
			}
			y[i] *= t
		}
		fft(y, true)
		for i := range y {
			if int64(i) < p.samples {
				y[i] = complex(real(y[i])/float64(n), 0)
			} else {
				y[i] = 0
			}
		}
	}
	pass(true)  // correlation with the taps
	pass(false) // and back
	s.z = analyticSignal(y, p.samples)
	for _, v := range s.z {
		s.most = max(s.most, cmplx.Abs(v))
	}
	return s
}

// analyticSignal takes t real numbers, in an array of a power of two, 2t-1 at least.
func analyticSignal(y []complex128, t int64) []complex128 {
	if t&(t-1) == 0 { // as it is defined
		z := y[:t]
		fft(z, false)
		for k := range z {
			switch {
			case k == 0 || int64(k) == t/2:
			case int64(k) < t/2:
				z[k] *= 2
			default:
				z[k] = 0
			}
		}
		fft(z, true)
		for i := range z {
			z[i] /= complex(float64(t), 0)
		}
		return z
	}
	n := int64(len(y))
	out := append([]complex128(nil), y[:t]...)
	g := hilbertKernel(t, n)
	fft(g, false)
	fft(y, false)
	for i := range y {
		y[i] *= g[i]
	}
	fft(y, true)
	for i := range out {
		out[i] = complex(real(out[i]), real(y[i])/float64(n))
	}
	return out
}

const binWidth = 2 * math.Pi / bins

// binOf is the bin of a phase in [-pi, pi].
func binOf(phase float64) int {
	return min(max(int(math.Floor((phase+math.Pi)/binWidth)), 0), bins-1)
}

// share is a sample's weight in a bin.
type share struct {
	bin    int
	weight float64
}

// weightSteps of soft weights are one.
const weightSteps = 65535

// softBins are the two bins in which the softmax of -|wrap(phase - centre)|/0.01 does not
// vanish, rounded to 16 bits: that is part of the definition, since a bin that no phase
// comes near would otherwise have the mean amplitude of weights of 1e-15.
func softBins(phase float64) [2]share {
	b := binOf(phase)
	d := phase + math.Pi - (float64(b)+0.5)*binWidth
	next := (b + 1) % bins
	if d < 0 {
		next = (b + bins - 1) % bins
	}
	e := math.Exp((2*math.Abs(d) - binWidth) / 0.01)
	second := math.Round(weightSteps*(e/(1+e))) / weightSteps
	return [2]share{{b, 1 - second}, {next, second}}
}

// binning is a phase band: every sample's shares, and the weight of each bin in all.
type binning struct {
	shares [][2]share
	weight [bins]float64
}

func (b *binning) add(shares [2]share) {
	b.shares = append(b.shares, shares)
	for _, s := range shares {
		b.weight[s.bin] += s.weight
	}
}

// sums are the amplitudes in each bin, shifted by cut; divided by the bin's weight unless
// sums are asked for.
func (b *binning) distribution(amplitude []float64, cut int64, sums bool) (q [bins]float64) {
	n := int64(len(amplitude))
	for t, s := range b.shares {
		at := int64(t) + cut
		if at >= n {
			at -= n
		}
		q[s[0].bin] += s[0].weight * amplitude[at]
		if s[1].weight != 0 {
			q[s[1].bin] += s[1].weight * amplitude[at]
		}
	}
	if !sums {
		for i, w := range b.weight {
			if w > 0 {
				q[i] /= w
			}
		}
	}
	return q
}

// index is the modulation index of a distribution: 0 for none at all.
func index(q [bins]float64) float64 {
	all := 0.0
	for _, x := range q {
		all += x
	}
	if all <= 0 {
		return 0
	}
	sum := 0.0
	for _, x := range q {
		sum += divergence(bins*x/all - 1)
	}
	return sum / (bins * math.Log(bins))
}

// divergence is (1+e) ln(1+e) - e.
func divergence(e float64) float64 {
	switch {
	case e <= -1:
		return 1
	case math.Abs(e) < 0.02:
		return e * e * (1.0/2 + e*(-1.0/6+e*(1.0/12+e*(-1.0/20+e/30))))
	}
	return (1+e)*math.Log1p(e) - e
}

// moments are mean and population standard deviation, in two passes.
func moments(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for _, v := range x {
		sd += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sd / float64(len(x)))
}

// score is (mi - mean)/sd; 0 without a spread.
func score(mi, mean, sd float64) float64 {
	if sd == 0 {
		return 0
	}
	return (mi - mean) / sd
}
