package pac

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/amgpu/amgpu/suites"
)

// amplitudeBand is an amplitude band of one signal.
type amplitudeBand struct {
	want, got []float64 // of the reference and of the devices, in the signal's unit
	noise     float64   // how far an amplitude may be off
}

// phaseBand is a phase band of one signal.
type phaseBand struct {
	want, got binning
	off       []float64 // how far each phase may be off, in radians; 2 pi where it may be any
	away      []float64 // distance of each phase from the edge of its bin that is nearest
	next      []int     // the bin beyond that edge
}

// compareAmplitudes compares the amplitudes of one band, in units of their sum / 2^31.
func compareAmplitudes(row int64, raw []uint32, s analytic, t *suites.Tally) amplitudeBand {
	b := amplitudeBand{noise: s.noise(), want: make([]float64, len(s.z)), got: make([]float64, len(s.z))}
	sum := 0.0
	for i, v := range s.z {
		b.want[i] = cmplx.Abs(v)
		sum += b.want[i]
	}
	for i, w := range raw {
		b.got[i] = float64(w) * 0x1p-31 * sum
		t.Identity(fmt.Sprintf("amplitude of row %d", row), int64(i), b.got[i], b.want[i], b.noise)
	}
	return b
}

// comparePhases compares a list with the phases of one band: a hard bin, and each of the
// two soft weights, must be that of a phase no further off than the band's noise allows.
func (p *problem) comparePhases(row int64, raw []uint32, s analytic, t *suites.Tally) phaseBand {
	n := len(s.z)
	b := phaseBand{off: make([]float64, n), away: make([]float64, n), next: make([]int, n)}
	got, ok := p.readList(raw, n)
	t.Identity("every sample is in a list once", row, flagValue(ok), 1, 0)
	noise := s.noise()
	for i, v := range s.z {
		phase := cmplx.Phase(v)
		soft := softBins(phase)
		shares := [2]share{{soft[0].bin, 1}}
		if p.soft {
			shares = soft
		}
		b.want.add(shares)
		b.off[i] = 2 * math.Pi
		if a := cmplx.Abs(v); a > noise {
			b.off[i] = math.Asin(noise / a)
		}
		b.next[i] = soft[1].bin
		b.away[i] = binWidth/2 - math.Abs(wrap(phase-centre(soft[0].bin)))
		switch {
		case !ok:
		case p.soft:
			compareWeights(row, i, got[i], shares, b.away[i], b.off[i], t)
		default:
			beyond := math.Abs(wrap(phase-centre(got[i][0].bin))) - binWidth/2
			t.Identity(fmt.Sprintf("bin of the phase of row %d", row), int64(i), max(beyond, 0), 0, b.off[i])
		}
	}
	b.got = b.want
	if ok {
		b.got = binning{}
		for _, shares := range got {
			b.got.add(shares)
		}
	}
	if !p.soft { // near an edge either bin is right
		b.want = b.got
	}
	return b
}

// weightRounding is the error of a soft weight besides that of the phase: 16 bits, and exp
// and atan in 32 bits.
const weightRounding = 2e-4

// compareWeights compares the two weights of a sample whose phase is away from the edge of
// its bin and may be off.
func compareWeights(row int64, i int, got, want [2]share, away, off float64, t *suites.Tally) {
	if off >= binWidth/2 { // another pair of bins may be right
		return
	}
	low, high := nearWeight(away-off), nearWeight(away+off)
	for k, s := range want {
		w := weightIn(got, s.bin)
		if k == 1 { // the other one's complement
			w = 1 - w
		}
		t.Identity(fmt.Sprintf("weight in bin %d of row %d", s.bin, row), int64(i), w, min(max(w, low), high), weightRounding)
	}
}

// centre is the phase in the middle of a bin.
func centre(bin int) float64 { return -math.Pi + (float64(bin)+0.5)*binWidth }

func flagValue(ok bool) float64 { return float64(flag(ok)) }

func weightIn(shares [2]share, bin int) (w float64) {
	for _, s := range shares {
		if s.bin == bin {
			w += s.weight
		}
	}
	return w
}

// wrap brings an angle into [-pi, pi].
func wrap(a float64) float64 { return math.Remainder(a, 2*math.Pi) }

// readList is what a list says of every sample; false if it is not one.
func (p *problem) readList(raw []uint32, n int) ([][2]share, bool) {
	out := make([][2]share, n)
	have := make([]int, n)
	sums := make([]float64, n)
	for b := range bins {
		first, count := int64(raw[4*b])*4, int64(raw[4*b+1])
		if first < headWords || first+count > int64(len(raw)) {
			return nil, false
		}
		weight := 0.0
		for _, e := range raw[first : first+count] {
			i, w := int(e&0xFFFF), float64(e>>16)/weightSteps
			if !p.soft {
				w = 1
			}
			if i >= n || have[i] == 2 {
				return nil, false
			}
			out[i][have[i]] = share{b, w}
			have[i]++
			sums[i] += w
			weight += w
		}
		said := float64(raw[4*b+2])
		if p.soft {
			said /= weightSteps
		}
		if math.Abs(said-weight) > 1e-6*(1+weight) {
			return nil, false
		}
	}
	for _, s := range sums {
		if math.Abs(s-1) > 1e-9 {
			return nil, false
		}
	}
	return out, true
}
