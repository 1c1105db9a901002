package network

import (
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(diffusion{}) }

type diffusion struct{}

// rate is the part of a node that is mixed with its neighbours in a step.
const rate = float32(0.5)

var diffuse = iteration{
	id: "network/diffusion", number: 20, mode: 1,
	damping:  func(suites.Build, int64) float32 { return rate },
	teleport: func(suites.Build, int64) float32 { return 0 },
	spread:   func(suites.Build, int64) float32 { return 0 },
	scale:    rowScale,
}

// rowScale is 1/sqrt(1 + in-degree), the factor D^-1/2 of A + I.
func rowScale(g *graph, i int64) float32 {
	return float32(1 / math.Sqrt(1+float64(g.length(i))))
}

func (diffusion) Info() suites.Info {
	return suites.Info{
		ID: diffuse.id, Number: diffuse.number,
		Doc:           "Diffusion over a graph with its normalised adjacency",
		Source:        "Amari",
		Formula:       "x' = (1-rate) x + rate Ahat x, Ahat = D^-1/2 (A+I) D^-1/2, D = 1 + in-degree, rate = 1/2",
		Sizes:         suites.Sizes{S: 1 << 12, M: 1 << 22, L: 1 << 25},
		SizeUnit:      "nodes of a random graph, power laws in both directions; or the file of --input",
		WorkUnit:      "edge",
		Flops:         "2 per edge and step",
		Bytes:         "8 per edge and 12 per node and step",
		Splits:        []string{"rows"},
		Communication: "every step: all-gather of 4 n B and all-reduce of 8 B along the chunk tree",
		Tolerance:     "E1 of a step; D0",
		Weak:          "nodes proportional to the number of devices",
		Params:        graphParams(20, "steps"),
		ReadsInput:    true,
	}
}

// InputSize is the number of nodes in a file.
func (diffusion) InputSize(path string) (int64, error) { return inputNodes(path) }

func (diffusion) Build(b suites.Build) (*program.Program, error) { return diffuse.build(b) }

// Verify recomputes the last step of sampled rows from the state before it.
func (diffusion) Verify(c *suites.Check) (suites.Outcome, error) {
	g, err := graphOf(diffuse.number, c.Build, sorted(c.Build))
	if err != nil {
		return suites.Outcome{}, err
	}
	x, err := floats(c.Out, "x0", g.n)
	if err != nil {
		return suites.Outcome{}, err
	}
	tally, err := diffuse.lastStep(c, g, x, func(sum, old float64, i int64, _ float64) (float64, float64) {
		s := float64(rowScale(g, i))
		v := float64(1-rate)*old + float64(rate)*s*(s*old+sum)
		return v, v // all terms are positive
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	total := 0.0
	for _, v := range x {
		total += v
	}
	if err := diffuse.compareMass(c, &tally, total, suites.E1(math.Log2(float64(g.n)+1)+64, total)); err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E1", "sum over all nodes, equal on every device"), nil
}
