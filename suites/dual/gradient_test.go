package dual

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// seeded evaluates f on dual numbers with seed e_j.
func seeded(x []float64, j int) number {
	at := func(i int) number {
		if i == j {
			return number{x[i], 1}
		}
		return number{x[i], 0}
	}
	var sum number
	for i := range len(x) - 1 {
		a, b := at(i), at(i+1)
		square := a.times(a)
		valley, off := number{b.v - square.v, b.d - square.d}, number{1 - a.v, -a.d}
		sum = sum.plus(number{100, 0}.times(valley.times(valley))).plus(off.times(off))
	}
	return sum
}

// TestRosenbrock: zero at (1, ..., 1), by hand in two variables, and the closed form
// against dual numbers and a difference quotient.
func TestRosenbrock(t *testing.T) {
	ones := make([]float64, variables)
	for i := range ones {
		ones[i] = 1
	}
	f, _, g, _ := rosenbrock(ones)
	if f != 0 {
		t.Errorf("f(1, ..., 1) = %v", f)
	}
	for j, x := range g {
		if x != 0 {
			t.Errorf("component %d of the gradient at the minimum is %v", j, x)
		}
	}
	if f, _, g, _ := rosenbrock([]float64{-1.2, 1}); math.Abs(f-24.2) > 1e-12 || math.Abs(g[0]+215.6) > 1e-12 || math.Abs(g[1]+88) > 1e-12 {
		t.Errorf("at (-1.2, 1): %v, %v, expected 24.2, (-215.6, -88)", f, g)
	}
	x := point(42, 3)
	f, size, g, sizes := rosenbrock(x)
	if size < f {
		t.Errorf("terms of %v in magnitude, their sum is %v", size, f)
	}
	for j := range x {
		s := seeded(x, j)
		if math.Abs(s.v-f) > 1e-10 || math.Abs(s.d-g[j]) > 1e-10*sizes[j] {
			t.Errorf("seed %d: (%v, %v), expected (%v, %v)", j, s.v, s.d, f, g[j])
		}
		const h = 1e-6
		x[j] += h
		up, _, _, _ := rosenbrock(x)
		x[j] -= 2 * h
		down, _, _, _ := rosenbrock(x)
		x[j] += h
		if math.Abs((up-down)/(2*h)-g[j]) > 1e-5*sizes[j] {
			t.Errorf("component %d: %v, difference quotient %v", j, g[j], (up-down)/(2*h))
		}
	}
}

func TestGradientBuild(t *testing.T) {
	for batch := range int64(2) {
		for _, size := range []int64{1, 2, 5, 1021, 1023, 1024, 1025, 1 << 16, 1<<24 - 1, 1 << 24} {
			for _, count := range []int{1, 2, 3, 7} {
				b := suitetest.Build(gradient{}, size, count)
				b.Params["batch"] = batch
				for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
					p, err := (gradient{}).Build(b)
					if err == nil {
						err = suitetest.Invariants(p, count)
					}
					if err != nil {
						t.Fatalf("size %d, count %d: %v", size, count, err)
					}
					if each := chunkPoints(size); p.Units*each < size || (p.Units-1)*each >= size || size >= 1024 && p.Units < 200 {
						t.Errorf("%d points in %d chunks of %d", size, p.Units, each)
					}
				}
			}
		}
	}
	if _, err := (gradient{}).Build(suitetest.Build(gradient{}, 0, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
		t.Errorf("size 0: %v", err)
	}
}

func TestGradientVerify(t *testing.T) {
	for _, size := range []int64{1, 5, 1025} {
		b := suitetest.Build(gradient{}, size, 2)
		b.Params["batch"] = 1
		p, err := (gradient{}).Build(b)
		if err != nil {
			t.Fatal(err)
		}
		each := chunkPoints(size)
		out := map[string][]uint32{}
		for at := range p.Units * each {
			f, _, g, _ := rosenbrock(point(b.Seed, at))
			out["value"] = append(out["value"], math.Float32bits(float32(f)))
			for _, x := range g {
				out["gradient"] = append(out["gradient"], math.Float32bits(float32(x)))
			}
		}
		for chunk := range p.Units {
			for _, x := range chunkSums(out["gradient"][chunk*each*variables:], min(each, size-chunk*each)) {
				out["partials"] = append(out["partials"], math.Float32bits(x))
			}
		}
		var exact float64
		for _, w := range out["gradient"][:size*variables] {
			exact += float64(math.Float32frombits(w))
		}
		for _, x := range tree(out["partials"]) {
			out["total"] = append(out["total"], math.Float32bits(x))
			exact -= float64(x)
		}
		if math.Abs(exact) > 1e-2*float64(size) {
			t.Errorf("%d points: totals miss the sum of all gradients by %v", size, exact)
		}
		c := &suites.Check{Build: b, Program: p, Out: suitetest.Memory{Arrays: out}}
		for _, c.Full = range []bool{true, false} {
			if got, err := (gradient{}).Verify(c); err != nil || got.Wrong != "" || got.Worst > 0.2 {
				t.Errorf("%d points, full %v: %+v, %v", size, c.Full, got, err)
			}
		}
		for name, at := range map[string]int{"gradient": 3, "value": 0, "partials": 9, "total": 63} {
			out[name][at] ^= 1 << 30
			if got, err := (gradient{}).Verify(c); err != nil || !strings.Contains(got.Wrong, name+"[") && name != "gradient" || got.Wrong == "" {
				t.Errorf("%d points: a wrong %s passes: %+v, %v", size, name, got, err)
			}
			out[name][at] ^= 1 << 30
		}
	}
}

// TestDerivedCatches: the self-check alone notices a component that is off.
func TestDerivedCatches(t *testing.T) {
	x := point(42, 7)
	_, _, g, sizes := rosenbrock(x)
	got := make([]uint32, variables)
	for j, v := range g {
		got[j] = math.Float32bits(float32(v))
	}
	var tally suites.Tally
	if derived(&tally, 7, x, got, sizes); tally.Wrong != "" {
		t.Error(tally.Wrong)
	}
	for j := range got {
		was := got[j]
		got[j] = math.Float32bits(math.Float32frombits(was) + float32(1e-4*sizes[j]))
		tally = suites.Tally{}
		if derived(&tally, 7, x, got, sizes); !strings.Contains(tally.Wrong, "unit 7") {
			t.Errorf("component %d off passes: %q", j, tally.Wrong)
		}
		got[j] = was
	}
}
