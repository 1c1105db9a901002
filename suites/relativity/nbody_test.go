package relativity

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestAttractionOfTwo: two bodies on the x axis, by hand.
func TestAttractionOfTwo(t *testing.T) {
	pos := []float64{0, 0, 0, 2, 3, 0, 0, 5}
	a, s := attraction(pos, 0)
	want := 0.5 * 5 * 3 / math.Pow(9+float64(eps2), 1.5)
	if math.Abs(a[0]-want) > 1e-15 || a[1] != 0 || a[2] != 0 || s[0] != a[0] {
		t.Errorf("acceleration %v, sums %v, want %v", a, s, want)
	}
	b, _ := attraction(pos, 1)
	if math.Abs(2*a[0]+5*b[0]) > 1e-15 {
		t.Errorf("forces %v and %v do not cancel", 2*a[0], 5*b[0])
	}
}

// TestLeapfrogInvariants: momentum is kept, energy nearly, and running the
// velocities backwards returns to the start.
func TestLeapfrogInvariants(t *testing.T) {
	s := initial(1, 26, 64)
	x0 := append([]float64(nil), s.pos...)
	p0, size := s.momentum()
	e0, _, _ := s.energies()
	s.leapfrog(100)
	p1, _ := s.momentum()
	for c := range p0 {
		if math.Abs(p1[c]-p0[c]) > 1e-12*size {
			t.Errorf("momentum %d went from %v to %v", c, p0[c], p1[c])
		}
	}
	if e1, _, _ := s.energies(); math.Abs(e1-e0) > 1e-3*math.Abs(e0) {
		t.Errorf("energy went from %v to %v", e0, e1)
	}
	for i := range s.vel {
		s.vel[i] = -s.vel[i]
	}
	s.leapfrog(100)
	for i := range x0 {
		if math.Abs(s.pos[i]-x0[i]) > 1e-9 {
			t.Fatalf("component %d returned to %v, started at %v", i, s.pos[i], x0[i])
		}
	}
}

func TestBuildShapes(t *testing.T) {
	for _, n := range []int64{1, 2, 301, 512, 65536, 1 << 20} {
		for _, count := range []int{1, 2, 3, 8} {
			for _, b := range []suites.Build{
				suitetest.Build(nbody{}, n, count), suitetest.Weak(nbody{}, min(n, 1<<17), count),
				suitetest.Uneven(suitetest.Build(nbody{}, n, count)),
			} {
				p, err := nbody{}.Build(b)
				if err != nil {
					t.Fatal(err)
				}
				if err := suitetest.Invariants(p, count); err != nil {
					t.Errorf("n %d on %d: %v", n, count, err)
				}
			}
		}
	}
}

// TestShapeDependsOnBodiesOnly: the order of summation must not follow the count.
func TestShapeDependsOnBodiesOnly(t *testing.T) {
	for _, n := range []int64{512, 1 << 17, 1<<17 + 1, 1 << 20} {
		one, err := nbody{}.Build(suitetest.Build(nbody{}, n, 1))
		if err != nil {
			t.Fatal(err)
		}
		eight, err := nbody{}.Build(suitetest.Build(nbody{}, n, 8))
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range one.Kernels[0].Spec {
			if s != eight.Kernels[0].Spec[i] {
				t.Errorf("n %d: constant %v on one device, %v on eight", n, s, eight.Kernels[0].Spec[i])
			}
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, n := range []int64{0, 1 << 23} {
		if _, err := (nbody{}).Build(suitetest.Build(nbody{}, n, 1)); err == nil || !strings.Contains(err.Error(), "choose 1 to 8388592") {
			t.Errorf("%d bodies: error %v", n, err)
		}
	}
}

// emulate runs the device's arithmetic in float32: the parts of every tile in
// rising j, added in order.
func emulate(seed uint64, n, steps int64) (pos, vel, acc []float32) {
	s := initial(seed, 26, n)
	for i := range s.pos {
		pos, vel = append(pos, float32(s.pos[i])), append(vel, float32(s.vel[i]))
	}
	acc = make([]float32, 4*n)
	parts := parts(n)
	force := func(half float32) {
		for i := range n {
			var sum [3]float32
			for p := range parts {
				var part [3]float32
				for j := range n {
					if j%tileBodies/(tileBodies/parts) != p {
						continue
					}
					var d [3]float32
					r2 := eps2
					for c := range d {
						d[c] = pos[4*j+int64(c)] - pos[4*i+int64(c)]
						r2 += d[c] * d[c]
					}
					inv := float32(1 / math.Sqrt(float64(r2)))
					w := (pos[4*j+3] * inv) * (inv * inv)
					for c := range d {
						part[c] += d[c] * w
					}
				}
				for c := range sum {
					sum[c] += part[c]
				}
			}
			for c := range sum {
				acc[4*i+int64(c)] = sum[c] * gravity(n)
				vel[4*i+int64(c)] += acc[4*i+int64(c)] * half
			}
		}
	}
	force(0)
	for range steps {
		for i := range pos {
			if i%4 != 3 {
				vel[i] += acc[i] * (dt / 2)
				pos[i] += vel[i] * dt
			}
		}
		force(dt / 2)
	}
	return pos, vel, acc
}

func words(x []float32) []uint32 {
	out := make([]uint32, len(x))
	for i, v := range x {
		out[i] = math.Float32bits(v)
	}
	return out
}

// TestVerify feeds the check with float32 arithmetic, then with outputs that are
// wrong in one way each.
func TestVerify(t *testing.T) {
	const n = 1100
	b := suitetest.Build(nbody{}, n, 2)
	p, err := nbody{}.Build(b)
	if err != nil {
		t.Fatal(err)
	}
	pos, vel, acc := emulate(b.Seed, n, 4)
	run := func(full bool) suites.Outcome {
		t.Helper()
		out, err := nbody{}.Verify(&suites.Check{Build: b, Program: p, Full: full, Out: suitetest.Memory{
			Arrays: map[string][]uint32{"pos": words(pos), "vel": words(vel), "acc": words(acc)},
		}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, full := range []bool{true, false} {
		out := run(full)
		if out.Wrong != "" || out.Worst > 0.5 || full && out.Checked != 10*n {
			t.Errorf("full %v: %+v", full, out)
		}
		if !full && out.Checked < suites.MinSampled {
			t.Errorf("checked %d", out.Checked)
		}
	}
	for _, c := range []struct {
		what string
		at   *float32
		by   float32
		full bool
	}{
		{"acceleration", &acc[0], 1e-3, false},
		{"mass", &pos[4*700+3], 1e-3, false},
		{"velocity", &vel[4*700], 0.1, false}, // breaks momentum
		{"small velocity", &vel[4*700], 2e-6, true},
		{"position", &pos[4*700], 2e-6, true},
		{"not a number", &acc[4*(n-1)], float32(math.NaN()), false},
	} {
		was := *c.at
		*c.at += c.by
		if out := run(c.full); out.Wrong == "" {
			t.Errorf("a wrong %s passed", c.what)
		}
		*c.at = was
	}
}
