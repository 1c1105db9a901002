package relativity

import (
	"fmt"
	"math"
	"sync"

	"github.com/amgpu/amgpu/suites"
)

// termRoundings bounds the relative error of one term in units of u: differences,
// squares and their sum to the power -3/2 (10), the reciprocal square root of 2 ULP
// to the third power (12), products (6), G (2) and the bound's own slack.
const termRoundings = 40

// trajectoryPairs is the most pair evaluations spent on a float64 trajectory.
const trajectoryPairs = 1 << 30

// Verify compares accelerations with a float64 sum over the positions the device
// ended with, and where it got to with what its accelerations before and after say; checks
// that masses are untouched, momentum is kept and, where that is affordable, energy; and,
// where the check is full, positions and velocities with a float64 trajectory.
func (w nbody) Verify(c *suites.Check) (suites.Outcome, error) {
	n, steps := c.Build.Size, max(c.Build.Params["steps"], 1)
	number := w.Info().Number
	end, err := state(c, n)
	if err != nil {
		return suites.Outcome{}, err
	}
	start := initial(c.Build.Seed, number, n)
	longest := chain(n) + termRoundings

	var mu sync.Mutex
	var sum, seen, most float64 // of magnitudes over the bodies looked at
	all, err := c.EachUnit("acc", n, func(i int64, got []uint32, t *suites.Tally) {
		a, s := attraction(end.pos, i)
		for k := range a {
			t.Near("acc", 4*i+int64(k), got[k], a[k], longest*suites.U*s[k])
		}
		t.Bits("acc", 4*i+3, got[3], 0)
		if steps <= mostMotionSteps {
			followed(t, start, end, i, steps, a, s, longest)
		}
		mu.Lock()
		sum, seen, most = sum+s[0]+s[1]+s[2], seen+1, max(most, s[0], s[1], s[2])
		mu.Unlock()
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	self := "total momentum kept, masses untouched"
	conserved(&all, start, end, steps, longest, sum/seen)
	if steps <= mostMotionSteps {
		self += ", bodies follow their accelerations"
	}
	if 2*float64(n)*float64(n) <= mostEnergyPairs {
		dv := 2 * float64(steps) * (float64(dt)*2*most*longest*suites.U + 4*suites.U*end.fastest())
		keptEnergy(&all, start, end, steps, dv, 2*float64(steps)*(2*suites.U+float64(dt)*dv))
		self += ", total energy kept up to leapfrog's own change"
	}
	if c.Full && float64(n)*float64(n)*float64(steps+1) <= trajectoryPairs {
		trajectory(&all, start, end, steps, longest)
		self += ", positions and velocities along a float64 trajectory"
	}
	return all.Outcome("E1", self), nil
}

// state reads the final positions and velocities.
func state(c *suites.Check, n int64) (bodies, error) {
	var s bodies
	for _, part := range []struct {
		array string
		to    *[]float64
	}{{"pos", &s.pos}, {"vel", &s.vel}} {
		words, err := c.Out.Words(part.array, 0, 4*n)
		if err != nil {
			return s, err
		}
		*part.to = make([]float64, len(words))
		for i, w := range words {
			(*part.to)[i] = float64(math.Float32frombits(w))
		}
	}
	return s, nil
}

// conserved checks invariants: masses bit for bit, and the sum of m v, which exact
// arithmetic keeps. Its error is bounded by steps*dt times the bound of the
// accelerations, with four times the mean sum of magnitudes (taken from the bodies
// looked at), plus two roundings of every velocity a kick.
func conserved(t *suites.Tally, start, end bodies, steps int64, chain, sum float64) {
	var mass float64
	for i := 3; i < len(start.pos); i += 4 {
		mass += start.pos[i]
		if end.pos[i] != start.pos[i] {
			note(t, "mass of body %d is %v, was %v", i/4, end.pos[i], start.pos[i])
			return
		}
	}
	before, size := start.momentum()
	after, size2 := end.momentum()
	bound := float64(steps)*float64(dt)*4*sum*mass*chain*suites.U + 4*float64(steps)*suites.U*max(size, size2)
	for k := range before {
		off := math.Abs(after[k] - before[k])
		if !(off <= bound) {
			note(t, "momentum component %d is %.9g, was %.9g (bound %.3g)", k, after[k], before[k], bound)
			return
		}
		t.Worst = max(t.Worst, off/bound)
	}
}

// trajectory compares positions and velocities with the same integration in
// float64. Each step adds the acceleration's bound times dt and two roundings of a
// velocity, and two roundings of a position; doubled for what earlier errors cause.
func trajectory(t *suites.Tally, start, end bodies, steps int64, chain float64) {
	most := start.leapfrog(steps)
	velBound := 2 * float64(steps) * (float64(dt)*most*chain*suites.U + 4*suites.U*start.fastest())
	for i := range end.pos {
		if i%4 == 3 {
			continue
		}
		t.Near("vel", int64(i), math.Float32bits(float32(end.vel[i])), start.vel[i], velBound)
		posBound := 2 * float64(steps) * (2*suites.U*math.Abs(start.pos[i]) + float64(dt)*velBound)
		t.Near("pos", int64(i), math.Float32bits(float32(end.pos[i])), start.pos[i], posBound)
	}
}

func note(t *suites.Tally, format string, args ...any) {
	t.Add(suites.Tally{Wrong: fmt.Sprintf(format, args...)})
}
