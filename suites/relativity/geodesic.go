package relativity

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(geodesic{}) }

type geodesic struct{}

const (
	geodesicNumber = 25
	maxParticles   = 1 << 40
	properStep     = float32(0.05)
	// capture is the radius below which a particle is frozen.
	capture = 3
)

func (geodesic) Info() suites.Info {
	return suites.Info{
		ID: "relativity/geodesic", Number: geodesicNumber,
		Doc: "Free test particles around a Schwarzschild mass, timelike geodesics in proper time; " +
			"radii from 8 to 32 and some that fall in",
		Source:        "Amari; G = c = M = 1, velocity Verlet, step 0.05",
		Formula:       "x'' = -(x / r^3) (1 + 3 h^2 / r^2), h = |x cross x'|; frozen where r < 3",
		Sizes:         suites.Sizes{S: 1000, M: 1 << 20, L: 1 << 24},
		SizeUnit:      "particles",
		Note:          "S takes 1,000 steps like M, those that the tolerances are for, and not the specification's 100 (--param steps=100)",
		Layout:        "a particle is x, y, z, captured (0 or 1); velocity by proper time, h^2",
		WorkUnit:      "particle step",
		Flops:         "32 and a reciprocal square root per particle and step",
		Bytes:         "64 per particle",
		Splits:        []string{"particles"},
		Communication: "none",
		Tolerance:     "E3: position 5e-4 relative, h^2 5e-4; E^2 2e-5 from the start outside of r = 3.5 (nearer by, where the step is coarse, from float64); D0",
		Weak:          "particles proportional to the number of devices",
		Params: []suites.Param{
			{Name: "steps", Doc: "steps of one iteration; orbits near capture amplify rounding beyond the tolerance after more", Default: 1000, Min: 1, Max: 1000},
		},
	}
}

func (geodesic) Build(b suites.Build) (*program.Program, error) {
	if b.Size < 1 || b.Size > maxParticles {
		return nil, fmt.Errorf("relativity/geodesic: %d particles: choose 1 to %d", b.Size, int64(maxParticles))
	}
	steps := max(b.Params["steps"], 1)
	start := func(_ int, first int64, into []uint32) { fillOrbits(b.Seed, first, into) }
	p := &program.Program{
		Units: b.Size, Shares: b.Divide(b.Size, 32),
		Arrays: []program.Array{{
			Name: "state", Elem: program.F32, Layout: program.Split, Units: b.Size, Stride: 8, Output: true,
			Source: program.Source{Kind: program.Made, Make: start},
		}},
		Kernels: []program.Kernel{{Name: "main", Shader: "relativity/geodesic"}},
		Evolves: true,
		Work:    float64(b.Size) * float64(steps),
		Bytes:   64 * float64(b.Size),
	}
	p.Flops = 33 * p.Work
	push := []uint32{uint32(steps), math.Float32bits(properStep), math.Float32bits(properStep / 2)}
	d := program.Dispatch{Label: "integrate", Kernel: "main", Bind: []program.Binding{{Array: "state", Access: program.ReadWrite}}}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: groupSize, Push: push})
	}
	p.Steps = []program.Step{d}
	return p, nil
}

// orbit is the state of one particle in float64.
type orbit struct{ x, v [3]float64 }

// startOrbit is particle i's first state, in float32 values: a random plane and place in
// it, a tangential velocity near that of a circular orbit, h^2 = r^2/(r-3); one particle of
// sixteen starts near the mass and slow, and falls in.
func startOrbit(seed uint64, i int64) orbit {
	s := suites.Stream{Seed: seed, Workload: geodesicNumber}
	var u [6]float64
	for j := range u {
		u[j] = float64(s.F32(6*i+int64(j), 0, 1))
	}
	r := 8 + 24*u[0]
	tangential, radial := 0.8+0.4*u[4], 0.2*(u[5]-0.5)
	if i%16 == 7 {
		r, tangential, radial = 6+2*u[0], 0.1+0.1*u[4], -0.4
	}
	speed := 1 / math.Sqrt(r-3)
	// An orthonormal pair: a direction on the sphere and one across it.
	z, turn, across := 2*u[1]-1, 2*math.Pi*u[2], 2*math.Pi*u[3]
	flat := math.Sqrt(1 - z*z)
	out := [3]float64{flat * math.Cos(turn), flat * math.Sin(turn), z}
	east := [3]float64{-math.Sin(turn), math.Cos(turn), 0}
	north := [3]float64{-z * math.Cos(turn), -z * math.Sin(turn), flat}
	var o orbit
	for j := range out {
		along := math.Cos(across)*east[j] + math.Sin(across)*north[j]
		o.x[j] = float64(float32(r * out[j]))
		o.v[j] = float64(float32(speed * (tangential*along + radial*out[j])))
	}
	return o
}

// fillOrbits writes words of the first states from word number first on.
func fillOrbits(seed uint64, first int64, into []uint32) {
	for at := 0; at < len(into); {
		word := first + int64(at)
		o := startOrbit(seed, word/8)
		state := [8]float64{o.x[0], o.x[1], o.x[2], 0, o.v[0], o.v[1], o.v[2], 0}
		for j := word % 8; j < 8 && at < len(into); j++ {
			into[at] = math.Float32bits(float32(state[j]))
			at++
		}
	}
}

// spin is h^2 = |x cross v|^2.
func (o orbit) spin() float64 {
	sum := 0.0
	for j := range o.x {
		k, l := (j+1)%3, (j+2)%3
		c := o.x[k]*o.v[l] - o.x[l]*o.v[k]
		sum += c * c
	}
	return sum
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// energy is E^2 = r'^2 + (1-2/r)(1+h^2/r^2), the other invariant.
func (o orbit) energy() float64 {
	r2 := dot(o.x, o.x)
	fall := dot(o.x, o.v)
	return fall*fall/r2 + (1-2/math.Sqrt(r2))*(1+o.spin()/r2)
}

// integrate makes steps of velocity Verlet and stops at the capture, with the least radius
// seen.
func (o orbit) integrate(steps int64, dt float64) (end orbit, captured bool, least float64) {
	h2 := o.spin()
	pull := func() float64 {
		r2 := dot(o.x, o.x)
		return -(1 + 3*h2/r2) / (r2 * math.Sqrt(r2))
	}
	least = math.Sqrt(dot(o.x, o.x))
	s := pull()
	for range steps {
		for j := range o.x {
			o.v[j] += o.x[j] * s * dt / 2
		}
		for j := range o.x {
			o.x[j] += o.v[j] * dt
		}
		r := math.Sqrt(dot(o.x, o.x))
		if least = min(least, r); r < capture {
			return o, true, least
		}
		s = pull()
		for j := range o.x {
			o.v[j] += o.x[j] * s * dt / 2
		}
	}
	return o, false, least
}
