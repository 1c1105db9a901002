package ga

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestRotorByHand: a quarter turn in the plane e12 takes e1 to e2, e2 to -e1, keeps e3 and
// the scalar, and takes e13 to e23.
func TestRotorByHand(t *testing.T) {
	r := newRotor(math.Pi/2, 1, 0, 0)
	for _, c := range []struct{ from, to Multivector }{
		{Multivector{1: 1}, Multivector{2: 1}},
		{Multivector{2: 1}, Multivector{1: -1}},
		{Multivector{4: 1}, Multivector{4: 1}},
		{Multivector{0: 1}, Multivector{0: 1}},
		{Multivector{5: 1}, Multivector{6: 1}},
		{Multivector{7: 1}, Multivector{7: 1}},
	} {
		got := Sandwich(r, c.from)
		for j := range got {
			if math.Abs(got[j]-c.to[j]) > 4*suites.U {
				t.Errorf("%v becomes %v, expected %v", c.from, got, c.to)
				break
			}
		}
	}
}

func TestReverseReversesProducts(t *testing.T) {
	for i := range int64(50) {
		a, b := layout{unit: 1}.read(1, operandA, i), layout{unit: 1}.read(1, operandB, i)
		left, right := Reverse(Product(a, b)), Product(Reverse(b), Reverse(a))
		for j := range left {
			if math.Abs(left[j]-right[j]) > 1e-14 {
				t.Fatalf("rev(ab) = %v, rev(b) rev(a) = %v", left, right)
			}
		}
	}
}

// TestFullTurn: an angle further by 2 pi gives -R, a full turn is the identity, and rotors
// of one plane add their angles.
func TestFullTurn(t *testing.T) {
	x := layout{unit: 1}.read(3, rotated, 7)
	for i := range int64(100) {
		angle, b12, b13, b23 := plane(42, i)
		r, s := newRotor(angle, b12, b13, b23), newRotor(angle+2*math.Pi, b12, b13, b23)
		turn := Sandwich(newRotor(2*math.Pi, b12, b13, b23), x)
		twice, sum := Sandwich(r, Sandwich(r, x)), Sandwich(newRotor(2*angle, b12, b13, b23), x)
		for j := range r {
			if math.Abs(r[j]+s[j]) > suites.U || math.Abs(turn[j]-x[j]) > 4*suites.U || math.Abs(twice[j]-sum[j]) > 32*suites.U {
				t.Fatalf("element %d: R %v, a turn later %v; %v turned is %v; twice %v, double %v", i, r, s, x, turn, twice, sum)
			}
		}
	}
}

// TestFullTurnOfOutputs: outputs of every mode that are a little further than the rotor
// takes them do not come back after a full turn.
func TestFullTurnOfOutputs(t *testing.T) {
	each := sharedTurn
	each[0], each[1], each[2], each[3] = plane(42, 5)
	whole := layout{unit: 1}.read(3, rotated, 7)
	for name, c := range map[string]struct {
		turn [4]float64
		x    Multivector
	}{"shared": {sharedTurn, whole}, "each": {each, whole}, "vectors": {sharedTurn, Multivector{1: 0.5, 2: -0.25, 4: 0.75}}} {
		further := c.turn
		further[0] += 1e-4
		bound := sandwichBounds(rotorOf(c.turn), c.x)
		var right, wrong suites.Tally
		fullTurn(&right, c.turn, 0, c.x, Sandwich(rotorOf(c.turn), c.x), bound.Norm())
		fullTurn(&wrong, c.turn, 0, c.x, Sandwich(rotorOf(further), c.x), bound.Norm())
		if got := right.Outcome("E1", ""); got.Wrong != "" {
			t.Errorf("%s: %s", name, got.Wrong)
		}
		if got := wrong.Outcome("E1", ""); !strings.Contains(got.Wrong, "R(2 pi - t) after R(t)") {
			t.Errorf("%s, too far: %q", name, got.Wrong)
		}
	}
}

