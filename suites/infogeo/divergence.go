package infogeo

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(divergence{}) }

type divergence struct{}

const (
	divergenceNumber = 12
	maxPairs         = 1 << 40
	maxCategories    = 4096
	// Every sameEvery-th pair is a vector with itself.
	sameEvery = 64
)

// The kinds.
const (
	kullbackLeibler = iota
	jensenShannon
	squaredDistance
	logSumExp
	expSquare
	alphaKind
	exponentialFamily
)

func (divergence) Info() suites.Info {
	return suites.Info{
		ID: "infogeo/divergence", Number: divergenceNumber,
		Doc: "Divergences of pairs of vectors: kind 0 KL, the Bregman divergence of sum x log x; 1 Jensen-Shannon; Bregman of 2 |x|^2/2, 3 log-sum-exp, 4 exp(|x|^2); " +
			"5 alpha in Amari's convention, limits -1: KL(p|q), +1: KL(q|p); 6 exponential family, categorical. Every 64th pair is a vector with itself",
		Source:        "Amari",
		Formula:       "KL = sum p log(p/q) - p + q; alpha = 4/(1-a^2) sum ((1-a)/2 p + (1+a)/2 q - p^((1-a)/2) q^((1+a)/2)); D_phi = phi(p) - phi(q) - <grad phi(q), p - q>",
		Sizes:         suites.Sizes{S: 1 << 12, M: 1 << 20, L: 1 << 25},
		SizeUnit:      "pairs",
		Layout:        "a pair is a row of p and of q, by category",
		WorkUnit:      "pair",
		Flops:         "7 per category: 5, a logarithm and a division, nominal",
		Bytes:         "8 per category and 4 per pair",
		Splits:        []string{"pairs"},
		Communication: "none",
		Tolerance:     "E2: (K + 16) u sum|terms|; D(p,p) = 0 exactly",
		Weak:          "pairs proportional to the number of devices",
		Params: []suites.Param{
			{Name: "kind", Doc: "which divergence", Max: exponentialFamily},
			{Name: "categories", Doc: "K, a multiple of 4", Default: 64, Min: 4, Max: maxCategories, Multiple: 4},
			{Name: "alpha", Doc: "alpha in hundredths, for kind 5", Default: 50, Min: -100, Max: 100},
		},
	}
}

// divergent is the request: for alpha of -1 and +1 the KL divergence, for +1 of q from p.
type divergent struct {
	kind, k int64
	alpha   float32
	swapped bool
}

func diverge(b suites.Build) (divergent, error) {
	d := divergent{kind: b.Params["kind"], k: b.Params["categories"], alpha: float32(b.Params["alpha"]) / 100}
	if b.Size < 1 || b.Size > maxPairs || d.k < 4 || d.k > maxCategories || d.k%4 != 0 || d.kind < 0 || d.kind > exponentialFamily {
		return d, fmt.Errorf("infogeo/divergence: %d pairs of %d categories, kind %d: choose 1 to %d pairs, a multiple of 4 up to %d categories, a kind from 0 to %d",
			b.Size, d.k, d.kind, int64(maxPairs), maxCategories, exponentialFamily)
	}
	if d.kind == alphaKind && (d.alpha == 1 || d.alpha == -1) {
		d.kind, d.swapped = kullbackLeibler, d.alpha == 1
	}
	return d, nil
}

// inputs are p and q: positive with sums near 1, or coordinates of either sign.
func (d divergent) inputs() (p, q program.Source) {
	lo, hi := 0.25/float32(d.k), 1.75/float32(d.k)
	switch d.kind {
	case logSumExp, exponentialFamily:
		lo, hi = -2, 2
	case expSquare:
		hi = float32(1 / math.Sqrt(float64(d.k)))
		lo = -hi
	}
	return program.Random(0, lo, hi), program.Random(1, lo, hi)
}

