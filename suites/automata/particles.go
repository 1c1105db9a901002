package automata

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(particles{}) }

type particles struct{}

const (
	particlesNumber = 23
	idParticles     = 1
	idStrength      = 2
	particleTypes   = 4
	particleGroup   = 256
	maxParticles    = 1 << 22
	// Four particles on a unit of area: about 300 within reach of each.
	density = 4
	// nearest and farthest bound the squares of distances at which forces act, move is
	// the step, decay what is left of the energy after it.
	nearest, farthest = float32(0.01), float32(25)
	move, decay       = float32(0.1), float32(0.99)
)

var strengths = program.Random(idStrength, -0.01, 0.01)

func (particles) Info() suites.Info {
	return suites.Info{
		ID: "automata/particles", Number: particlesNumber,
		Doc:           "Self-assembly: particles of four types that attract or repel each other nearby",
		Source:        "Amari",
		Formula:       "x' = clamp(x + 0.1 sum over 0.1 < d_ij < 5 of k[ti][tj] / d_ij^2 along d_ij), energy' = 0.99 energy",
		Sizes:         suites.Sizes{S: 512, M: 1 << 17, L: 1 << 20},
		Layout:        "a particle is x, y, type, energy",
		SizeUnit:      "particles",
		WorkUnit:      "pair",
		Flops:         "15 per pair and step, and an inverse square root",
		Bytes:         "48 per particle and step",
		Splits:        []string{"targets"},
		Communication: "all-gather of particles, 16 n B, every step",
		Tolerance:     "E2 of one step: (n + 16) u sum|terms| and 4 u a term; D0",
		Weak:          "particles proportional to the number of devices (pairs grow with its square: compare rates)",
		Params: []suites.Param{
			{Name: "steps", Doc: "steps of one iteration, an even number", Default: 2, Min: 2, Max: 100000, Multiple: 2},
		},
	}
}

// side is the edge of the box.
func side(n int64) float32 { return float32(math.Sqrt(float64(n) / density)) }

// particle is the first state of one: place, type, energy.
func particle(s suites.Stream, n, i int64) (p [4]float32) {
	p[0] = s.F32(4*i, 0, 1) * side(n)
	p[1] = s.F32(4*i+1, 0, 1) * side(n)
	p[2] = float32(s.Word(4*i+2) % particleTypes)
	p[3] = 1
	return p
}

func (w particles) Build(b suites.Build) (*program.Program, error) {
	n, steps := b.Size, b.Params["steps"]
	most := int64(maxParticles)
	if limit := b.Limits.BindingBytes; limit > 0 {
		most = min(most, (limit-256)/16)
	}
	if n < 1 || n > most {
		return nil, fmt.Errorf("automata/particles: %d particles: choose 1 to %d, all must fit one binding", n, most)
	}
	if steps%2 != 0 {
		return nil, fmt.Errorf("automata/particles: %d steps: choose an even number, states alternate between two arrays", steps)
	}
	stream := suites.Stream{Seed: b.Seed, Workload: particlesNumber, Array: idParticles}
	first := program.Source{Kind: program.Made, Make: func(_ int, at int64, into []uint32) {
		var p [4]float32
		for k := range into {
			if e := at + int64(k); k == 0 || e%4 == 0 {
				p = particle(stream, n, e/4)
			}
			into[k] = math.Float32bits(p[(at+int64(k))%4])
		}
	}}
	all := func(name string, source program.Source) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Replicated, Units: n, Stride: 4, Source: source}
	}
	state := all("state", first)
	state.Output = true
	p := &program.Program{
		Units: n, Shares: b.Divide(n, 1),
		Arrays: []program.Array{state, all("other", program.Source{}),
			{Name: "k", Elem: program.F32, Layout: program.Replicated, Units: 1, Stride: particleTypes * particleTypes, Source: strengths}},
		Kernels: []program.Kernel{{Name: "main", Shader: "automata/particles"}},
		Evolves: true,
		Work:    float64(n) * float64(n) * float64(steps),
	}
	p.Flops, p.Bytes = 15*p.Work, 48*float64(n)*float64(steps)
	p.Steps = []program.Step{program.Repeat{Times: int(steps / 2), Body: []program.Step{
		attract("state", "other", n, p.Shares), program.AllGather{Arrays: []string{"other"}},
		attract("other", "state", n, p.Shares), program.AllGather{Arrays: []string{"state"}},
	}}}
	return p, nil
}

