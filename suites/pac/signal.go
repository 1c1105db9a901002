package pac

import (
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// The synthetic signal: slow + (0.5 + 0.5 k slow) fast + noise, slow a sine of 10 Hz, fast
// one of 80 Hz, k the coupling: 0.5 in the first signal, uniform in [0,1) in the others.
const (
	slowHz, fastHz = 10, 80
	noiseSD        = 0.1
	firstCoupling  = 0.5
)

// coupling is k of a signal, numbered by item and then channel.
func coupling(seed uint64, id int64) float64 {
	if id == 0 {
		return firstCoupling
	}
	return float64(suites.Stream{Seed: seed, Workload: number, Array: idCoupling}.F32(id, 0, 1))
}

// noise has the variance 1: the sum of four uniform variables of 16 bits, half a Philox
// block for each sample.
func noise(block [4]uint32, odd int64) float64 {
	a, b := block[2*odd], block[2*odd+1]
	sum := float64(a>>16) + float64(a&0xFFFF) + float64(b>>16) + float64(b&0xFFFF) + 2
	return (sum*0x1p-16 - 2) * math.Sqrt(3)
}

// source makes x: synthetic, or from the recording. Blocks of the permutation split may
// end beyond the last signal: zeros.
func (p *problem) source() program.Source {
	slow, fast := make([]float64, p.samples), make([]float64, p.samples)
	for t := range slow {
		slow[t] = math.Sin(2 * math.Pi * slowHz * float64(t) / p.fs)
		fast[t] = math.Sin(2 * math.Pi * fastHz * float64(t) / p.fs)
	}
	return program.Source{Kind: program.Made, ID: idNoise, Make: func(_ int, first int64, into []uint32) {
		for len(into) > 0 {
			signal, t := first/p.samples, first%p.samples
			n := min(int64(len(into)), p.samples-t)
			switch {
			case signal >= p.signals:
				clear(into[:n])
			case p.rec != nil:
				for i, x := range p.rec.signal(p, signal)[t : t+n] {
					into[i] = math.Float32bits(x)
				}
			default:
				p.synthetic(signal, t, into[:n], slow, fast)
			}
			into, first = into[n:], first+n
		}
	}}
}

// synthetic makes the samples from t on of a signal.
func (p *problem) synthetic(signal, t int64, into []uint32, slow, fast []float64) {
	item, channel := p.at(signal)
	id := item*p.channels + channel
	k := coupling(p.seed, id)
	key := [2]uint32{uint32(p.seed), uint32(p.seed >> 32)}
	var block [4]uint32
	at := int64(-1)
	for i := range into {
		n := t + int64(i)
		if n/2 != at {
			at = n / 2
			index := uint64(id*((p.samples+1)/2) + at)
			block = suites.Philox([4]uint32{uint32(index), uint32(index >> 32), idNoise, number}, key)
		}
		x := slow[n] + (0.5+0.5*k*slow[n])*fast[n] + noiseSD*noise(block, n%2)
		into[i] = math.Float32bits(float32(x))
	}
}

// samplesOf are the samples of one signal as the devices get them.
func (p *problem) samplesOf(signal int64) []float32 {
	if p.rec != nil {
		return p.rec.signal(p, signal)
	}
	raw := make([]uint32, p.samples)
	p.source().Make(0, signal*p.samples, raw)
	out := make([]float32, p.samples)
	for i, w := range raw {
		out[i] = math.Float32frombits(w)
	}
	return out
}

// cut is the shift of surrogate k.
func (p *problem) cut(k int64) int64 {
	w := suites.Stream{Seed: p.seed, Workload: number, Array: idCuts}.Word(k)
	return 1 + int64(w)%(p.samples-1)
}
