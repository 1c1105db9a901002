// Package infogeo holds the workloads of information geometry: Fisher matrices,
// divergences and geodesics of families of distributions.
package infogeo

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(fisher{}) }

type fisher struct{}

const (
	fisherNumber = 11
	groupSize    = 256
	maxPoints    = 1 << 40
	maxSamples   = 1 << 20
	maxRows      = 1<<32 - 1
	maxDim       = 4096
)

// The models: logistic regression, the empirical matrix of the Gaussian, and closed forms.
const (
	logistic = iota
	empirical
	gaussian
	natural
	bernoulli
	poisson
	exponential
	categorical
	logits
)

// modelNames are printed with results.
var modelNames = [...]string{"logistic model", "empirical, Gaussian", "Gaussian (mu, sigma)", "Gaussian, natural coordinates",
	"Bernoulli", "Poisson", "exponential", "categorical", "categorical, logits"}

// Inputs: rows of X and coefficients of the logistic model, samples, points.
var (
	fisherX       = program.Random(0, -1, 1)
	fisherB       = program.Random(1, -0.25, 0.25)
	fisherSamples = program.Random(2, -2, 3)
	fisherPoints  = program.Random(3, 0.5, 1.5)
)

func (fisher) Info() suites.Info {
	return suites.Info{
		ID: "infogeo/fisher", Number: fisherNumber,
		Doc: "Fisher information: model 0 of logistic regression, rows of X shared out; 1 empirical of the Gaussian at many points; " +
			"2 to 8 in closed form: Gaussian, Gaussian natural, Bernoulli, Poisson, exponential, categorical, categorical in logits",
		Source:   "Amari",
		Formula:  "F = (1/n) X^T diag(p (1-p)) X, p = sigmoid(X b); (1/n) sum s s^T, s the score; g_ij of the family",
		Sizes:    suites.Sizes{S: 1000, M: 1 << 20, L: 1 << 21},
		SizeUnit: "rows of X; points",
		Note: "M of model 1 is 2^20 points of 10^4 samples, 3.5 ms on an H100; the specification's 10^4 points are --size 10000: at that rate 33 us, " +
			"in 40 work-groups, fewer than such a GPU has multiprocessors",
		Layout:        "a chunk of rows of X a unit, row by row; its partials are tiles of the lower triangle of F",
		WorkUnit:      "flop",
		Flops:         "n D (D+1) + 2 n D; 12 per point and sample; 20 per point",
		Bytes:         "4 n D; 20 per point",
		Splits:        []string{"rows"},
		Algorithms:    []string{"chunk-tree"},
		Communication: "all-reduce of the lower triangle of F, 2 D (D+64) B, along the canonical chunk tree; models 1 to 8 none",
		Tolerance:     "E1 (n rows of a chunk, the tree exact); empirical E1 (n samples); closed form 8 u relative; D0",
		Weak:          "rows or points proportional to the number of devices",
		Params: []suites.Param{
			{Name: "model", Doc: "0 logistic, 1 empirical, 2 to 8 closed forms", Max: logits},
			{Name: "dim", Doc: "D, a multiple of 64; 0: 64, from 16384 rows on 256, from 2^21 on 2048", Max: maxDim, Multiple: tileEdge},
			{Name: "samples", Doc: "samples of the empirical matrix", Default: 10000, Min: 1, Max: maxSamples},
		},
	}
}

func (fisher) Build(b suites.Build) (*program.Program, error) {
	model := b.Params["model"]
	if model == logistic {
		l, err := regress(b)
		if err != nil {
			return nil, err
		}
		return l.program(b), nil
	}
	if b.Size < 1 || b.Size > maxPoints || model < 0 || model > logits {
		return nil, fmt.Errorf("infogeo/fisher: %d points, model %d: choose 1 to %d points and a model from 0 to %d", b.Size, model, int64(maxPoints), logits)
	}
	if model == empirical {
		return empiricalProgram(b), nil
	}
	return closedProgram(b), nil
}

// closedProgram makes four points a unit; what is beyond the size is computed and checked
// like all others.
func closedProgram(b suites.Build) *program.Program {
	units := (b.Size + 3) / 4
	p := &program.Program{
		Units: units, Shares: b.Divide(units, 64),
		Arrays: []program.Array{
			{Name: "g", Elem: program.F32, Layout: program.Split, Units: units, Stride: 12, Output: true},
			{Name: "u", Elem: program.F32, Layout: program.Split, Units: units, Stride: 8, Source: fisherPoints},
		},
		Kernels: []program.Kernel{{Name: "main", Shader: "infogeo/closed", Spec: []program.Spec{{ID: 1, Value: uint32(b.Params["model"])}}}},
		Flops:   20 * float64(b.Size), Bytes: 20 * float64(b.Size),
	}
	p.Work = p.Flops
	d := program.Dispatch{Label: "compute", Kernel: "main", Bind: []program.Binding{{Array: "g", Access: program.Write}, {Array: "u", Access: program.Read}}}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: groupSize})
	}
	p.Steps = []program.Step{d}
	return p
}

func empiricalProgram(b suites.Build) *program.Program {
	samples := max(b.Params["samples"], 1)
	p := &program.Program{
		Units: b.Size, Shares: b.Divide(b.Size, 64),
		Arrays: []program.Array{
			{Name: "g", Elem: program.F32, Layout: program.Split, Units: b.Size, Stride: 3, Output: true},
			{Name: "u", Elem: program.F32, Layout: program.Split, Units: b.Size, Stride: 2, Source: fisherPoints},
			{Name: "x", Elem: program.F32, Layout: program.Replicated, Units: samples, Stride: 1, Source: fisherSamples},
		},
		Kernels: []program.Kernel{{Name: "main", Shader: "infogeo/empirical"}},
		Flops:   12 * float64(b.Size) * float64(samples), Bytes: 20*float64(b.Size) + 4*float64(samples),
	}
	p.Work = p.Flops
	d := program.Dispatch{Label: "compute", Kernel: "main", Bind: []program.Binding{
		{Array: "g", Access: program.Write}, {Array: "u", Access: program.Read}, {Array: "x", Access: program.Read, Window: program.Whole},
	}}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: groupSize, Push: []uint32{uint32(samples), bits(1 / float32(samples))}})
	}
	p.Steps = []program.Step{d}
	return p
}
