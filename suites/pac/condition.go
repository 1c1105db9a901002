package pac

import "math"

// How far the numbers may honestly move. A band that holds little of its input is the small
// difference of large numbers: the rounding of the filter is an absolute error, and the
// relative error of the band, which is that of its phase in radians, grows as the band
// empties. Recordings that begin and end smoothly have such bands.

// bandTolerance is the error of an analytic signal per unit of analytic.noise: 335 u.
const bandTolerance = 2e-5

// noise bounds the error of a band's analytic signal, in the unit of the signal: of
//
//	most + rms(x) sqrt(mean over frequencies of |H|^4)
//
// a share of bandTolerance. The second term is the filter's: an FFT of n points in 32 bits
// errs by about u sqrt(log2 n) of the root mean square of its input, evenly over all
// frequencies (Gentleman and Sande 1966; Schatzman 1996), and two passes of a filter with the
// response H let the share |H|^4 of that power through, whatever the band itself holds.
// The first is that of all operations on the band, whose largest amplitude is most. Errors
// seen on devices: 46 u of the second in bands that are empty, 40 u of the first elsewhere.
func (s analytic) noise() float64 { return bandTolerance * (s.most + s.floor) }

// condition bounds how far the modulation index of a pair of bands moves by the noise of both, to
// first order: with q_b the content of a bin, W_b its weight and
//
//	g_b = dMI/dq_b = (ln P_b - sum P ln P) / (sum q ln 18)
//
// an amplitude that is off by d moves it by d sum over b of g_b w_b / W_b, and a soft weight d
// that a sample of amplitude A takes from bin b to bin c by d (h_c - h_b), where
// h_b = g_b (A - q_b) / W_b. With sums for means W_b is 1 and h_b is g_b A. Samples err
// independently of each other, so the squares are added; those whose phase is not determined
// at all, to half a bin, are added up as if they agreed in sign. Hard bins are known: they
// are those of the devices, which are right within the noise. A pair of bands whose bound is
// below 1e-6 + 1 % is well-conditioned, as pairs are that hold a share of their input.
func (p *problem) condition(phase *phaseBand, amplitude *amplitudeBand) float64 {
	b := &phase.want
	q := b.distribution(amplitude.want, 0, p.sums)
	all, entropy := 0.0, 0.0
	for _, x := range q {
		all += x
	}
	if all <= 0 {
		return 0
	}
	for _, x := range q {
		if x > 0 {
			entropy += x / all * math.Log(x/all)
		}
	}
	var slope, weight [bins]float64
	for k, x := range q {
		slope[k] = (math.Log(max(x/all, 1e-30)) - entropy) / (all * math.Log(bins))
		weight[k] = 1
		if !p.sums {
			weight[k] = max(b.weight[k], 1e-9)
		}
	}
	known, unknown := 0.0, 0.0
	for t, shares := range b.shares {
		byAmplitude := 0.0
		for _, s := range shares {
			byAmplitude += slope[s.bin] * s.weight / weight[s.bin]
		}
		known += square(byAmplitude * amplitude.noise)
		if taken := p.taken(phase.away[t], phase.off[t]); taken > 0 {
			from, most := shares[0].bin, 0.0
			h := func(bin int) float64 {
				a := amplitude.want[t]
				if !p.sums {
					a -= q[bin]
				}
				return slope[bin] * a / weight[bin]
			}
			if phase.off[t] < binWidth/2 {
				known += square((h(phase.next[t]) - h(from)) * taken)
				continue
			}
			for bin := range bins {
				most = max(most, math.Abs(h(bin)-h(from)))
			}
			unknown += most
		}
	}
	return min(math.Sqrt(known)+unknown, 1)
}

func square(x float64) float64 { return x * x }

// taken is the largest weight that a sample gives up or takes when its phase, away from the
// edge of its bin, is off.
func (p *problem) taken(away, off float64) float64 {
	switch {
	case !p.soft:
		return 0
	case off >= binWidth/2:
		return 1
	case nearWeight(away-off) > 1-0.5/weightSteps: // the other bin has none
		return 0
	}
	return max(nearWeight(away)-nearWeight(away-off), nearWeight(away+off)-nearWeight(away)) + 1.0/weightSteps
}

// nearWeight is the soft weight of the bin of a phase that lies so far inside its edge,
// negative beyond it.
func nearWeight(away float64) float64 { return 1 / (1 + math.Exp(-2*away/0.01)) }
