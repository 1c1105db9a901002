package relativity

import (
	"math"
	"slices"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestCircularOrbit: h^2 = r^2/(r-3) keeps the radius; slightly disturbed it stays near at
// r = 10, beyond the last stable orbit, and leaves at r = 5.
func TestCircularOrbit(t *testing.T) {
	circle := func(r, factor float64) orbit {
		return orbit{x: [3]float64{r, 0, 0}, v: [3]float64{0, factor / math.Sqrt(r-3), 0}}
	}
	for r, stable := range map[float64]bool{10: true, 5: false} {
		end, captured, _ := circle(r, 1).integrate(2000, 0.01)
		if got := math.Sqrt(dot(end.x, end.x)); captured || math.Abs(got-r) > 1e-3 {
			t.Errorf("radius %v becomes %v", r, got)
		}
		end, captured, least := circle(r, 0.99).integrate(200_000, 0.01)
		near := !captured && math.Abs(math.Sqrt(dot(end.x, end.x))-r) < 0.2*r && least > 0.8*r
		if near != stable {
			t.Errorf("disturbed at %v: ends at %v, least %v, captured %v", r, end.x, least, captured)
		}
	}
}

// TestPerihelionAdvance compares a wide orbit with 6 pi / (a (1 - e^2)) a revolution.
func TestPerihelionAdvance(t *testing.T) {
	const a, e = 2000.0, 0.2
	p := a * (1 - e*e)
	r := a * (1 - e) // perihelion
	h := math.Sqrt(p * p / (p - 3 - e*e))
	o := orbit{x: [3]float64{r, 0, 0}, v: [3]float64{0, h / r, 0}}
	dt := 2 * math.Pi * math.Pow(a, 1.5) / 200_000
	// The angle at which the radial velocity next passes zero upwards.
	before := o
	for step := 0; ; step++ {
		next, _, _ := before.integrate(1, dt)
		f0, f1 := dot(before.x, before.v), dot(next.x, next.v)
		if step > 1000 && f0 < 0 && f1 >= 0 {
			at := f0 / (f0 - f1)
			x := before.x[0] + at*(next.x[0]-before.x[0])
			y := before.x[1] + at*(next.x[1]-before.x[1])
			got, want := math.Atan2(y, x), 6*math.Pi/p
			if math.Abs(got-want) > 0.02*want {
				t.Errorf("advance %v, expected %v", got, want)
			}
			return
		}
		before = next
		if step > 1_000_000 {
			t.Fatal("no second perihelion")
		}
	}
}

// TestOrbitsKeepInvariants: all particles keep h^2 and E^2 in float64, some are captured.
func TestOrbitsKeepInvariants(t *testing.T) {
	captured := 0
	for i := range int64(200) {
		o := startOrbit(3, i)
		end, caught, _ := o.integrate(1000, float64(properStep))
		if caught {
			captured++
			continue
		}
		if math.Abs(end.spin()-o.spin()) > 1e-10*o.spin() || math.Abs(end.energy()-o.energy()) > energyTolerance {
			t.Errorf("particle %d: h^2 %v to %v, E^2 %v to %v", i, o.spin(), end.spin(), o.energy(), end.energy())
		}
	}
	if captured < 8 || captured > 40 {
		t.Errorf("%d of 200 captured", captured)
	}
}

// orbits32 is the kernel in float32.
func orbits32(b suites.Build, steps int64) []uint32 {
	var state []float32
	for i := range b.Size {
		o := startOrbit(b.Seed, i)
		var x, v [3]float32
		for j := range x {
			x[j], v[j] = float32(o.x[j]), float32(o.v[j])
		}
		dot32 := func(a, b [3]float32) float32 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
		h := [3]float32{x[1]*v[2] - x[2]*v[1], x[2]*v[0] - x[0]*v[2], x[0]*v[1] - x[1]*v[0]}
		h2 := dot32(h, h)
		pull := func() float32 {
			inverse := float32(1 / math.Sqrt(float64(dot32(x, x))))
			return -(inverse * inverse * inverse) * (1 + 3*h2*(inverse*inverse))
		}
		s, captured := pull(), float32(0)
		for range steps {
			for j := range x {
				v[j] += x[j] * s * (properStep / 2)
			}
			for j := range x {
				x[j] += v[j] * properStep
			}
			if dot32(x, x) < 9 {
				captured = 1
				break
			}
			s = pull()
			for j := range x {
				v[j] += x[j] * s * (properStep / 2)
			}
		}
		state = append(state, x[0], x[1], x[2], captured, v[0], v[1], v[2], h2)
	}
	return words(state)
}

func TestGeodesicVerify(t *testing.T) {
	for _, steps := range []int64{1, 100, 1000} {
		b := suitetest.Build(geodesic{}, 1000, 2)
		b.Params["steps"] = steps
		p, err := geodesic{}.Build(b)
		if err != nil {
			t.Fatal(err)
		}
		state := orbits32(b, steps)
		c := &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: map[string][]uint32{"state": state}}}
		got, err := geodesic{}.Verify(c)
		if err != nil || got.Wrong != "" || got.Worst > 0.5 || got.Checked < 4500 {
			t.Errorf("%d steps: %+v, %v", steps, got, err)
		}
		t.Logf("%d steps: worst %.3g of the tolerance", steps, got.Worst)
		for at, by := range map[int]float32{0: 0.1, 3: 1, 7: 0.1} { // of particle 0, which is not captured
			was := state[at]
			state[at] = math.Float32bits(math.Float32frombits(was) + by)
			if got, err := (geodesic{}).Verify(c); err != nil || got.Wrong == "" {
				t.Errorf("%d steps: word %d off passes: %+v, %v", steps, at, got, err)
			}
			state[at] = was
		}
	}
}

// TestGeodesicKeepsEnergy: a state that went on from other velocities than those of the
// start is not taken for one that kept E^2, and a particle that came close to the mass is
// held against float64 alone.
func TestGeodesicKeepsEnergy(t *testing.T) {
	b := suitetest.Build(geodesic{}, 1000, 1)
	p, err := geodesic{}.Build(b)
	if err != nil {
		t.Fatal(err)
	}
	clean := orbits32(b, 1000)
	near, far := int64(-1), int64(-1)
	for i := range b.Size {
		switch _, captured, least := startOrbit(b.Seed, i).integrate(1000, float64(properStep)); {
		case captured:
		case least < grazing:
			near = i
		default:
			far = i
		}
	}
	if near < 0 || far < 0 {
		t.Fatalf("particles %d near and %d far", near, far)
	}
	for _, i := range []int64{near, far} {
		for _, by := range []float64{1, 1 + 1e-5, 1 + 1e-3} { // of the velocity
			state := slices.Clone(clean)
			for j := range int64(3) {
				v := &state[8*i+4+j]
				*v = math.Float32bits(float32(float64(math.Float32frombits(*v)) * by))
			}
			got, err := geodesic{}.Verify(&suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: map[string][]uint32{"state": state}}})
			if err != nil || (got.Wrong != "") != (by > 1+1e-4) {
				t.Errorf("particle %d, velocity times %v: %+v, %v", i, by, got, err)
			}
		}
	}
}

// Words from anywhere in the array, however cut, are the same.
func TestOrbitWordsFromAnywhere(t *testing.T) {
	all := make([]uint32, 80)
	fillOrbits(5, 0, all)
	for first := range int64(16) {
		part := make([]uint32, 37)
		fillOrbits(5, first, part)
		for i, w := range part {
			if w != all[first+int64(i)] {
				t.Fatalf("word %d differs when filled from %d", first+int64(i), first)
			}
		}
	}
}