// TestMakeRotors: any part of the source agrees with the whole.
func TestMakeRotors(t *testing.T) {
	whole := make([]uint32, 80)
	makeRotors(9, 0, whole)
	for first := range 30 {
		part := make([]uint32, 37)
		makeRotors(9, int64(first), part)
		for k, w := range part {
			if w != whole[first+k] {
				t.Fatalf("word %d differs when made from word %d", first+k, first)
			}
		}
	}
	r := newRotor(plane(9, 3))
	if math.Float32frombits(whole[8*3+5]) != float32(r[5]) || math.Abs(r.Norm()-1) > 2*suites.U {
		t.Errorf("rotor %v in words %v", r, whole[24:32])
	}
}

// turn is the device's arithmetic in float32, modes 0 and 1.
func turn(r, x [8]float32) [8]float32 {
	rev := r
	for _, i := range []int{3, 5, 6} {
		rev[i] = -rev[i]
	}
	return emulate(emulate(r, x), rev)
}

// turnVector is the kernel ga/rotate in float32.
func turnVector(w float32, u, v [3]float32) [3]float32 {
	cross := func(a, b [3]float32) [3]float32 {
		return [3]float32{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
	}
	t := cross(u, v)
	for k := range t {
		t[k] += t[k]
	}
	far := cross(u, t)
	for k := range v {
		v[k] += w*t[k] + far[k]
	}
	return v
}

func rotatedByDevice(b suites.Build, units int64) []uint32 {
	var words []uint32
	r := sharedRotor()
	in := suites.Stream{Seed: b.Seed, Workload: rotorNumber, Array: rotated.ID}
	for i := range units {
		if b.Params["mode"] == modeVectors {
			u := [3]float32{float32(-r[6]), float32(r[5]), float32(-r[3])}
			for k := range int64(4) {
				var v [3]float32
				for c := range v {
					v[c] = in.F32(12*i+3*k+int64(c), -1, 1)
				}
				for _, x := range turnVector(float32(r[0]), u, v) {
					words = append(words, math.Float32bits(x))
				}
			}
			continue
		}
		if b.Params["mode"] == modeEach {
			r = newRotor(plane(b.Seed, i))
		}
		var x [8]float32
		for j := range x {
			x[j] = in.F32(8*i+int64(j), -1, 1)
		}
		for _, y := range turn(narrow(r), x) {
			words = append(words, math.Float32bits(y))
		}
	}
	return words
}

func TestRotorVerify(t *testing.T) {
	for mode := range int64(3) {
		b := suitetest.Build(rotor{}, 1<<15+1, 3)
		b.Params["mode"] = mode
		p, err := (rotor{}).Build(b)
		if err != nil {
			t.Fatal(err)
		}
		words := rotatedByDevice(b, p.Units)
		c := &suites.Check{Build: b, Program: p, Out: suitetest.Memory{Arrays: map[string][]uint32{"y": words}}}
		for _, c.Full = range []bool{true, false} {
			got, err := (rotor{}).Verify(c)
			if err != nil || got.Wrong != "" || got.Checked < suites.MinSampled || got.Worst <= 0 || got.Worst > 1 {
				t.Errorf("mode %d, full %v: %+v, %v", mode, c.Full, got, err)
			}
		}
		stride := int64(8)
		if mode == modeVectors {
			stride = 12
		}
		words[stride*p.Shares[1].Lo+3] ^= 1 << 31
		for _, c.Full = range []bool{true, false} {
			if got, err := (rotor{}).Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "y[") {
				t.Errorf("mode %d, full %v misses a wrong sign: %+v, %v", mode, c.Full, got, err)
			}
		}
	}
}

func TestRotorBuild(t *testing.T) {
	for mode := range int64(3) {
		for _, size := range []int64{1, 3, 255, 257, 1021, 1 << 28} {
			for _, count := range []int{1, 2, 3, 7} {
				b := suitetest.Build(rotor{}, size, count)
				b.Params["mode"] = mode
				for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
					p, err := (rotor{}).Build(b)
					if err == nil {
						err = suitetest.Invariants(p, count)
					}
					if err != nil {
						t.Fatalf("mode %d, size %d, count %d: %v", mode, size, count, err)
					}
				}
			}
		}
	}
	for _, w := range []suites.Workload{rotor{}, normalize{}} {
		if _, err := w.Build(suitetest.Build(w, 0, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("%s, size 0: %v", w.Info().ID, err)
		}
	}
}
