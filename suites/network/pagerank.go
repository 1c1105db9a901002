package network

import (
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(pagerank{}) }

type pagerank struct{}

// damping is the d of PageRank.
const damping = float32(0.85)

// graphParams are the knobs of workloads over random graphs.
func graphParams(steps int64, what string) []suites.Param {
	return []suites.Param{
		{Name: "steps", Doc: what + " of one iteration, an even number", Default: steps, Min: 2, Max: 100000, Multiple: 2},
		{Name: "degree", Doc: "mean in-degree of the random graph", Default: 16, Min: 1, Max: 256},
		{Name: "order", Doc: "how nodes are numbered: 0 by out-degree, largest first; 1 as in the file, and of a random graph scattered", Max: 1},
	}
}

// sorted says whether the nodes of a graph are numbered by their out-degree.
func sorted(b suites.Build) bool { return b.Params["order"] == 0 }

var ranks = iteration{
	id: "network/pagerank", number: 18, mode: 0,
	damping:  func(suites.Build, int64) float32 { return damping },
	teleport: func(_ suites.Build, n int64) float32 { return (1 - damping) / float32(n) },
	spread:   func(_ suites.Build, n int64) float32 { return damping / float32(n) },
	first:    func(n int64) float32 { return 1 / float32(n) },
	scale: func(g *graph, i int64) float32 {
		if g.out[i] == 0 {
			return 0
		}
		return 1 / float32(g.out[i])
	},
}

func (pagerank) Info() suites.Info {
	return suites.Info{
		ID: ranks.id, Number: ranks.number,
		Doc:           "PageRank by pulling along rows, a fixed number of steps",
		Source:        "Amari, gocuda; Page, Brin, Motwani, Winograd 1999",
		Formula:       "r'_i = (1-d)/n + d (sum over j->i of r_j / outdeg_j + (sum over dangling j of r_j) / n), d = 0.85",
		Sizes:         suites.Sizes{S: 1 << 12, M: 1 << 22, L: 1 << 25},
		SizeUnit:      "nodes of a random graph, power laws in both directions; or the file of --input",
		WorkUnit:      "edge",
		Flops:         "2 per edge and step",
		Bytes:         "8 per edge and 12 per node and step",
		Splits:        []string{"rows"},
		Communication: "every step: all-gather of 4 n B and all-reduce of 8 B along the chunk tree",
		Tolerance:     "E3: L1 1e-5 against 64 bits (small graphs), every sampled step E1, sum 1 within 1e-4; D0",
		Weak:          "nodes proportional to the number of devices",
		Params:        graphParams(50, "steps"),
		ReadsInput:    true,
	}
}

// InputSize is the number of nodes in a file.
func (pagerank) InputSize(path string) (int64, error) { return inputNodes(path) }

func (pagerank) Build(b suites.Build) (*program.Program, error) { return ranks.build(b) }

// fullReference bounds the edges times steps of a reference from the first step on.
const fullReference = 1 << 26

// Verify recomputes small problems from the first step in 64 bits, and on all the last
// step of sampled rows from the state before it, the mass and the sum.
func (pagerank) Verify(c *suites.Check) (suites.Outcome, error) {
	g, err := graphOf(ranks.number, c.Build, sorted(c.Build))
	if err != nil {
		return suites.Outcome{}, err
	}
	x, err := floats(c.Out, "x0", g.n)
	if err != nil {
		return suites.Outcome{}, err
	}
	tally, err := ranks.lastStep(c, g, x, func(sum, _ float64, _ int64, mass float64) (float64, float64) {
		v := float64((1-damping)/float32(g.n)) + float64(damping/float32(g.n))*mass + float64(damping)*sum
		return v, v
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	total, dangling := 0.0, 0.0
	for i, v := range x {
		total += v
		if g.out[i] == 0 {
			dangling += v
		}
	}
	tally.Identity("sum of ranks = 1", 0, total, 1, 1e-4)
	if err := ranks.compareMass(c, &tally, dangling, suites.E1(math.Log2(float64(g.n)+1)+64, dangling)); err != nil {
		return suites.Outcome{}, err
	}
	self := "sum of ranks 1, mass of dangling nodes"
	if steps := c.Build.Params["steps"]; g.edges*steps <= fullReference {
		off := 0.0
		for i, v := range rankReference(g, steps) {
			off += math.Abs(v - x[i])
		}
		tally.Identity("L1 distance from 64 bits", 0, off, 0, 1e-5)
		self += ", L1 distance to all steps in 64 bits"
	}
	return tally.Outcome("E3", self), nil
}

// rankReference is PageRank in float64.
func rankReference(g *graph, steps int64) []float64 {
	n := float64(g.n)
	d := float64(damping)
	x, next := make([]float64, g.n), make([]float64, g.n)
	for i := range x {
		x[i] = 1 / n
	}
	var row []uint32
	for range steps {
		dangling := 0.0
		for i, v := range x {
			if g.out[i] == 0 {
				dangling += v
			}
		}
		for i := range g.n {
			var count int64
			row, count = g.sources(i, row)
			sum := 0.0
			for _, j := range row[:count] {
				sum += x[j] / float64(g.out[j])
			}
			next[i] = (1-d)/n + d*(sum+dangling/n)
		}
		x, next = next, x
	}
	return x
}
