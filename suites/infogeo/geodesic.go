package infogeo

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(geodesic{}) }

type geodesic struct{}

const (
	geodesicNumber = 13
	maxCurves      = 1 << 40
	curveStep      = float32(0.01)
)

var curveInput = program.Random(0, -1, 1)

func (geodesic) Info() suites.Info {
	return suites.Info{
		ID: "infogeo/geodesic", Number: geodesicNumber,
		Doc: "Geodesics of alpha connections on the Gaussian manifold in natural coordinates, Runge-Kutta of fourth order with steps of 0.01; " +
			"tensor=1: the Amari-Chentsov tensor T(X,Y,Z) instead",
		Source:        "Amari",
		Formula:       "h'' = -(1-alpha)/2 g^-1 T(h',h'), T112 = 1/(2 h2^2), T122 = -h1/h2^3, T222 = (3 h1^2 - 2 h2)/(2 h2^4)",
		Sizes:         suites.Sizes{S: 1 << 12, M: 1 << 20, L: 1 << 26},
		SizeUnit:      "curves",
		Layout:        "a curve is h1, h2 and their velocities",
		WorkUnit:      "flop",
		Flops:         "240 per step: 4 stages of 60; tensor: 10 per element",
		Bytes:         "32 per curve; tensor: 36",
		Splits:        []string{"curves"},
		Communication: "none",
		Tolerance:     "E3: 1e-5 relative; straight lines at alpha = 1 and -1, speed at 0; tensor: 32 u sum|terms|",
		Weak:          "curves proportional to the number of devices",
		Params: []suites.Param{
			{Name: "steps", Doc: "steps; after more, curves of large |alpha| leave the points on which tolerances hold", Default: 100, Min: 1, Max: 100},
			{Name: "alpha", Doc: "alpha in hundredths", Default: 0, Min: -100, Max: 100},
			{Name: "tensor", Doc: "1: the tensor instead of curves", Max: 1},
		},
	}
}

func (geodesic) Build(b suites.Build) (*program.Program, error) {
	if b.Size < 1 || b.Size > maxCurves {
		return nil, fmt.Errorf("infogeo/geodesic: %d curves: choose 1 to %d", b.Size, int64(maxCurves))
	}
	array := func(name string, stride int64, s program.Source) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Split, Units: b.Size, Stride: stride, Source: s, Output: s.Kind == program.None}
	}
	n, steps := float64(b.Size), max(b.Params["steps"], 1)
	p := &program.Program{Units: b.Size, Shares: b.Divide(b.Size, 64)}
	d := program.Dispatch{Label: "compute", Kernel: "main"}
	var push []uint32
	if b.Params["tensor"] == 1 {
		p.Arrays = []program.Array{array("T", 1, program.Source{}), array("in", 8, curveInput)}
		p.Kernels = []program.Kernel{{Name: "main", Shader: "infogeo/tensor"}}
		d.Bind = []program.Binding{{Array: "T", Access: program.Write}, {Array: "in", Access: program.Read}}
		p.Flops, p.Bytes = 10*n, 36*n
	} else {
		p.Arrays = []program.Array{array("end", 4, program.Source{}), array("start", 4, curveInput)}
		p.Kernels = []program.Kernel{{Name: "main", Shader: "infogeo/geodesic"}}
		d.Bind = []program.Binding{{Array: "end", Access: program.Write}, {Array: "start", Access: program.Read}}
		push = []uint32{uint32(steps), bits(curveStep), bits(float32(-(1 - alphaOf(b)) / 2))}
		p.Flops, p.Bytes = 240*float64(steps)*n, 32*n
	}
	p.Work = p.Flops
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: groupSize, Push: push})
	}
	p.Steps = []program.Step{d}
	return p, nil
}

func alphaOf(b suites.Build) float64 { return float64(b.Params["alpha"]) / 100 }

// naturalPoint is the point the kernels make of two input numbers, rounded as they do.
func naturalPoint(a, b float64) [2]float64 {
	scaled := float32(0.3) * float32(b)
	return [2]float64{a, float64(scaled - float32(0.6))}
}

// tensorAt is (T_112, T_122, T_222).
func tensorAt(h [2]float64) [3]float64 {
	return [3]float64{1 / (2 * h[1] * h[1]), -h[0] / math.Pow(h[1], 3), (3*h[0]*h[0] - 2*h[1]) / (2 * math.Pow(h[1], 4))}
}

// metricAt is (g11, g12, g22).
func metricAt(h [2]float64) [3]float64 {
	return closedForm(natural, h[0], -h[1])
}

// speed is g(v, v), constant along a geodesic of alpha = 0.
func speed(s [4]float64) float64 {
	g := metricAt([2]float64{s[0], s[1]})
	return g[0]*s[2]*s[2] + 2*g[1]*s[2]*s[3] + g[2]*s[3]*s[3]
}

// expectations are (mu, mu^2 + sigma^2), in which a geodesic of alpha = -1 is straight, and
// their rates of change g v.
func expectations(s [4]float64) (at, rate [2]float64) {
	mu := -s[0] / (2 * s[1])
	g := metricAt([2]float64{s[0], s[1]})
	return [2]float64{mu, mu*mu - 1/(2*s[1])}, [2]float64{g[0]*s[2] + g[1]*s[3], g[1]*s[2] + g[2]*s[3]}
}

