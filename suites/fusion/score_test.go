package fusion

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestBestOfItself: an element among the references is its own best match.
func TestBestOfItself(t *testing.T) {
	references := make([]tdc, 50)
	for j := range references {
		references[j] = read(1, scoreNumber, scoreReferences, int64(j))
	}
	x := references[17]
	_, d, g := best(x, references)
	if d != 0 || math.Abs(g-1) > 1e-12 {
		t.Errorf("dual %v, cosine %v", d, g)
	}
	alone, _, _ := best(x, references[17:18])
	if alone != float32(x.t[0]) {
		t.Errorf("tropical similarity with itself %v, expected %v", alone, x.t[0])
	}
}

// TestAttentionOfOneKeyIsItsValue, and equal keys weigh the same.
func TestAttentionOfOneKeyIsItsValue(t *testing.T) {
	x, y := read(1, scoreNumber, scoreInputs, 0), read(1, scoreNumber, scoreReferences, 0)
	for _, keys := range [][]tdc{{y}, {y, y, y}} {
		out, _, _ := attention(x, keys)
		for k := range out {
			if math.Abs(out[k]-y.c[k]) > 1e-15 {
				t.Errorf("%d keys: component %d is %v, expected %v", len(keys), k, out[k], y.c[k])
			}
		}
	}
}

func TestScoreProgramsAreValid(t *testing.T) {
	for _, size := range []int64{1, 3, 255, 257, 1021, 1 << 18} {
		for _, count := range []int{1, 2, 3, 7} {
			for attention := range int64(2) {
				b := suitetest.Build(score{}, size, count)
				b.Params["attention"] = attention
				build(t, score{}, b)
				build(t, score{}, suitetest.Uneven(b))
			}
		}
	}
	for _, r := range []int64{0, maxReferences + 1} {
		b := suitetest.Build(score{}, 5, 1)
		b.Params["references"] = r
		if _, err := (score{}).Build(b); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("%d references: %v", r, err)
		}
	}
}

func TestScoreVerify(t *testing.T) {
	for mode := range int64(2) {
		b := suitetest.Build(score{}, 300, 2)
		b.Params["attention"], b.Params["references"] = mode, 70
		p := build(t, score{}, b)
		references := make([]tdc, 70)
		for j := range references {
			references[j] = read(b.Seed, scoreNumber, scoreReferences, int64(j))
		}
		var words []uint32
		for i := range b.Size {
			x := read(b.Seed, scoreNumber, scoreInputs, i)
			if mode == 1 {
				out, _, _ := attention(x, references)
				for _, v := range out {
					words = append(words, math.Float32bits(float32(v)))
				}
				continue
			}
			tr, d, g := best(x, references)
			for _, v := range []float32{tr, d, float32(g), 0.4*tr + 0.3*(1-d) + 0.3*float32(g)} {
				words = append(words, math.Float32bits(v))
			}
		}
		c := &suites.Check{Build: b, Program: p, Out: suitetest.Memory{Arrays: map[string][]uint32{"best": words}}}
		for _, c.Full = range []bool{true, false} {
			if got, err := (score{}).Verify(c); err != nil || got.Wrong != "" || got.Checked < suites.MinSampled {
				t.Errorf("attention %d, full %v: %+v, %v", mode, c.Full, got, err)
			}
		}
		for at := range 4 {
			was := words[at]
			words[at] = math.Float32bits(math.Float32frombits(was) + 1e-4)
			if got, err := (score{}).Verify(c); err != nil || got.Wrong == "" {
				t.Errorf("attention %d: word %d off passes: %+v, %v", mode, at, got, err)
			}
			words[at] = was
		}
	}
}
