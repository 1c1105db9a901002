package relativity

import (
	"math"

	"github.com/amgpu/amgpu/suites"
)

// mostMotionSteps is up to how many steps a body's way is followed by its first and last
// acceleration alone.
const mostMotionSteps = 8

// mostEnergyPairs bounds the pairs that total energies are summed over.
const mostEnergyPairs = 1 << 28

// followed notes where body i, of those that a check looks at, has not moved as its
// accelerations before and after say. With a linear in time, N steps of leapfrog make
//
//	v1 = v0 + T (a0 + a1)/2,  x1 = x0 + T v0 + dt^2 ((N^2/2 - q) a0 + q a1),  q = (N^2-1)/6,
//
// T = N dt; what is left is T^3/8 and T^4/16 of the largest second derivative of a. Rounding:
// as of a trajectory.
func followed(t *suites.Tally, start, end bodies, i, steps int64, a1, size [3]float64, chain float64) {
	a0, _ := attraction(start.pos, i)
	n, h := float64(steps), float64(dt)
	time, q := n*h, (n*n-1)/6
	most := max(size[0], size[1], size[2])
	bend := bending(end, i, most)
	for c := range a1 {
		at := 4*i + int64(c)
		x0, v0, x1, v1 := start.pos[at], start.vel[at], end.pos[at], end.vel[at]
		round := 2 * n * (h*most*chain*suites.U + 4*suites.U*max(math.Abs(v0), math.Abs(v1)))
		v := v0 + time*(a0[c]+a1[c])/2
		t.Identity("velocity follows from the accelerations", at, v1, v, round+time*time*time/8*bend)
		x := x0 + time*v0 + h*h*((n*n/2-q)*a0[c]+q*a1[c])
		t.Identity("position follows from the accelerations", at, x1, x, 2*n*(2*suites.U*max(math.Abs(x0), math.Abs(x1))+h*round)+math.Pow(time, 4)/16*bend)
	}
}

// bending bounds the second derivative by time of the acceleration of body i. That of
// d rho^-3, rho^2 = |d|^2 + eps^2, is at most 21 |w|^2 rho^-4 + 4 |a| rho^-3 with w and a the
// first two of d; |a| is taken as at most 8 times the acceleration's terms. The factor 4: rho
// may have been 1.4 times smaller on the way.
func bending(s bodies, i int64, acceleration float64) float64 {
	n := int64(len(s.pos) / 4)
	sum := 0.0
	for j := range n {
		r2, w2 := float64(eps2), 0.0
		for c := range int64(3) {
			d, w := s.pos[4*j+c]-s.pos[4*i+c], s.vel[4*j+c]-s.vel[4*i+c]
			r2 += d * d
			w2 += w * w
		}
		sum += s.pos[4*j+3] * (21*w2/(r2*r2) + 32*acceleration/(r2*math.Sqrt(r2)))
	}
	return 4 * float64(gravity(n)) * sum
}

// energies is the total energy, and what leapfrog may change it by over dt^2: its modified
// energy, which it keeps up to dt^4, has in addition
//
//	dt^2 (v V'' v / 12 - sum m |a|^2 / 24)
//
// (Hairer, Lubich, Wanner, Geometric Numerical Integration, IX.3), summed here as magnitudes.
// force is sum m |a|, by components.
func (s bodies) energies() (total, change, force float64) {
	n := int64(len(s.pos) / 4)
	g := float64(gravity(n))
	parts := make([][3]float64, n)
	suites.Spread(n, func(lo, hi int64, _ *suites.Tally) {
		for i := lo; i < hi; i++ {
			m := s.pos[4*i+3]
			var a [3]float64
			var near, curl, square float64
			for j := range n {
				if j == i {
					continue
				}
				var d [3]float64
				r2, along, w2 := float64(eps2), 0.0, 0.0
				for c := range d {
					d[c] = s.pos[4*j+int64(c)] - s.pos[4*i+int64(c)]
					w := s.vel[4*j+int64(c)] - s.vel[4*i+int64(c)]
					r2 += d[c] * d[c]
					along += d[c] * w
					w2 += w * w
				}
				inverse := 1 / math.Sqrt(r2)
				near += s.pos[4*j+3] * inverse
				cube := s.pos[4*j+3] * inverse * inverse * inverse
				curl += cube * (w2 + 3*along*along*inverse*inverse)
				for c := range a {
					a[c] += cube * d[c]
				}
			}
			for c := range a {
				v := s.vel[4*i+int64(c)]
				square += v * v
				a[c] *= g
			}
			// Pairs count once, so half of what is summed for both of them.
			parts[i][0] = m*square/2 - g*m*near/2
			parts[i][1] = g*m*curl/24 + m*(a[0]*a[0]+a[1]*a[1]+a[2]*a[2])/24
			parts[i][2] = m * (math.Abs(a[0]) + math.Abs(a[1]) + math.Abs(a[2]))
		}
	})
	for _, p := range parts {
		total, change, force = total+p[0], change+p[1], force+p[2]
	}
	return total, change, force
}

// keptEnergy notes a drift of the total energy beyond that of leapfrog and of rounding, which
// moves velocities by at most dv and positions by dx.
func keptEnergy(t *suites.Tally, start, end bodies, steps int64, dv, dx float64) {
	before, change, force := start.energies()
	after, change2, force2 := end.energies()
	_, moving := start.momentum()
	_, moving2 := end.momentum()
	h := float64(dt)
	bound := h*h*(change+change2) + max(moving, moving2)*dv + max(force, force2)*dx
	off := math.Abs(after - before)
	if !(off <= bound) {
		note(t, "energy is %.9g, was %.9g (bound %.3g) after %d steps", after, before, bound, steps)
		return
	}
	t.Worst = max(t.Worst, off/bound)
}
