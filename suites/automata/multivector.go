package automata

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(multivectors{}) }

// multivectors is automata/ga.
type multivectors struct{}

const (
	multivectorNumber = 22
	idCells           = 1
	cellFloats        = 8
	maxCells          = 1 << 16 // a side
)

// Rules, in the order of the parameter.
const (
	ruleLife = iota
	ruleRotor
	ruleConservative
	ruleGeometric
	ruleGrade
)

// Borders, in the order of the parameter.
const (
	borderPeriodic = iota
	borderZero
	borderReflecting
)

// cells are uniform in [-1/4,1/4): about three in ten have a norm above 0.45.
var cells = program.Random(idCells, -0.25, 0.25)

// rules are the threshold and the weight of each.
var rules = [5]struct{ theta, weight float32 }{
	ruleLife: {0.45, 0}, ruleRotor: {0.25, 0.0625}, ruleConservative: {0, 1}, ruleGeometric: {0.45, 0.25}, ruleGrade: {0.125, 0},
}

func (multivectors) Info() suites.Info {
	return suites.Info{
		ID: "automata/ga", Number: multivectorNumber,
		Doc:      "Cellular automaton of multivectors of Cl(3,0), Moore neighbourhood",
		Source:   "Amari",
		Formula:  "geometric: acc = c, for each neighbour n with |n| > theta: acc = acc n / |acc n|, c' = (1-l) c + l acc; the other rules: --param rule",
		Sizes:    suites.Sizes{S: 96, M: 4096, L: 16384},
		Layout:   "rows of cells, a cell is eight components in bitmask order",
		SizeUnit: "rows and columns of the board", WorkUnit: "cell",
		Flops:         "geometric 1160 per cell and step, others about 200",
		Bytes:         "64 per cell and step",
		Splits:        []string{"bands"},
		Communication: "halo of a row, 32 B per column, each way every step",
		Tolerance:     "E2 of one step, 64 u and the conditioning of the products; cells within 1e-5 of the threshold are skipped; energy E1; D0",
		Weak:          "rows proportional to the number of devices, columns fixed",
		Params: []suites.Param{
			{Name: "steps", Doc: "steps of one iteration, an even number", Default: 8, Min: 2, Max: 100000, Multiple: 2},
			{Name: "rule", Doc: "0 life, 1 rotor, 2 conservative, 3 geometric, 4 grade-preserving", Default: ruleGeometric, Min: 0, Max: ruleGrade},
			{Name: "border", Doc: "0 periodic, 1 fixed at zero, 2 reflecting", Default: borderPeriodic, Min: 0, Max: borderReflecting},
		},
	}
}

// field is the shape of the problem.
type field struct{ height, width, steps, rule, border int64 }

func fieldOf(b suites.Build) (field, error) {
	f := field{height: b.Size, width: b.Size, steps: b.Params["steps"], rule: b.Params["rule"], border: b.Params["border"]}
	if b.Weak {
		f.width = b.Base
	}
	if f.width < 2 || f.height < 2 || f.width > maxCells || f.height > maxCells*4096 {
		return f, fmt.Errorf("automata/ga: %d rows of %d cells: choose a size from 2 to %d", f.height, f.width, int64(maxCells))
	}
	if f.steps%2 != 0 {
		return f, fmt.Errorf("automata/ga: %d steps: choose an even number, the board alternates between two arrays", f.steps)
	}
	return f, nil
}

func (multivectors) Build(b suites.Build) (*program.Program, error) {
	f, err := fieldOf(b)
	if err != nil {
		return nil, err
	}
	stride := f.width * cellFloats
	board := func(name string, source program.Source) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Split, Units: f.height, Stride: stride,
			Halo: 1, Wrap: f.border == borderPeriodic, Source: source}
	}
	first := board("board", cells)
	first.Output = true
	p := &program.Program{
		Units: f.height, Shares: b.Divide(f.height, 1),
		Arrays: []program.Array{
			first, board("other", program.Source{}),
			{Name: "energies", Elem: program.F32, Layout: program.Split, Units: f.height, Stride: 1},
			{Name: "energy", Elem: program.F32, Layout: program.Local, Units: 1, Stride: 1, Output: true},
		},
		Kernels: []program.Kernel{
			{Name: "step", Shader: "automata/ga", Spec: []program.Spec{{ID: 1, Value: uint32(f.rule)}, {ID: 2, Value: uint32(f.border)}}},
			{Name: "energy", Shader: "automata/energy"},
		},
		Evolves: true,
		Work:    float64(f.height) * float64(f.width) * float64(f.steps),
	}
	flops := 200.0
	if f.rule == ruleGeometric {
		flops = 1160
	}
	p.Flops, p.Bytes = flops*p.Work, 64*p.Work
	energy := program.Dispatch{Label: "energy", Kernel: "energy", Bind: []program.Binding{
		{Array: "energies", Access: program.Write}, {Array: "board", Access: program.Read},
	}}
	for _, s := range p.Shares {
		energy.On = append(energy.On, program.Launch{Units: s.Len(), Push: []uint32{uint32(f.width)}})
	}
	p.Steps = []program.Step{
		program.Repeat{Times: int(f.steps / 2), Body: []program.Step{
			program.Exchange{Arrays: []string{"board"}}, f.step("board", "other", p.Shares),
			program.Exchange{Arrays: []string{"other"}}, f.step("other", "board", p.Shares),
		}},
		energy,
		program.AllReduce{Array: "energies", Into: "energy", Op: program.Sum, Order: program.ByChunk},
	}
	return p, nil
}

func (f field) step(from, to string, shares []program.Share) program.Dispatch {
	d := program.Dispatch{
		Label: "step", Kernel: "step",
		Bind: []program.Binding{{Array: from, Access: program.Read, Before: 1, After: 1}, {Array: to, Access: program.Write}},
	}
	push := []uint32{uint32(f.width), uint32(f.height), math.Float32bits(rules[f.rule].theta), math.Float32bits(rules[f.rule].weight)}
	for _, s := range shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Across: (f.width + 255) / 256, Push: push})
	}
	return d
}
