package dual

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestDualsAreDerivatives compares dual numbers with a central difference, and the complex
// step of the check with both.
func TestDualsAreDerivatives(t *testing.T) {
	for i := range 801 {
		x := float64(i-400) / 100
		const h = 1e-5
		want := 3 * (chain(number{x + h, 0}).v - chain(number{x - h, 0}).v) / (2 * h)
		got, step := chain(number{x, 3}), complexStep(number{x, 3}, 1)
		if math.Abs(got.d-want) > 3e-8 {
			t.Errorf("dual derivative at %v is %v, expected %v", x, got.d, want)
		}
		if math.Abs(step.d-got.d) > 1e-13 || math.Abs(step.v-got.v) > 1e-14 {
			t.Errorf("complex step at %v gives %v, dual numbers %v", x, step, got)
		}
		deep, far := compose(number{x, 3}, 7), complexStep(number{x, 3}, 7)
		if math.Abs(deep.d-far.d) > 1e-13 || math.Abs(deep.v-far.v) > 1e-14 {
			t.Errorf("seven times at %v: complex step %v, dual numbers %v", x, far, deep)
		}
	}
	// Golden: g(0) = 0, g'(0) = 1; g(1) = tanh(sin 1 / sqrt e) + log 2.
	if chain(number{0, 1}) != (number{0, 1}) {
		t.Errorf("g at 0 is %v", chain(number{0, 1}))
	}
	if got := chain(number{1, 1}).v; math.Abs(got-(math.Tanh(0.8414709848078965/math.Sqrt(math.E))+math.Ln2)) > 1e-15 {
		t.Errorf("g(1) is %v", got)
	}
}

// TestDifferenceCatches: the self-check alone notices values and derivatives that are off,
// by a small part of what many compositions leave too.
func TestDifferenceCatches(t *testing.T) {
	x := number{1.3, -2.1}
	for _, repeat := range []int64{1, 2, 64} {
		right := compose(x, repeat)
		v, d := runningBounds(x, repeat)
		if v > 3e-3*math.Abs(right.v) || d > 3e-3*math.Abs(right.d) {
			t.Errorf("repeat %d: bounds %v and %v of %v", repeat, v, d, right)
		}
		for _, wrong := range []number{{right.v * 1.01, right.d}, {right.v, right.d * 1.01}, {right.v, -right.d}, {0, right.d}, {right.v, 0}, {right.v, math.NaN()}} {
			var good, bad suites.Tally
			differs(&good, 5, right, complexStep(x, repeat), v, d)
			differs(&bad, 5, wrong, complexStep(x, repeat), v, d)
			if good.Wrong != "" || !strings.Contains(bad.Wrong, "unit 5") {
				t.Errorf("repeat %d, %v: %q, right ones %q", repeat, wrong, bad.Wrong, good.Wrong)
			}
		}
	}
}

// The kernel uses tanh for small arguments only; the check knows how far g bends.
func TestBellIsSmall(t *testing.T) {
	most, bend := 0.0, 0.0
	for i := range 40001 {
		x := float64(i-20000) / 5000
		most = max(most, math.Abs(math.Sin(x)*math.Exp(-x*x/2)))
		bend = max(bend, math.Abs(chain(number{x + 1e-5, 1}).d-chain(number{x - 1e-5, 1}).d)/2e-5)
	}
	if bend > 4 {
		t.Errorf("the second derivative reaches %v", bend)
	}
	if most > 0.53 {
		t.Errorf("sin(x) exp(-x^2/2) reaches %v", most)
	}
}

func TestForwardBuild(t *testing.T) {
	for _, size := range []int64{1, 2, 255, 1021, 1023, 1025, 1 << 27} {
		for _, count := range []int{1, 2, 3, 7} {
			b := suitetest.Build(forward{}, size, count)
			for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
				p, err := forward{}.Build(b)
				if err == nil {
					err = suitetest.Invariants(p, count)
				}
				if err != nil {
					t.Fatalf("size %d, count %d: %v", size, count, err)
				}
			}
		}
	}
	for _, bad := range []suites.Build{suitetest.Build(forward{}, 0, 1), {Size: 5}} {
		if _, err := (forward{}).Build(bad); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("size %d, repeat %d: %v", bad.Size, bad.Params["repeat"], err)
		}
	}
}

// emulate is the kernel in float32 without fused operations.
func emulate(v, d float32) (float32, float32) {
	sq, sqd := v*v, d*v+v*d
	s, c := suites.SinCos32(v)
	e := suites.Exp32(-0.5 * sq)
	sd, ed := c*d, e*(-0.5*sqd)
	bell, belld := s*e, sd*e+s*ed
	th := suites.Tanh32(bell)
	one := 1 + sq
	return th + suites.Log32(one), (1-th*th)*belld + sqd*suites.Rcp32(one)
}

func TestForwardVerify(t *testing.T) {
	for _, repeat := range []int64{1, 2, 50} {
		b := suitetest.Build(forward{}, 1<<14+1, 3)
		b.Params["repeat"] = repeat
		p, err := (forward{}).Build(b)
		if err != nil {
			t.Fatal(err)
		}
		in := suites.Stream{Seed: b.Seed, Workload: forwardNumber, Array: seeds.ID}
		words := make([]uint32, 4*p.Units)
		for i := 0; i < len(words); i += 2 {
			v, d := emulate(in.F32(int64(i), -4, 4), in.F32(int64(i)+1, -4, 4))
			for range repeat - 1 {
				v, d = emulate(v/2, d/2)
			}
			words[i], words[i+1] = math.Float32bits(v), math.Float32bits(d)
		}
		c := &suites.Check{Build: b, Program: p, Out: suitetest.Memory{Arrays: map[string][]uint32{"y": words}}}
		for _, c.Full = range []bool{true, false} {
			got, err := (forward{}).Verify(c)
			if err != nil || got.Wrong != "" || got.Checked < suites.MinSampled || got.Worst <= 0 || got.Worst > 0.5 {
				t.Errorf("repeat %d, full %v: %+v, %v", repeat, c.Full, got, err)
			}
		}
		at := 4*(p.Shares[1].Lo) + 1
		words[at] ^= 1 << 30
		for _, c.Full = range []bool{true, false} {
			if got, err := (forward{}).Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "y[") {
				t.Errorf("repeat %d, full %v misses a wrong exponent: %+v, %v", repeat, c.Full, got, err)
			}
		}
	}
}
