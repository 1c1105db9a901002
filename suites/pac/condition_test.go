package pac

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// smooth is a recording whose bands are nearly empty but for two: it begins and ends with
// nothing.
func smooth(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		window := 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/float64(n-1))
		out[i] = float32(window * window * math.Sin(0.07*float64(i)))
	}
	return out
}

// recorded is the problem of a recording.
func recorded(t *testing.T, x []float32, params map[string]int64) *problem {
	t.Helper()
	b := suitetest.Build(mi{}, 1, 1)
	b.Input = filepath.Join(t.TempDir(), "x.npy")
	save(t, b.Input, suitetest.Npy("<f4", shapeText(1, len(x)), x))
	b.Params["fs"], b.Params["n_perm"] = 512, 0
	for k, v := range params {
		b.Params[k] = v
	}
	p, err := problemOf(b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bandsOf are the bands of the first signal as a perfect device makes them.
func bandsOf(t *testing.T, p *problem) (phases []phaseBand, amplitudes []amplitudeBand) {
	t.Helper()
	var tally suites.Tally
	x := p.samplesOf(0)
	for b := range p.pha {
		s := p.analyticOf(x, p.taps[b])
		phases = append(phases, p.comparePhases(0, p.listOf(s.z), s, &tally))
	}
	for a := range p.amp {
		s := p.analyticOf(x, p.taps[len(p.pha)+a])
		amplitudes = append(amplitudes, compareAmplitudes(0, wholeAmplitudes(s.z), s, &tally))
	}
	if tally.Wrong != "" {
		t.Fatal(tally.Wrong)
	}
	return phases, amplitudes
}

// Bands that hold a share of their input keep the tolerance of the specification, or nearly
// so; empty ones do not.
func TestCondition(t *testing.T) {
	for _, soft := range []int64{0, 1} {
		for _, sums := range []int64{0, 1} {
			params := map[string]int64{"binning": soft, "distribution": sums}
			for _, c := range []struct {
				p           *problem
				least, most int
			}{{problemFor(t, params), 95, 100}, {recorded(t, smooth(2048), params), 0, 0}} {
				phases, amplitudes := bandsOf(t, c.p)
				well := 0
				for b := range phases {
					for a := range amplitudes {
						want := index(phases[b].want.distribution(amplitudes[a].want, 0, c.p.sums))
						bound := c.p.condition(&phases[b], &amplitudes[a])
						if bound <= miFloor+miShare*want {
							well++
						}
						if c.most > 0 && bound > 2*(miFloor+miShare*want) {
							t.Errorf("soft %d, sums %d, bands %d and %d: index %v, bound %v", soft, sums, b, a, want, bound)
						}
					}
				}
				if well < c.least || well > c.most {
					t.Errorf("soft %d, sums %d: %d pairs are well-conditioned, expected %d to %d", soft, sums, well, c.least, c.most)
				}
			}
		}
	}
}

// Errors of the size that devices make, a tenth of the noise, move no index further than its
// bound.
func TestConditionBoundsTheIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, soft := range []int64{0, 1} {
		for _, sums := range []int64{0, 1} {
			p := recorded(t, smooth(1024), map[string]int64{"binning": soft, "distribution": sums})
			phases, amplitudes := bandsOf(t, p)
			x := p.samplesOf(0)
			shaken := func(band int) []complex128 {
				s := p.analyticOf(x, p.taps[band])
				for i := range s.z {
					s.z[i] += cmplx.Rect(s.noise()/10, 2*math.Pi*r.Float64())
				}
				return s.z
			}
			for b := range phases {
				var moved binning
				for _, z := range shaken(b) {
					moved.add(p.sharesOf(cmplx.Phase(z)))
				}
				for a := range amplitudes {
					var amplitude []float64
					for _, z := range shaken(len(p.pha) + a) {
						amplitude = append(amplitude, cmplx.Abs(z))
					}
					want := index(phases[b].want.distribution(amplitudes[a].want, 0, p.sums))
					got := index(moved.distribution(amplitude, 0, p.sums))
					if bound := max(p.condition(&phases[b], &amplitudes[a]), miFloor+miShare*want); math.Abs(got-want) > bound {
						t.Errorf("soft %d, sums %d, bands %d and %d: %v moved to %v, bound %v", soft, sums, b, a, want, got, bound)
					}
				}
			}
		}
	}
}
