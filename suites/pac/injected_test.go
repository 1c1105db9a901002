package pac

import (
	"maps"
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
)

// outputs are arrays of a device.
type outputs map[string][]uint32

func (o outputs) Words(array string, first, n int64) ([]uint32, error) {
	return o[array][first : first+n], nil
}

func (o outputs) LocalWords(array string, _ int, first, n int64) ([]uint32, error) {
	return o.Words(array, first, n)
}

// perfect are the outputs for one signal: bent may change analytic signals of a band before
// they are used.
func (p *problem) perfect(bent func(band int, z []complex128)) outputs {
	x := p.samplesOf(0)
	out := outputs{}
	var phases []binning
	var amplitudes [][]float64
	for b, taps := range p.taps {
		z := p.analyticOf(x, taps).z
		bent(b, z)
		if b < len(p.pha) {
			out["lists"] = append(out["lists"], p.listOf(z)...)
			var phase binning
			for _, v := range z {
				phase.add(p.sharesOf(cmplx.Phase(v)))
			}
			phases = append(phases, phase)
			continue
		}
		out["amplitudes"] = append(out["amplitudes"], wholeAmplitudes(z)...)
		amplitudes = append(amplitudes, nil)
		for _, v := range z {
			amplitudes[len(amplitudes)-1] = append(amplitudes[len(amplitudes)-1], cmplx.Abs(v))
		}
	}
	for b := range phases {
		for a := range amplitudes {
			mi := index(phases[b].distribution(amplitudes[a], 0, p.sums))
			out["mi"] = append(out["mi"], math.Float32bits(float32(mi)))
		}
	}
	return out
}

// wrong is what the check says.
func (p *problem) wrong(out outputs) string {
	var tally suites.Tally
	p.compare(&reader{Reader: out}, 0, &tally)
	return tally.Wrong
}

// What a check must find: errors in full bands, and in bands that are empty every error
// of the modulation index that does not come from the rounding of filters.
func TestInjectedErrors(t *testing.T) {
	straight := func(int, []complex128) {}
	turned := func(by float64) func(int, []complex128) {
		return func(band int, z []complex128) {
			if band == 3 { // 6 to 10 Hz
				for i := range z {
					z[i] *= cmplx.Rect(1, by)
				}
			}
		}
	}
	for _, soft := range []int64{0, 1} {
		full := problemFor(t, map[string]int64{"binning": soft})
		empty := recorded(t, smooth(2048), map[string]int64{"binning": soft})
		for _, p := range []*problem{full, empty} {
			good := p.perfect(straight)
			if wrong := p.wrong(good); wrong != "" {
				t.Fatalf("soft %d: %s", soft, wrong)
			}
			for _, i := range []int{0, 31, 99} {
				bad := maps.Clone(good)
				bad["mi"] = slices.Clone(good["mi"])
				mi := float64(math.Float32frombits(bad["mi"][i]))
				bad["mi"][i] = math.Float32bits(float32(mi*1.012 + 1.1e-6))
				if p.wrong(bad) == "" {
					t.Errorf("soft %d: index %d was %v and is %v, which is right, too", soft, i, mi, math.Float32frombits(bad["mi"][i]))
				}
			}
		}
		if wrong := full.wrong(full.perfect(turned(5e-4))); !strings.Contains(wrong, "of row 3") {
			t.Errorf("soft %d: phases turned by 5e-4: %q", soft, wrong)
		}
		longer := func(band int, z []complex128) {
			if band == len(full.pha)+1 {
				z[1000] *= 1.001
			}
		}
		if wrong := full.wrong(full.perfect(longer)); !strings.Contains(wrong, "amplitude of row 1") {
			t.Errorf("soft %d: an amplitude longer by a thousandth: %q", soft, wrong)
		}
	}
}

// A temperature of the soft bins that is off by 2 % shows in the weights.
func TestInjectedTemperature(t *testing.T) {
	p := problemFor(t, map[string]int64{"binning": 1})
	wrong := p.wrong(p.perfect(func(band int, z []complex128) {
		if band >= len(p.pha) {
			return
		}
		for i, v := range z {
			phase := cmplx.Phase(v)
			d := wrap(phase - centre(binOf(phase)))
			away := math.Copysign(binWidth/2-math.Abs(d), d) // nearer to the edge
			z[i] = v * cmplx.Rect(1, away*(1-1/1.02))
		}
	}))
	if !strings.Contains(wrong, "weight in bin") {
		t.Errorf("%q", wrong)
	}
}
