package pac

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/amgpu/amgpu/suites"
)

const (
	miFloor, miShare = 1e-6, 0.01
	zFloor, zShare   = 0.05, 0.01
	// rounding of a modulation index in 32 bits, which a small spread of surrogates
	// magnifies in z.
	miRounding = 3e-7
)

// Verify recomputes signals in 64 bits, all or those at shares' ends and Philox-chosen ones:
// amplitudes, the bins of every sample, modulation indices, z-scores.
func (mi) Verify(c *suites.Check) (suites.Outcome, error) {
	p, err := problemOf(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	chosen := p.choose(c)
	out := &reader{Reader: c.Out}
	var empty atomic.Int64
	tally := suites.Spread(int64(len(chosen)), func(lo, hi int64, t *suites.Tally) {
		for _, signal := range chosen[lo:hi] {
			empty.Add(p.compare(out, signal, t))
		}
	})
	if out.err != nil {
		return suites.Outcome{}, out.err
	}
	all, err := c.Out.Words("mi", 0, p.signals*p.values())
	if err != nil {
		return suites.Outcome{}, err
	}
	self := fmt.Sprintf("amplitudes and bins of %d signals, 0 <= MI <= 1", len(chosen))
	if n := empty.Load(); n > 0 {
		self += fmt.Sprintf("; %d of %d indices are not determined to 1 %% by bands that hold so little of their signal", n, int64(len(chosen))*p.values())
	}
	for i, w := range all {
		v := float64(math.Float32frombits(w))
		tally.Identity("MI in [0,1]", int64(i), v, min(max(v, 0), 1), 0)
	}
	if p.knowsPeak(c.Build) {
		self += ", the coupled signal peaks at phase 6-10 Hz, amplitude 62.2-80 Hz"
		if err := p.peak(c.Out, all, &tally); err != nil {
			return suites.Outcome{}, err
		}
	}
	if c.Build.Split != p.split {
		self += "; without surrogates divided by batch"
	}
	o := tally.Outcome("E3", self)
	o.Comodulogram = p.comodulogram(all)
	return o, nil
}

// reader serves one goroutine at a time and keeps the first error, after which it reads
// zeros.
type reader struct {
	suites.Reader
	sync.Mutex
	err error
}

func (r *reader) words(array string, first, n int64) []uint32 {
	r.Lock()
	defer r.Unlock()
	words, err := r.Words(array, first, n)
	if err != nil {
		r.err = errors.Join(r.err, err)
		return make([]uint32, n)
	}
	return words
}

func (p *problem) values() int64 { return int64(len(p.pha) * len(p.amp)) }

// choose lists the signals to compare.
func (p *problem) choose(c *suites.Check) []int64 {
	k := p.signals
	if !c.Full {
		k = (suites.MinSampled + p.values() - 1) / p.values()
	}
	at := suites.SampleIndices(c.Build.Seed, number, 0, p.signals, int(k))
	if p.split != "permutation" {
		for _, s := range c.Program.Shares {
			if s.Len() > 0 {
				at = append(at, s.Lo*p.perUnit, s.Hi*p.perUnit-1)
			}
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// compare checks all that the devices made of one signal: lists and amplitudes against the
// reference, sample by sample; the modulation index against the reference's, as far as the
// bands determine it, and, like the z-scores, against the lists and amplitudes that the
// devices used, which were found right before. It returns how many indices are not
// determined to the tolerance.
func (p *problem) compare(out *reader, signal int64, t *suites.Tally) (empty int64) {
	x := p.samplesOf(signal)
	phases := make([]phaseBand, len(p.pha))
	for b := range p.pha {
		row := signal*int64(len(p.pha)) + int64(b)
		raw := out.words("lists", row*p.list(), p.list())
		phases[b] = p.comparePhases(row, raw, p.analyticOf(x, p.taps[b]), t)
	}
	amplitudes := make([]amplitudeBand, len(p.amp))
	for a := range p.amp {
		row := signal*int64(len(p.amp)) + int64(a)
		raw := out.words("amplitudes", row*p.samples, p.samples)
		amplitudes[a] = compareAmplitudes(row, raw, p.analyticOf(x, p.taps[len(p.pha)+a]), t)
	}
	first := signal * p.values()
	got := out.words("mi", first, p.values())
	var scores []uint32
	if p.perms > 0 {
		scores = out.words("z", first, p.values())
	}
	surrogates := make([]float64, p.perms)
	for b := range phases {
		for a := range amplitudes {
			phase, amplitude := &phases[b], &amplitudes[a]
			i := int64(b*len(p.amp) + a)
			want := index(phase.want.distribution(amplitude.want, 0, p.sums))
			near := miFloor + miShare*want
			if moved := p.condition(phase, amplitude); moved > near {
				near = moved
				empty++
			}
			t.Near("mi", first+i, got[i], want, near)
			used := index(phase.got.distribution(amplitude.got, 0, p.sums))
			off := math.Abs(float64(math.Float32frombits(got[i])) - used)
			t.Identity("MI is that of the lists and amplitudes of the devices,", first+i, off, 0, miFloor+miShare*used)
			if p.perms == 0 {
				continue
			}
			for k := range surrogates {
				surrogates[k] = index(phase.got.distribution(amplitude.got, p.cut(int64(k)), p.sums))
			}
			mean, sd := moments(surrogates)
			z := score(used, mean, sd)
			bound := zFloor + zShare*math.Abs(z)
			if sd > 0 {
				bound += miRounding * (1 + math.Abs(z)) / sd
			}
			t.Near("z", first+i, scores[i], z, bound)
		}
	}
	return empty
}