// curve integrates (h, h') in float64.
func curve(s [4]float64, alpha, dt float64, steps int64) [4]float64 {
	slope := func(s [4]float64) [4]float64 {
		h1, h2, v1, v2 := s[0], s[1], s[2], s[3]
		t := tensorAt([2]float64{h1, h2})
		q1 := 2*t[0]*v1*v2 + t[1]*v2*v2
		q2 := t[0]*v1*v1 + 2*t[1]*v1*v2 + t[2]*v2*v2
		f := -(1 - alpha) / 2
		return [4]float64{v1, v2, f * ((2*h1*h1-2*h2)*q1 + 2*h1*h2*q2), f * (2*h1*h2*q1 + 2*h2*h2*q2)}
	}
	along := func(s, d [4]float64, t float64) [4]float64 {
		for i := range s {
			s[i] += t * d[i]
		}
		return s
	}
	for range steps {
		a := slope(s)
		b := slope(along(s, a, dt/2))
		c := slope(along(s, b, dt/2))
		d := slope(along(s, c, dt))
		for i := range s {
			s[i] += dt / 6 * (a[i] + 2*b[i] + 2*c[i] + d[i])
		}
	}
	return s
}

// startCurve is the first state of a curve, in the values of float32.
func startCurve(in func(int64) float64, i int64) [4]float64 {
	h := naturalPoint(in(4*i), in(4*i+1))
	tenth := func(x float64) float64 { return float64(float32(0.1) * float32(x)) }
	return [4]float64{h[0], h[1], tenth(in(4*i + 2)), tenth(in(4*i + 3))}
}

// Verify compares with float64, and with what is exact for alpha = 1, -1 and 0.
func (geodesic) Verify(c *suites.Check) (suites.Outcome, error) {
	in := stream(c.Build.Seed, geodesicNumber, curveInput)
	if c.Build.Params["tensor"] == 1 {
		return verifyTensor(c, in)
	}
	steps, alpha := max(c.Build.Params["steps"], 1), alphaOf(c.Build)
	tolerance := 1e-5 * max(1, float64(steps)/100)
	span := float64(steps) * float64(curveStep)
	self := "integration in float64 only"
	switch alpha {
	case 1:
		self = "straight in (h1, h2)"
	case -1:
		self = "straight in (mu, mu^2 + sigma^2)"
	case 0:
		self = "g(h', h') kept"
	}
	tally, err := c.EachUnit("end", c.Program.Units, func(i int64, got []uint32, t *suites.Tally) {
		start := startCurve(in, i)
		want := curve(start, alpha, float64(curveStep), steps)
		size := [4]float64{math.Hypot(want[0], want[1]), 0, math.Hypot(want[2], want[3]), 0}
		size[1], size[3] = size[0], size[2]
		var end [4]float64
		for j := range end {
			end[j] = value(got[j])
			t.Near("end", 4*i+int64(j), got[j], want[j], tolerance*(size[j]+1e-2))
		}
		switch alpha {
		case 1:
			for j := range 2 {
				t.Identity(self, i, end[j], start[j]+span*start[2+j], 2*tolerance*(size[0]+1))
			}
		case -1:
			from, rate := expectations(start)
			to, _ := expectations(end)
			for j := range to {
				t.Identity(self, i, to[j], from[j]+span*rate[j], 20*tolerance*(1+math.Abs(to[j])))
			}
		case 0:
			t.Identity(self, i, speed(end), speed(start), 20*tolerance*(speed(start)+1e-2))
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E3", self), nil
}

// contract is T(X, Y, Z) and the sum of its terms' magnitudes, each component of the tensor
// with those of its own.
func contract(h, x, y, z [2]float64) (sum, magnitude float64) {
	t := tensorAt(h)
	most := t
	most[2] = (3*h[0]*h[0] + 2*math.Abs(h[1])) / (2 * math.Pow(h[1], 4))
	for i := range 2 {
		for j := range 2 {
			for k := range 2 {
				if n := i + j + k; n > 0 {
					term := x[i] * y[j] * z[k]
					sum += t[n-1] * term
					magnitude += math.Abs(most[n-1] * term)
				}
			}
		}
	}
	return sum, magnitude
}

func verifyTensor(c *suites.Check, in func(int64) float64) (suites.Outcome, error) {
	tally, err := c.EachUnit("T", c.Program.Units, func(i int64, got []uint32, t *suites.Tally) {
		h := naturalPoint(in(8*i), in(8*i+1))
		vector := func(j int64) [2]float64 { return [2]float64{in(8*i + j), in(8*i + j + 1)} }
		x, y, z := vector(2), vector(4), vector(6)
		want, magnitude := contract(h, x, y, z)
		t.Near("T", i, got[0], want, 32*suites.U*magnitude)
		turned, _ := contract(h, z, x, y)
		t.Identity("T(X,Y,Z) = T(Z,X,Y)", i, value(got[0]), turned, 33*suites.U*magnitude)
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E2", "T(X,Y,Z) = T(Z,X,Y)"), nil
}
