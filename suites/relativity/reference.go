package relativity

import (
	"math"

	"github.com/amgpu/amgpu/suites"
)

// bodies is a state in float64, four components a body as on the device.
type bodies struct{ pos, vel []float64 }

// initial is the state the sources make.
func initial(seed uint64, number uint32, n int64) bodies {
	pos := suites.Stream{Seed: seed, Workload: number, Array: idPos}
	vel := suites.Stream{Seed: seed, Workload: number, Array: idVel}
	s := bodies{make([]float64, 4*n), make([]float64, 4*n)}
	suites.Spread(4*n, func(lo, hi int64, _ *suites.Tally) {
		for i := lo; i < hi; i++ {
			s.pos[i] = float64(pos.F32(i, 0, 1))
			s.vel[i] = float64(vel.F32(i, velLo, velHi))
		}
	})
	return s
}

// attraction is the acceleration of body i in float64, and per component the sum
// of the magnitudes of its terms.
func attraction(pos []float64, i int64) (a, s [3]float64) {
	n := int64(len(pos) / 4)
	x, y, z := pos[4*i], pos[4*i+1], pos[4*i+2]
	for j := int64(0); j < n; j++ {
		dx, dy, dz := pos[4*j]-x, pos[4*j+1]-y, pos[4*j+2]-z
		r2 := dx*dx + dy*dy + dz*dz + float64(eps2)
		w := pos[4*j+3] / (r2 * math.Sqrt(r2))
		a[0] += w * dx
		a[1] += w * dy
		a[2] += w * dz
		s[0] += w * math.Abs(dx)
		s[1] += w * math.Abs(dy)
		s[2] += w * math.Abs(dz)
	}
	g := float64(gravity(n))
	for c := range a {
		a[c] *= g
		s[c] *= g
	}
	return a, s
}

// accelerations of all bodies, and the largest sum of magnitudes among them.
func accelerations(pos []float64) (acc [][3]float64, most float64) {
	acc = make([][3]float64, len(pos)/4)
	sums := make([]float64, len(acc))
	suites.Spread(int64(len(acc)), func(lo, hi int64, _ *suites.Tally) {
		for i := lo; i < hi; i++ {
			var s [3]float64
			acc[i], s = attraction(pos, i)
			sums[i] = max(s[0], s[1], s[2])
		}
	})
	for _, s := range sums {
		most = max(most, s)
	}
	return acc, most
}

// leapfrog advances the state by steps kick-drift-kick steps in float64 and
// returns the largest sum of magnitudes seen.
func (s bodies) leapfrog(steps int64) (most float64) {
	acc, most := accelerations(s.pos)
	kick := func() {
		for i, a := range acc {
			for c := range 3 {
				s.vel[4*i+c] += a[c] * float64(dt) / 2
			}
		}
	}
	for range steps {
		kick()
		for i := range acc {
			for c := range 3 {
				s.pos[4*i+c] += s.vel[4*i+c] * float64(dt)
			}
		}
		var m float64
		acc, m = accelerations(s.pos)
		most = max(most, m)
		kick()
	}
	return most
}

// fastest is the largest component of a velocity.
func (s bodies) fastest() (most float64) {
	for _, v := range s.vel {
		most = max(most, math.Abs(v))
	}
	return most
}

// momentum is sum m v, and sum m |v|.
func (s bodies) momentum() (p [3]float64, magnitude float64) {
	for i := 0; i < len(s.pos); i += 4 {
		m := s.pos[i+3]
		for c := range 3 {
			p[c] += m * s.vel[i+c]
			magnitude += m * math.Abs(s.vel[i+c])
		}
	}
	return p, magnitude
}
