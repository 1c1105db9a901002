package relativity

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestEnergyOfTwo: two bodies at rest and moving apart, by hand.
func TestEnergyOfTwo(t *testing.T) {
	s := bodies{pos: []float64{0, 0, 0, 2, 3, 0, 0, 5}, vel: []float64{1, 0, 0, 0, 0, 2, 0, 0}}
	rho := math.Sqrt(9 + float64(eps2))
	total, change, force := s.energies()
	if want := 1.0 + 10 - 0.5*10/rho; math.Abs(total-want) > 1e-14 {
		t.Errorf("energy %v, expected %v", total, want)
	}
	pull := 0.5 * 10 * 3 / (rho * rho * rho)
	if math.Abs(force-2*pull) > 1e-14 {
		t.Errorf("forces %v, expected %v", force, 2*pull)
	}
	// Relative velocity (-1, 2, 0) and distance (3, 0, 0).
	want := 0.5*10*(5/math.Pow(rho, 3)+3*9/math.Pow(rho, 5))/12 + pull*pull*(1.0/2+1.0/5)/24
	if math.Abs(change-want) > 1e-14 {
		t.Errorf("change %v, expected %v", change, want)
	}
}

// TestLeapfrogDrift: the float64 integration drifts by no more than is allowed without any
// rounding, and by a part of it that shows the bound is not idle.
func TestLeapfrogDrift(t *testing.T) {
	for _, n := range []int64{2, 64, 300} {
		for _, steps := range []int64{1, 4, 200} {
			start, end := initial(1, 26, n), initial(1, 26, n)
			end.leapfrog(steps)
			var tally suites.Tally
			if keptEnergy(&tally, start, end, steps, 0, 0); tally.Wrong != "" || steps == 200 && tally.Worst < 1e-3 {
				t.Errorf("%d bodies, %d steps: %v of the bound, %s", n, steps, tally.Worst, tally.Wrong)
			}
		}
	}
}

// moved is a float32 run of 4 steps, as states, with the last accelerations and their terms.
func moved(t *testing.T, n int64) (start, end bodies, acc, size func(i int64) [3]float64) {
	t.Helper()
	b := suitetest.Build(nbody{}, n, 1)
	pos, vel, _ := emulate(b.Seed, n, 4)
	start, end = initial(b.Seed, 26, n), bodies{}
	for i := range pos {
		end.pos, end.vel = append(end.pos, float64(pos[i])), append(end.vel, float64(vel[i]))
	}
	acc = func(i int64) [3]float64 { a, _ := attraction(end.pos, i); return a }
	size = func(i int64) [3]float64 { _, s := attraction(end.pos, i); return s }
	return start, end, acc, size
}

// TestFollowedCatches: the self-check alone agrees with a run and notices a body that did
// not move, moved or was kicked half as far, or moved by its old velocity alone.
func TestFollowedCatches(t *testing.T) {
	const n, steps = 300, 4
	start, end, acc, size := moved(t, n)
	check := func(i int64) string {
		var tally suites.Tally
		followed(&tally, start, end, i, steps, acc(i), size(i), chain(n)+termRoundings)
		return tally.Wrong
	}
	missed := map[string]int{}
	for i := range int64(n) {
		if wrong := check(i); wrong != "" {
			t.Fatal(wrong)
		}
		for what, spoil := range map[string]func(at int64){
			"stands":         func(at int64) { end.pos[at] = start.pos[at] },
			"is not kicked":  func(at int64) { end.vel[at] = start.vel[at] },
			"is half kicked": func(at int64) { end.vel[at] = (start.vel[at] + end.vel[at]) / 2 },
			"only drifts":    func(at int64) { end.pos[at] = start.pos[at] + steps*float64(dt)*start.vel[at] },
		} {
			wasX, wasV := append([]float64(nil), end.pos[4*i:4*i+3]...), append([]float64(nil), end.vel[4*i:4*i+3]...)
			for c := range int64(3) {
				spoil(4*i + c)
			}
			if check(i) == "" {
				missed[what]++
			}
			copy(end.pos[4*i:], wasX)
			copy(end.vel[4*i:], wasV)
		}
	}
	for what, times := range missed {
		if times > n/20 { // where accelerations nearly cancel
			t.Errorf("a body that %s passes %d times of %d", what, times, n)
		}
	}
	t.Log(missed)
}

// TestEnergyCatches: the self-check alone notices a body that is faster, or nearer to
// another, than it may be; a sampled check has no trajectory to see it by.
func TestEnergyCatches(t *testing.T) {
	const n = 300
	start, end, _, size := moved(t, n)
	most := 0.0
	for i := range int64(n) {
		s := size(i)
		most = max(most, s[0], s[1], s[2])
	}
	dv := 8 * (float64(dt)*most*(chain(n)+termRoundings)*suites.U + 4*suites.U*end.fastest())
	check := func() string {
		var tally suites.Tally
		keptEnergy(&tally, start, end, 4, dv, 8*(2*suites.U+float64(dt)*dv))
		return tally.Wrong
	}
	if wrong := check(); wrong != "" {
		t.Fatal(wrong)
	}
	for _, x := range []*float64{&end.vel[4*17], &end.vel[4*200+2]} {
		was := *x
		if *x *= 1.05; !strings.Contains(check(), "energy") {
			t.Errorf("a velocity of %v in place of %v passes", *x, was)
		}
		*x = was
	}
	was := append([]float64(nil), end.pos[4*5:4*5+3]...)
	copy(end.pos[4*5:], end.pos[4*6:4*6+3])
	if !strings.Contains(check(), "energy") {
		t.Error("a body in the place of another passes")
	}
	copy(end.pos[4*5:], was)
	end.vel[3*4] = math.NaN()
	if !strings.Contains(check(), "energy") {
		t.Error("a velocity that is not a number passes")
	}
}

// TestChain: the bound of a sum follows the kernel's loops, and bodies without mass that fill up
// the last run add nothing.
func TestChain(t *testing.T) {
	for n, want := range map[int64]float64{1: 1 + 8, 64: 16 + 8, 512: 64 + 8, 1024: 128 + 8, 1025: 128 + 16 + 8, 1 << 18: 1<<17 + 2} {
		if got := chain(n); got != want {
			t.Errorf("%d bodies: %v, expected %v", n, got, want)
		}
	}
}
