package pac

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// request is a build of one item of one channel with the parameters of the specification.
func request(params map[string]int64) suites.Build {
	b := suitetest.Build(mi{}, 1, 1)
	b.Params["channels"], b.Params["time"], b.Params["n_perm"] = 1, 2048, 0
	for k, v := range params {
		b.Params[k] = v
	}
	return b
}

func problemFor(t *testing.T, params map[string]int64) *problem {
	t.Helper()
	p, err := problemOf(request(params))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The filter of the reference against sums over all taps, forwards and backwards.
func TestFilterIsTwoPasses(t *testing.T) {
	for _, params := range []map[string]int64{{"time": 97, "kernel": 1}, {"time": 128, "pha_min": 10}} {
		p := problemFor(t, params)
		x := p.samplesOf(0)
		for b := range p.taps {
			h := p.taps[b]
			n, c := int(p.samples), len(h)/2
			first, second := make([]float64, n), make([]float64, n)
			for i := range n {
				for k, v := range h {
					if at := i + k - c; at >= 0 && at < n {
						first[i] += float64(v) * float64(x[at])
					}
				}
			}
			for i := range n {
				for k, v := range h {
					if at := i - (k - c); at >= 0 && at < n {
						second[i] += float64(v) * first[at]
					}
				}
			}
			most := 0.0
			for _, v := range second {
				most = max(most, math.Abs(v))
			}
			for i, z := range p.analyticOf(x, h).z {
				if math.Abs(real(z)-second[i]) > 1e-12*most {
					t.Fatalf("%v, band %d: sample %d is %v, expected %v", params, b, i, real(z), second[i])
				}
			}
		}
	}
}

// indices are the reference's for the only signal.
func indices(p *problem) (out []float64) {
	x := p.samplesOf(0)
	for b := range p.pha {
		var phase binning
		for _, z := range p.analyticOf(x, p.taps[b]).z {
			shares := [2]share{{binOf(math.Atan2(imag(z), real(z))), 1}}
			if p.soft {
				shares = softBins(math.Atan2(imag(z), real(z)))
			}
			phase.add(shares)
		}
		for a := range p.amp {
			var amplitude []float64
			for _, z := range p.analyticOf(x, p.taps[len(p.pha)+a]).z {
				amplitude = append(amplitude, math.Hypot(real(z), imag(z)))
			}
			out = append(out, index(phase.distribution(amplitude, 0, p.sums)))
		}
	}
	return out
}

// The coupled signal of the specification: largest in phase band 6-10 Hz and amplitude
// band 62.2-80 Hz, at 0.033 to 0.036, whatever the noise.
func TestCoupledSignal(t *testing.T) {
	for seed := uint64(1); seed <= 3; seed++ {
		b := request(nil)
		b.Seed = seed
		p, err := problemOf(b)
		if err != nil {
			t.Fatal(err)
		}
		got := indices(p)
		most := slices.Index(got, slices.Max(got))
		if most != peakPhase*10+peakAmplitude || got[most] < 0.033 || got[most] > 0.036 {
			t.Errorf("seed %d: %v at pair %d", seed, got[most], most)
		}
	}
}

// The limits: constant amplitude gives 0, all amplitude in one bin gives 1; the form
// without cancellation against the textbook's.
func TestIndexLimits(t *testing.T) {
	var constant, single binning
	amplitude, one := make([]float64, 360), make([]float64, 360)
	for i := range amplitude {
		// Unequal bins: means, not sums, make a constant amplitude uniform.
		phase := math.Pi * math.Sin(float64(i))
		constant.add([2]share{{binOf(phase), 1}})
		single.add([2]share{{i / 20, 1}})
		amplitude[i] = 3
		if i/20 == 7 {
			one[i] = 2
		}
	}
	if v := index(constant.distribution(amplitude, 0, false)); v > 1e-15 {
		t.Errorf("constant amplitude: %v", v)
	}
	if v := index(constant.distribution(amplitude, 0, true)); v < 1e-3 {
		t.Errorf("sums over unequal bins: %v", v)
	}
	if v := index(single.distribution(one, 0, false)); math.Abs(v-1) > 1e-14 {
		t.Errorf("one bin: %v", v)
	}
	if v := index([bins]float64{}); v != 0 {
		t.Errorf("no amplitude: %v", v)
	}
	q, entropy, all := [bins]float64{}, 0.0, 0.0
	for b := range q {
		q[b] = 1 + 0.4*math.Sin(float64(b))
		all += q[b]
	}
	for _, x := range q {
		entropy += x / all * math.Log(x/all)
	}
	if got, want := index(q), 1+entropy/math.Log(bins); math.Abs(got-want) > 1e-14 {
		t.Errorf("index %v, textbook %v", got, want)
	}
}

// Soft weights against the softmax over all bins, in steps of 1/65535.
func TestSoftBins(t *testing.T) {
	for phase := -3.14; phase < 3.14; phase += 0.0137 {
		var w [bins]float64
		sum := 0.0
		for b := range w {
			w[b] = math.Exp(-math.Abs(wrap(phase+math.Pi-(float64(b)+0.5)*binWidth)) / 0.01)
			sum += w[b]
		}
		for _, s := range softBins(phase) {
			if want := w[s.bin] / sum; math.Abs(s.weight-want) > 0.5/weightSteps+1e-13 {
				t.Errorf("phase %v, bin %d: %v, expected %v", phase, s.bin, s.weight, want)
			}
		}
	}
}

func TestBuildKeepsInvariants(t *testing.T) {
	for _, split := range (mi{}).Info().Splits {
		for _, size := range []int64{1, 2, 7, 13} {
			for count := 1; count <= 3; count++ {
				for _, perms := range []int64{0, 1, 17, 1000} {
					b := suitetest.Build(mi{}, size, count)
					b.Split, b.Params["n_perm"], b.Params["channels"] = split, perms, 3
					p, err := (mi{}).Build(b)
					if err == nil {
						err = suitetest.Invariants(p, count)
					}
					if err != nil {
						t.Fatalf("%s, %d items, %d surrogates, %d devices: %v", split, size, perms, count, err)
					}
					if p.Work != float64(3*size) {
						t.Errorf("work %v for %d items", p.Work, size)
					}
				}
			}
		}
	}
}

func TestWeakGrowth(t *testing.T) {
	for split, want := range map[string]string{"batch": "12x2 16", "channel": "4x6 16", "permutation": "4x2 48"} {
		b := suitetest.Weak(mi{}, 4, 3)
		b.Split = split
		p, err := problemOf(b)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%dx%d %d", p.items, p.channels, p.perms); got != want {
			t.Errorf("%s: %s, expected %s", split, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		value int64
		want  string
	}{
		{"fs", 256, "must end below 128 Hz"},
		{"fs", 320, "must end below 160 Hz"},
		{"pha_max", 256, "fs/2"},
		{"pha_min", 20, "pha_min must be below"},
		{"amp_min", 160, "amp_min must be below"},
		{"time", 63, "from 64 to 4096"},
		{"time", 4097, "from 64 to 4096"},
		{"channels", 1 << 23, "at most"},
	} {
		if _, err := (mi{}).Build(request(map[string]int64{c.name: c.value})); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s = %d: %v, want %q", c.name, c.value, err, c.want)
		}
	}
	if _, err := (mi{}).Build(request(map[string]int64{"fs": 256, "amp_max": 120})); err != nil {
		t.Errorf("the example of the specification: %v", err)
	}
	b := request(nil)
	b.Size, b.Base = 0, 0
	if _, err := (mi{}).Build(b); err == nil {
		t.Error("no item was built")
	}
}

// Every split divides the same signals.
func TestSplitsShareSignals(t *testing.T) {
	b := suitetest.Build(mi{}, 3, 1)
	p, err := problemOf(b)
	if err != nil {
		t.Fatal(err)
	}
	b.Split = "channel"
	q, err := problemOf(b)
	if err != nil {
		t.Fatal(err)
	}
	// Item 2, channel 1.
	if !slices.Equal(p.samplesOf(2*2+1), q.samplesOf(1*3+2)) {
		t.Error("a signal depends on the split")
	}
	var at [3]uint32
	p.source().Make(0, 2*p.samples-1, at[:]) // across two signals
	if at[0] != math.Float32bits(p.samplesOf(1)[p.samples-1]) || at[2] != math.Float32bits(p.samplesOf(2)[1]) {
		t.Error("a stretch across signals differs from them")
	}
	n, sd := 0.0, 0.0
	for i := range uint32(1 << 18) {
		for odd := range int64(2) {
			v := noise(suites.Philox([4]uint32{i}, [2]uint32{}), odd)
			n, sd = n+v, sd+v*v
		}
	}
	if math.Abs(n)/(1<<19) > 0.02 || math.Abs(sd/(1<<19)-1) > 0.02 {
		t.Errorf("noise of mean %v and variance %v", n/(1<<19), sd/(1<<19))
	}
}

// A cut lies in 1..T-1.
func TestCuts(t *testing.T) {
	p := problemFor(t, map[string]int64{"time": 64})
	seen := map[int64]bool{}
	for k := range int64(2000) {
		c := p.cut(k)
		if c < 1 || c >= p.samples {
			t.Fatalf("cut %d is %d", k, c)
		}
		seen[c] = true
	}
	if len(seen) != 63 {
		t.Errorf("%d different cuts of 63", len(seen))
	}
}
