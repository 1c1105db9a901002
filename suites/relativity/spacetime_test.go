package relativity

import (
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestSpacetimeSigns derives all 256 signs from the definition, and checks that all 4,096
// triples of blades associate.
func TestSpacetimeSigns(t *testing.T) {
	for a := range 16 {
		for b := range 16 {
			swaps := bits.OnesCount(uint(a & b & 0xE)) // g1 to g3 square to -1
			for i := range 4 {
				if a>>i&1 == 1 {
					swaps += bits.OnesCount(uint(b & (1<<i - 1)))
				}
			}
			if want := float64(1 - 2*(swaps%2)); Sign(a, b) != want {
				t.Errorf("blades %04b and %04b: %v, expected %v", a, b, Sign(a, b), want)
			}
			for c := range 16 {
				if Sign(a, b)*Sign(a^b, c) != Sign(b, c)*Sign(a, b^c) {
					t.Errorf("blades %04b, %04b, %04b do not associate", a, b, c)
				}
			}
		}
	}
}

// TestBoostOfTheRestFrame: g0 becomes the four-velocity of the rapidity. By hand, with
// B = n g0, B^2 = 1 and g0 B = -B g0: e^(-p/2 B) g0 e^(p/2 B) = e^(-p B) g0 = cosh p g0 - sinh p n.
func TestBoostOfTheRestFrame(t *testing.T) {
	r := lorentz()
	u := r.times(spacetimeElement{1: 1}).times(r.reversed())
	want := spacetimeElement{1: math.Cosh(1.3)}
	for i, n := range []float64{0.6, 0, 0.8} {
		want[2<<i] = -math.Sinh(1.3) * n
	}
	for j := range u {
		if math.Abs(u[j]-want[j]) > 1e-6 {
			t.Errorf("component %d is %v, expected %v", j, u[j], want[j])
		}
	}
	if math.Abs(r.square()-1) > 1e-6 || u[1] < 1 {
		t.Errorf("R rev(R) = %v, t = %v", r.square(), u[1])
	}
}

func TestRelativityProgramsAreValid(t *testing.T) {
	for _, w := range []suites.Workload{spacetime{}, geodesic{}} {
		for _, size := range []int64{1, 3, 255, 257, 1021, 1 << 24} {
			for _, count := range []int{1, 2, 3, 7} {
				b := suitetest.Build(w, size, count)
				for _, b := range []suites.Build{b, suitetest.Uneven(b), suitetest.Weak(w, size, count)} {
					p, err := w.Build(b)
					if err == nil {
						err = suitetest.Invariants(p, count)
					}
					if err != nil {
						t.Fatalf("%s, %d on %d: %v", w.Info().ID, size, count, err)
					}
				}
			}
		}
		if _, err := w.Build(suitetest.Build(w, 0, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("%s of size 0: %v", w.Info().ID, err)
		}
	}
}

// TestSpacetimeVerify feeds the check with float32 arithmetic, then with a wrong sign.
func TestSpacetimeVerify(t *testing.T) {
	for normalise := range int64(2) {
		b := suitetest.Build(spacetime{}, 1100, 3)
		b.Params["normalise"] = normalise
		p, err := spacetime{}.Build(b)
		if err != nil {
			t.Fatal(err)
		}
		arrays, spoil := sandwiches(b), "y"
		if normalise == 1 {
			arrays, spoil = normalised(b), "u"
		}
		c := &suites.Check{Build: b, Program: p, Out: suitetest.Memory{Arrays: arrays}}
		for _, c.Full = range []bool{true, false} {
			got, err := spacetime{}.Verify(c)
			if err != nil || got.Wrong != "" || got.Worst <= 0 || got.Worst > 1 || got.Checked < suites.MinSampled {
				t.Errorf("normalise %d, full %v: %+v, %v", normalise, c.Full, got, err)
			}
		}
		arrays[spoil][len(arrays[spoil])-1] ^= 1 << 31
		if got, err := (spacetime{}).Verify(c); err != nil || got.Wrong == "" {
			t.Errorf("normalise %d misses a wrong sign: %+v, %v", normalise, got, err)
		}
	}
}

// sandwiches are R x rev(R) in float32.
func sandwiches(b suites.Build) map[string][]uint32 {
	in := suites.Stream{Seed: b.Seed, Workload: spacetimeNumber, Array: multivectors.ID}
	narrow := func(a, b spacetimeElement) (c spacetimeElement) {
		for i, x := range a {
			for j, y := range b {
				c[i^j] = float64(float32(c[i^j] + float64(float32(Sign(i, j)*x*y))))
			}
		}
		return c
	}
	r := lorentz()
	var y []float32
	for i := range b.Size {
		var x spacetimeElement
		for j := range x {
			x[j] = float64(in.F32(16*i+int64(j), multivectors.A, multivectors.B))
		}
		for _, v := range narrow(narrow(r, x), r.reversed()) {
			y = append(y, float32(v))
		}
	}
	return map[string][]uint32{"y": words(y)}
}

// normalised are squares and four-velocities in float32.
func normalised(b suites.Build) map[string][]uint32 {
	in := suites.Stream{Seed: b.Seed, Workload: spacetimeNumber, Array: velocities.ID}
	var u, q []float32
	for i := range b.Size {
		var v [4]float32
		for j := range v {
			v[j] = in.F32(4*i+int64(j), velocities.A, velocities.B)
		}
		v[0] += timeShift
		square := v[0]*v[0] - v[1]*v[1] - v[2]*v[2] - v[3]*v[3]
		q = append(q, square)
		for _, x := range v {
			u = append(u, x*float32(1/math.Sqrt(float64(square))))
		}
	}
	return map[string][]uint32{"u": words(u), "q": words(q)}
}
