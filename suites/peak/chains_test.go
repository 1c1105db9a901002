package peak

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// integers runs the chains of an integer type and returns their polynomial.
func integers[T uint16 | uint32 | uint64](x []uint32, a, b uint32, steps int) uint64 {
	var sum T
	for j := 0; j < chains; j += 2 {
		v, w := T(pick(x, j)), T(pick(x, j+1))
		for range steps {
			v = v*w + T(a)
			w = w*v + T(b)
		}
		sum = sum*3 + v
		sum = sum*3 + w
	}
	return uint64(sum)
}

// floats runs the chains of peak/fp32, each step rounded once.
func floats(x []uint32, a, b uint32, steps int) float64 {
	p, q := math.Float32frombits(a), math.Float32frombits(b)
	var sum float32
	for j := range chains {
		v := math.Float32frombits(x[j&3]) / float32(int(1)<<(j>>2))
		for range steps {
			v = float32(math.FMA(float64(p), float64(v), float64(q)))
		}
		sum += v
	}
	return float64(sum)
}

// devices are what a correct device leaves, by workload, written without the references.
var devices = map[string]func(x []uint32, a, b uint32, steps int) []uint32{
	"peak/fp32": func(x []uint32, a, b uint32, steps int) []uint32 {
		return []uint32{math.Float32bits(float32(floats(x, a, b, steps)))}
	},
	"peak/fp64": func(x []uint32, a, b uint32, steps int) []uint32 {
		p, q, sum := float64(math.Float32frombits(a)), float64(math.Float32frombits(b)), 0.0
		for j := range chains {
			v := float64(math.Float32frombits(x[j&3])) / float64(int(1)<<(j>>2))
			for range steps {
				v = math.FMA(p, v, q)
			}
			sum += v
		}
		bits := math.Float64bits(sum)
		return []uint32{uint32(bits), uint32(bits >> 32)}
	},
	"peak/fp16": func(x []uint32, a, b uint32, steps int) []uint32 {
		sum := uint32(0)
		for j := range chains {
			w := pick(x, j)
			for lane, first := range []int{int(w & 511), int(w >> 9 & 511)} {
				v, c := first, int(b>>(8*lane)&255)
				for range steps / 2 {
					v = c - int(a)*v
					v = c + 1 - int(a)*v
				}
				sum += uint32(2*j+1) << (8 * lane) * uint32(v)
			}
		}
		return []uint32{sum}
	},
	"peak/int16": func(x []uint32, a, b uint32, steps int) []uint32 {
		return []uint32{uint32(integers[uint16](x, a, b, steps))}
	},
	"peak/int32": func(x []uint32, a, b uint32, steps int) []uint32 {
		return []uint32{uint32(integers[uint32](x, a, b, steps))}
	},
	"peak/int32-mixed": func(x []uint32, a, b uint32, steps int) []uint32 {
		sum := uint32(0)
		for j := 0; j < chains; j += 2 {
			v, w := pick(x, j), pick(x, j+1)
			for range steps {
				v = v*w + a
				w = w ^ v ^ b
			}
			sum = sum*3 + v
			sum = sum*3 + w
		}
		return []uint32{sum}
	},
	"peak/int32-logic": func(x []uint32, a, b uint32, steps int) []uint32 {
		sum := uint32(0)
		for j := 0; j < chains; j += 2 {
			v, w := pick(x, j), pick(x, j+1)
			for range steps {
				v = a ^ (w + v)
				w = b ^ (v + w)
			}
			sum = 9*sum + 3*v + w
		}
		return []uint32{sum}
	},
	"peak/int64": func(x []uint32, a, b uint32, steps int) []uint32 {
		sum := integers[uint64](x, a, b, steps)
		return []uint32{uint32(sum), uint32(sum >> 32)}
	},
}

// left is what a device leaves in unit u of a rate.
func left(c *suites.Check, r rate, u int64, steps int) []uint32 {
	x := make([]uint32, seedWords)
	for k := range x {
		x[k] = word(c, r.x)(u*seedWords + int64(k))
	}
	return devices[r.info.ID](x, word(c, r.a)(u), word(c, r.b)(u), steps)
}

func TestRatesAreCheckedStepForStep(t *testing.T) {
	for id := range devices {
		w, err := suites.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		r := w.(rate)
		b := suitetest.Build(w, 300, 2)
		b.Params["repeat"] = 8
		p, err := w.Build(b)
		if err == nil {
			err = suitetest.Invariants(p, 2)
		}
		if err != nil {
			t.Fatal(id, err)
		}
		c := &suites.Check{Build: b, Program: p, Full: true}
		all := func(steps int) suitetest.Memory {
			var words []uint32
			for u := range p.Units {
				words = append(words, left(c, r, u, steps)...)
			}
			return suitetest.Memory{Arrays: map[string][]uint32{"sums": words}}
		}
		c.Out = all(8 * unrolled)
		got, err := w.Verify(c)
		if err != nil || got.Wrong != "" || got.Checked < p.Units {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
		c.Out = all(8*unrolled - 2)
		if got, err := w.Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "sums[") {
			t.Errorf("%s: two steps too few pass: %+v, %v", id, got, err)
		}
	}
}

func TestRatesBuild(t *testing.T) {
	n := 0
	for _, w := range suites.All() {
		r, ok := w.(rate)
		if !ok {
			continue
		}
		n++
		for _, size := range []int64{1, 255, 256, 257, 99991, r.info.Sizes.L} {
			for _, count := range []int{1, 2, 3, 7} {
				b := suitetest.Build(w, size, count)
				p, err := w.Build(b)
				if err == nil {
					err = suitetest.Invariants(p, count)
				}
				if err != nil {
					t.Fatalf("%s, size %d, count %d: %v", r.info.ID, size, count, err)
				}
				if p.Work != r.ops*float64(b.Params["repeat"])*float64(size) || p.Work != p.Flops {
					t.Errorf("%s counts %g operations", r.info.ID, p.Work)
				}
				// A roof of arithmetic: no memory may be in its way.
				if p.Flops < 200*p.Bytes/float64(r.words) {
					t.Errorf("%s: %g operations and %g bytes", r.info.ID, p.Flops, p.Bytes)
				}
			}
		}
		for _, size := range []int64{0, -1, maxUnits + 1} {
			if _, err := w.Build(suitetest.Build(w, size, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
				t.Errorf("%s, size %d: %v does not say what to choose", r.info.ID, size, err)
			}
		}
	}
	if n < len(devices)+len(functions) {
		t.Errorf("%d rates are registered", n)
	}
}

func TestMaxPlusStaysExact(t *testing.T) {
	// The largest repeat: values stay whole numbers that float32 holds.
	if grown := 65535 + 8*2*unrolled*2048; chains*grown >= 1<<24 {
		t.Errorf("sums may reach %d", chains*grown)
	}
	if dotBytes(0x80FF7F01, 0x80017F02) != uint32(0x80*0x80-1+0x7F*0x7F+2) {
		t.Error("bytes are signed")
	}
	x := program.Source{Kind: program.Const, Word: 7}
	if word(&suites.Check{}, x)(5) != 7 {
		t.Error("constant source")
	}
}