func (divergence) Build(b suites.Build) (*program.Program, error) {
	d, err := diverge(b)
	if err != nil {
		return nil, err
	}
	lanes := int64(8)
	for lanes > d.k/4 {
		lanes /= 2
	}
	sp, sq := d.inputs()
	array := func(name string, stride int64, s program.Source) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Split, Units: b.Size, Stride: stride, Source: s, Output: s.Kind == program.None}
	}
	p := &program.Program{
		Units: b.Size, Shares: b.Divide(b.Size, sameEvery),
		Arrays: []program.Array{array("D", 1, program.Source{}), array("p", d.k, sp), array("q", d.k, sq)},
		Kernels: []program.Kernel{{Name: "main", Shader: "infogeo/divergence", Spec: []program.Spec{
			{ID: 1, Value: uint32(d.kind)}, {ID: 2, Value: uint32(d.k / 4)}, {ID: 3, Value: uint32(lanes)},
		}}},
		Work:  float64(b.Size),
		Flops: 7 * float64(d.k) * float64(b.Size),
		Bytes: (8*float64(d.k) + 4) * float64(b.Size),
	}
	left, right := "p", "q"
	if d.swapped {
		left, right = right, left
	}
	step := program.Dispatch{Label: "compute", Kernel: "main", Bind: []program.Binding{
		{Array: "D", Access: program.Write}, {Array: left, Access: program.Read}, {Array: right, Access: program.Read},
	}}
	for _, s := range p.Shares {
		step.On = append(step.On, program.Launch{Units: s.Len(), Div: groupSize / lanes, Push: []uint32{bits(d.alpha)}})
	}
	p.Steps = []program.Step{step}
	return p, nil
}

// of is the divergence of p from q in float64, and the sum of the magnitudes of its terms
// as the kernel has them.
func (d divergent) of(p, q []float64) (value, magnitude float64) {
	var a, b, c, cm float64 // sums of kinds that have several
	t := (1 + float64(d.alpha)) / 2
	for i, x := range p {
		y := q[i]
		switch d.kind {
		case kullbackLeibler:
			l := x * math.Log(x/y)
			value += l - x + y
			magnitude += math.Abs(l) + x + y
		case jensenShannon:
			m := (x + y) / 2
			l, r := x*math.Log(x/m)/2, y*math.Log(y/m)/2
			value += l + r
			magnitude += math.Abs(l) + math.Abs(r) + (x+y)/2
		case squaredDistance:
			value += (x - y) * (x - y) / 2
			magnitude += (x - y) * (x - y) / 2
		case alphaKind:
			mixed := math.Pow(x, 1-t) * math.Pow(y, t)
			scale := 4 / (1 - float64(d.alpha)*float64(d.alpha))
			value += scale * ((1-t)*x + t*y - mixed)
			magnitude += scale * (x + y + mixed)
		case logSumExp:
			a += math.Exp(x)
			b += math.Exp(y)
			c += math.Exp(y) * (x - y)
			cm += math.Exp(y) * math.Abs(x-y)
		case exponentialFamily:
			a += math.Exp(x)
			b += math.Exp(y)
			c += math.Exp(x) * (x - y)
			cm += math.Exp(x) * math.Abs(x-y)
		case expSquare:
			a += x * x
			b += y * y
			c += y * (x - y)
			cm += math.Abs(y * (x - y))
		}
	}
	// A relative error of a sum is an absolute one of its logarithm: 1 stands for it.
	switch d.kind {
	case logSumExp:
		return math.Log(a) - math.Log(b) - c/b, 2 + math.Abs(math.Log(a)) + math.Abs(math.Log(b)) + 2*cm/b
	case exponentialFamily:
		a, b = 1+a, 1+b
		return math.Log(b) - math.Log(a) + c/a, 2 + math.Abs(math.Log(a)) + math.Abs(math.Log(b)) + 2*cm/a
	case expSquare:
		ea, eb := math.Exp(a), math.Exp(b)
		return ea - eb - 2*eb*c, ea*(1+a) + eb*(1+b) + 2*eb*cm*(1+b)
	}
	return value, magnitude
}

// Verify compares with float64; no divergence is negative, and that of a vector from itself
// is exactly 0.
func (divergence) Verify(c *suites.Check) (suites.Outcome, error) {
	d, err := diverge(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	sp, sq := d.inputs()
	if d.swapped {
		sp, sq = sq, sp
	}
	inP, inQ := stream(c.Build.Seed, divergenceNumber, sp), stream(c.Build.Seed, divergenceNumber, sq)
	tally, err := c.EachUnit("D", c.Program.Units, func(i int64, got []uint32, t *suites.Tally) {
		p, q := make([]float64, d.k), make([]float64, d.k)
		for j := range p {
			p[j], q[j] = inP(i*d.k+int64(j)), inQ(i*d.k+int64(j))
		}
		if i%sameEvery == sameEvery-1 {
			t.Near("D", i, got[0], 0, 0)
			return
		}
		want, magnitude := d.of(p, q)
		bound := suites.E2(float64(d.k), 0, float64(d.k+16), magnitude)
		t.Near("D", i, got[0], want, bound)
		if x := value(got[0]); x < 0 {
			t.Identity("D >= 0", i, x, 0, bound)
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E2", "D >= 0, D(p,p) = 0 exactly"), nil
}
