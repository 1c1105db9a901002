package pac

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
)

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
