package pac

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"sync"

	"github.com/amgpu/amgpu/suites"
)

const (
	amplitudeTolerance = 2e-5 // of the largest amplitude
	miFloor, miShare   = 1e-6, 0.01
	zFloor, zShare     = 0.05, 0.01
	// rounding of a modulation index in 32 bits, which a small spread of surrogates
	// magnifies in z.
	miRounding = 3e-7
)

// Verify recomputes signals in 64 bits, all or those at shares' ends and Philox-chosen ones:
// amplitudes, the bin of every sample (either bin where the phase is within the tolerance
// of an edge), modulation indices with the bins of the device, z-scores.
func (mi) Verify(c *suites.Check) (suites.Outcome, error) {
	p, err := problemOf(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	chosen := p.choose(c)
	out := &reader{Reader: c.Out}
	tally := suites.Spread(int64(len(chosen)), func(lo, hi int64, t *suites.Tally) {
		for _, signal := range chosen[lo:hi] {
			p.compare(out, signal, t)
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

// compare checks all that the devices made of one signal.
func (p *problem) compare(out *reader, signal int64, t *suites.Tally) {
	x := p.samplesOf(signal)
	phases := make([]binning, len(p.pha))
	for b := range p.pha {
		row := signal*int64(len(p.pha)) + int64(b)
		raw := out.words("lists", row*p.list(), p.list())
		phases[b] = p.compareBins(row, raw, p.analyticOf(x, p.taps[b]), t)
	}
	amplitudes := make([][]float64, len(p.amp))
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
		for a, amplitude := range amplitudes {
			i := int64(b*len(p.amp) + a)
			want := index(phases[b].distribution(amplitude, 0, p.sums))
			t.Near("mi", first+i, got[i], want, miFloor+miShare*want)
			if p.perms == 0 {
				continue
			}
			for k := range surrogates {
				surrogates[k] = index(phases[b].distribution(amplitude, p.cut(int64(k)), p.sums))
			}
			mean, sd := moments(surrogates)
			z := score(want, mean, sd)
			bound := zFloor + zShare*math.Abs(z)
			if sd > 0 {
				bound += miRounding * (1 + math.Abs(z)) / sd
			}
			t.Near("z", first+i, scores[i], z, bound)
		}
	}
}

// compareAmplitudes compares the amplitudes of one band, in units of their sum / 2^31.
func compareAmplitudes(row int64, raw []uint32, z []complex128, t *suites.Tally) []float64 {
	want := make([]float64, len(z))
	sum, most := 0.0, 0.0
	for i, v := range z {
		want[i] = cmplx.Abs(v)
		sum += want[i]
		most = max(most, want[i])
	}
	for i, w := range raw {
		got := float64(w) * 0x1p-31 * sum
		t.Identity(fmt.Sprintf("amplitude of row %d", row), int64(i), got, want[i], amplitudeTolerance*most)
	}
	return want
}

// compareBins compares a list with the phases of one band and returns the binning to
// compare modulation indices with: the device's where hard bins are, as close to an edge
// either bin is right; else that of the reference.
func (p *problem) compareBins(row int64, raw []uint32, z []complex128, t *suites.Tally) binning {
	var ref binning
	shares := make([][2]share, len(z))
	most := 0.0
	for i, v := range z {
		most = max(most, cmplx.Abs(v))
		shares[i] = [2]share{{binOf(cmplx.Phase(v)), 1}}
		if p.soft {
			shares[i] = softBins(cmplx.Phase(v))
		}
	}
	got, ok := p.readList(raw, len(z))
	t.Identity("every sample is in a list once", row, flagValue(ok), 1, 0)
	for i := range z {
		off := 2 * math.Pi // how far the phase may be off
		if a := cmplx.Abs(z[i]); a > amplitudeTolerance*most {
			off = math.Asin(amplitudeTolerance * most / a)
		}
		if !ok {
			break
		}
		if !p.soft {
			b := got[i][0].bin
			away := math.Abs(wrap(cmplx.Phase(z[i])-(-math.Pi+(float64(b)+0.5)*binWidth))) - binWidth/2
			t.Identity(fmt.Sprintf("bin of the phase of row %d", row), int64(i), max(away, 0), 0, off)
			shares[i] = got[i]
			continue
		}
		for _, s := range shares[i] { // the slope of a weight is 50 at most
			t.Identity(fmt.Sprintf("weight in bin %d of row %d", s.bin, row), int64(i), weightIn(got[i], s.bin), s.weight, 50*off+2e-4)
		}
	}
	for _, s := range shares {
		ref.add(s)
	}
	return ref
}

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
	const one = 65535
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
			i, w := int(e&0xFFFF), float64(e>>16)/one
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
			said /= one
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

// knowsPeak: the first synthetic signal has its largest index where the specification says.
func (p *problem) knowsPeak(b suites.Build) bool {
	v := b.Params
	return p.rec == nil && p.fs == 512 && p.samples >= 2048 && v["n_pha"] == 10 && v["n_amp"] == 10 && v["pha_min"] == 2 && v["pha_max"] == 20 &&
		v["amp_min"] == 60 && or(v["amp_max"], 160) == 160 && v["kernel"] == 0
}

// The peak of the coupled signal: bands 6-10 Hz and 62.2-80 Hz.
const peakPhase, peakAmplitude = 3, 1

// peak checks where the first signal's index, and with enough surrogates its z, is largest.
func (p *problem) peak(out suites.Reader, all []uint32, t *suites.Tally) error {
	largest := func(words []uint32) (at int64) {
		for i, w := range words {
			if math.Float32frombits(w) > math.Float32frombits(words[at]) {
				at = int64(i)
			}
		}
		return at
	}
	want := int64(peakPhase*len(p.amp) + peakAmplitude)
	t.Identity("pair of bands where the first signal couples most", 0, float64(largest(all[:p.values()])), float64(want), 0)
	if p.perms < 100 {
		return nil
	}
	z, err := out.Words("z", want, 1)
	if err != nil {
		return err
	}
	if v := math.Float32frombits(z[0]); !(v > 3) {
		t.Identity("z of the coupled bands above 3", 0, float64(v), 3, 0)
	}
	return nil
}

// comodulogram shows the signal with the largest modulation index.
func (p *problem) comodulogram(all []uint32) *suites.Comodulogram {
	best := 0
	for i, w := range all {
		if math.Float32frombits(w) > math.Float32frombits(all[best]) {
			best = i
		}
	}
	signal := int64(best) / p.values()
	item, channel := p.at(signal)
	c := &suites.Comodulogram{Measure: "modulation index (Tort)", Signal: fmt.Sprintf("item %d, channel %d, the one with the largest", item, channel)}
	if p.sums {
		c.Measure = "modulation index (sums, as gPAC)"
	}
	for _, b := range p.pha {
		c.Phase = append(c.Phase, b.centre)
	}
	for a, b := range p.amp {
		c.Amplitude = append(c.Amplitude, b.centre)
		row := make([]float64, len(p.pha))
		for k := range row {
			row[k] = float64(math.Float32frombits(all[signal*p.values()+int64(k*len(p.amp)+a)]))
		}
		c.Values = append(c.Values, row)
	}
	return c
}