func attract(from, to string, n int64, shares []program.Share) program.Dispatch {
	d := program.Dispatch{
		Label: "attract", Kernel: "main", Align: particleGroup,
		Bind: []program.Binding{
			{Array: to, Access: program.Write}, {Array: from, Access: program.Read, Window: program.Whole},
			{Array: "k", Access: program.Read, Window: program.Whole},
		},
	}
	for _, s := range shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: particleGroup, Push: []uint32{uint32(n), math.Float32bits(side(n))}})
	}
	return d
}

// sampledTargets is how many particles a check moves anew.
const sampledTargets = 1024

// Verify makes the last step of particles from the state before it, in 64 bits but for
// the squares of distances, whose rounding decides which forces act.
func (w particles) Verify(c *suites.Check) (suites.Outcome, error) {
	n := c.Build.Size
	before, err := c.Out.Words("other", 0, 4*n)
	if err != nil {
		return suites.Outcome{}, err
	}
	after, err := c.Out.Words("state", 0, 4*n)
	if err != nil {
		return suites.Outcome{}, err
	}
	var k [particleTypes * particleTypes]float64
	for i := range k {
		k[i] = float64(suites.Stream{Seed: c.Build.Seed, Workload: particlesNumber, Array: idStrength}.F32(int64(i), strengths.A, strengths.B))
	}
	start := suites.Stream{Seed: c.Build.Seed, Workload: particlesNumber, Array: idParticles}
	energy := float32(1)
	for range c.Build.Params["steps"] {
		energy *= decay
	}
	count := sampledTargets
	if c.Full {
		count = int(n)
	}
	at := suites.SampleIndices(c.Build.Seed, particlesNumber, 0, n, count)
	tally := suites.Spread(int64(len(at)), func(lo, hi int64, t *suites.Tally) {
		for _, i := range at[lo:hi] {
			place, bound := moved(before, k[:], i, float64(side(n)))
			for axis := range place {
				t.Near("state", 4*i+int64(axis), after[4*i+int64(axis)], place[axis], bound[axis])
			}
			t.Float("state", 4*i+2, after[4*i+2], particle(start, n, i)[2])
			t.Float("state", 4*i+3, after[4*i+3], energy)
		}
	})
	return tally.Outcome("E2", "types unchanged, energy 0.99^steps"), nil
}

// moved is where particle i goes from a state, and the error allowed.
func moved(state []uint32, k []float64, i int64, side float64) (place, bound [2]float64) {
	f := func(j int64) float32 { return math.Float32frombits(state[j]) }
	row := int(f(4*i+2)) * particleTypes
	var force, size [2]float64
	n := int64(len(state) / 4)
	for j := range n {
		dx, dy := f(4*j)-f(4*i), f(4*j+1)-f(4*i+1)
		square := float32(dx*dx) + float32(dy*dy)
		if !(square > nearest && square < farthest) {
			continue
		}
		g := k[row+int(f(4*j+2))] / (float64(square) * math.Sqrt(float64(square)))
		for axis, d := range [2]float64{float64(dx), float64(dy)} {
			force[axis] += g * d
			size[axis] += math.Abs(g * d)
		}
	}
	for axis := range place {
		x := float64(f(4*i + int64(axis)))
		place[axis] = min(max(x+float64(move)*force[axis], 0), side)
		// inverse square roots are good to 2 units in the last place, taken three times.
		bound[axis] = suites.E2(float64(n), float64(move)*size[axis], 16, float64(move)*size[axis]) + 4*suites.U*math.Abs(x)
	}
	return place, bound
}
