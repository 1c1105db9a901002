package zk

import (
	"fmt"
	"math/bits"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/dft"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(proxy{}) }

// proxy has the steps of a prover without being one: nothing is hidden and nothing is
// proven.
type proxy struct{}

const (
	idColumns, idCoefficients, idVariables = 1, 2, 3
	// entries are those of a row of A, B and C; the third of C is its own array.
	entries = 8
	// leafWords is a leaf or node of the commitment: four coefficients.
	leafWords = 8
	// leastLog leaves a leaf for every unit; mostProxy bounds memory.
	leastLog, mostProxy = 3, 27
	groupSize           = 256
	compressionOps      = 2200
)

func (proxy) Info() suites.Info {
	return suites.Info{
		ID: "zk/proxy", Number: 34,
		Doc:           "proxy of a prover's work (no proof): R1CS, quotient by seven transforms, Merkle commitment",
		Source:        "SuperVM; quotient as in Groth16 (QAP), commitment RFC 6962",
		Formula:       "h = (A B - C) / (x^n - 1), A, B, C through (Az), (Bz), (Cz) on the roots of unity; root of h's coefficients, 4 a leaf",
		Sizes:         suites.Sizes{S: 1 << 10, M: 1 << 20, L: 1 << 24},
		SizeUnit:      "constraints, 3 entries a row and matrix; below a power of two the rest is zero",
		WorkUnit:      "constraint",
		Flops:         "3.5 n log2 n butterflies of 52 integer operations, 9 n products of 30, 3/4 n compressions of 2200",
		Arithmetic:    "int32",
		Bytes:         "7 transforms of 16 n a pass, ceil(log2 n / 10) passes; 128 n for the rows, 112 n for coset and quotient, 40 n for the tree",
		Splits:        []string{dft.SplitFourStep},
		Communication: "an all-to-all of 8 n (N-1)/N B per transform, in parts that overlap; all-gather of 32 B per subtree",
		Tolerance:     "E0",
		Weak:          "constraints proportional to the number of devices, transforms rounded up to a power of two",
		Tunables:      []suites.Tunable{wide},
		Params: []suites.Param{
			{Name: "parts", Doc: "parts in which the all-to-all goes, up to", Default: 4, Min: 1, Max: 16},
		},
	}
}

// circuit is the problem.
type circuit struct {
	constraints  int64
	f            *field
	dft.FourStep // shape of the transforms; without shares until they are divided
}

func circuitOf(b suites.Build) (circuit, error) {
	if b.Size < 1 || b.Size > 1<<mostProxy {
		return circuit{}, fmt.Errorf("zk/proxy: %d constraints: choose 1 to %d", b.Size, 1<<mostProxy)
	}
	m := max(bits.Len64(uint64(b.Size-1)), leastLog)
	c := circuit{constraints: b.Size, f: goldilocks, FourStep: dft.NewFourStep(goldilocks.ring(isWide(b)), m)}
	return c, nil
}

// n is the number of rows, those of zeros included.
func (c circuit) n() int64 { return 1 << c.M }

// perUnit is log2 of the rows or coefficients a unit.
func (c circuit) perUnit() int { return c.M - c.U }

// shift is log2 of the leaves of a subtree, one for each unit.
func (c circuit) shift() int { return c.perUnit() - 2 }

// generator makes the coset: no root of unity of any order 2^k.
const generator = 7

// inverseZ is 1/Z on the coset: Z = x^n - 1 is g^n - 1 there.
func (c circuit) inverseZ() uint64 {
	f := c.f
	return f.inv(f.sub(f.pow(generator, uint64(c.n())), 1))
}

func (proxy) Build(b suites.Build) (*program.Program, error) {
	c, err := circuitOf(b)
	if err != nil {
		return nil, err
	}
	units := c.Units()
	c.Shares = b.Divide(units, 1)
	c.CutParts(b.Params["parts"])
	n := float64(c.n())
	p := &program.Program{
		Units: units, Shares: c.Shares, Work: float64(c.constraints),
		Flops: 3.5*n*float64(c.M)*(c.f.mulOps+2*c.f.addOps) + 9*n*c.f.mulOps + 0.75*n*compressionOps,
		Bytes: n * (7*16*float64((c.M+9)/10) + 128 + 112 + 40),
	}
	c.arrays(p)
	forward, inverse := c.FourStep, c.FourStep
	forward.Tag = "forward-"
	inverse.Tag, inverse.Inverse = "inverse-", true
	p.Kernels = append(append(forward.Kernels(), inverse.Kernels()...),
		program.Kernel{Name: "close", Shader: "zk/rows", Spec: []program.Spec{{ID: 1, Value: 1}}},
		program.Kernel{Name: "rows", Shader: "zk/rows"},
		program.Kernel{Name: "coset", Shader: "zk/coset"},
		program.Kernel{Name: "quotient", Shader: "zk/quotient"},
		program.Kernel{Name: "leaf", Shader: "hash/leaf"},
		program.Kernel{Name: "node", Shader: "hash/node"},
		program.Kernel{Name: "top", Shader: "hash/top"},
	)
	p.Setup = []program.Step{c.rows("close")}
	p.Steps = []program.Step{c.rows("rows")}
	for _, v := range []string{"a", "b", "c"} {
		p.Steps = append(p.Steps, inverse.Steps(v, "scratch", "h", "back")...)
		p.Steps = append(p.Steps, c.coset("onto"))
		p.Steps = append(p.Steps, forward.Steps("h", "scratch", v, "roots")...)
	}
	z := c.inverseZ()
	p.Steps = append(p.Steps, c.each("quotient", []uint32{uint32(c.perUnit()), uint32(z), uint32(z >> 32)},
		program.Binding{Array: "a", Access: program.ReadWrite}, program.Binding{Array: "b", Access: program.Read}, program.Binding{Array: "c", Access: program.Read}))
	p.Steps = append(p.Steps, inverse.Steps("a", "scratch", "h", "back")...)
	p.Steps = append(p.Steps, c.coset("off"))
	p.Steps = append(p.Steps, c.commit()...)
	return p, nil
}

func (c circuit) arrays(p *program.Program) {
	units, each := c.Units(), int64(1)<<c.perUnit()
	divided := func(name string, words int64, source program.Source) program.Array {
		return program.Array{Name: name, Elem: program.U32, Layout: program.Split, Units: units, Stride: each * words, Source: source}
	}
	replicated := func(name string, n, words int64, source program.Source) program.Array {
		return program.Array{Name: name, Elem: program.U32, Layout: program.Replicated, Units: n, Stride: words, Source: source}
	}
	p.Arrays = []program.Array{
		divided("h", 2, program.Source{}), divided("residual", 2, program.Source{}),
		replicated("subtrees", units, leafWords, program.Source{}), replicated("root", 1, leafWords, program.Source{}),
		divided("columns", entries, program.Source{Kind: program.PhiloxMod, ID: idColumns, Mod: uint32(c.n())}),
		divided("coefficients", 2*entries, program.Source{Kind: program.PhiloxRaw, ID: idCoefficients}),
		replicated("variables", c.n(), 2, program.Source{Kind: program.PhiloxRaw, ID: idVariables}),
		divided("closing", 2, program.Source{}),
		divided("a", 2, program.Source{}), divided("b", 2, program.Source{}), divided("c", 2, program.Source{}),
		roots("roots", c.f, c.M, false), roots("back", c.f, c.M, true),
		powers("onto", c.f, generator, c.M), powers("off", c.f, c.f.inv(generator), c.M),
	}
	for i := range 4 {
		p.Arrays[i].Output = true
	}
	if c.R3 > 0 {
		p.Arrays = append(p.Arrays, divided("scratch", 2, program.Source{}))
	}
	if c.shift() >= 2 {
		p.Arrays = append(p.Arrays, program.Array{Name: "nodes", Elem: program.U32, Layout: program.Split, Units: units, Stride: leafWords << c.shift()})
	}
	p.Arrays = append(append(p.Arrays, c.Places()...), c.Blocks()...)
}

// each launches a kernel once for every row or coefficient.
func (c circuit) each(kernel string, push []uint32, bind ...program.Binding) program.Dispatch {
	d := program.Dispatch{Label: kernel, Kernel: kernel, Bind: bind}
	for _, s := range c.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Mul: 1 << c.perUnit(), Div: groupSize, Push: push})
	}
	return d
}

func (c circuit) rows(kernel string) program.Dispatch {
	closing, out := program.Read, program.Write
	if kernel == "close" {
		closing = program.Write
	}
	return c.each(kernel, []uint32{uint32(c.R1), uint32(c.M - c.R1), uint32(c.perUnit()), uint32(c.constraints)},
		program.Binding{Array: "columns", Access: program.Read}, program.Binding{Array: "coefficients", Access: program.Read},
		program.Binding{Array: "variables", Access: program.Read, Window: program.Whole}, program.Binding{Array: "closing", Access: closing},
		program.Binding{Array: "a", Access: out}, program.Binding{Array: "b", Access: out}, program.Binding{Array: "c", Access: out},
		program.Binding{Array: "residual", Access: out})
}

// coset moves the polynomial in h by a table of powers.
func (c circuit) coset(table string) program.Dispatch {
	d := c.each("coset", []uint32{uint32(c.R1), uint32(c.M - c.R1), uint32(c.perUnit()), uint32(dft.Half(c.M))},
		program.Binding{Array: "h", Access: program.ReadWrite}, program.Binding{Array: table, Access: program.Read, Window: program.Whole})
	d.Label = "coset " + table
	return d
}

// commit hashes coefficients into subtrees, one for each unit, and those into the root,
// by the kernels of hash/merkle. All levels are full.
func (c circuit) commit() []program.Step {
	shift := c.shift()
	leaves := uint32(c.n() / 4)
	place := func(level int) (array string, log, base uint32) {
		if level == shift {
			return "subtrees", 0, 0
		}
		return "nodes", uint32(shift), uint32(int64(1)<<shift - int64(1)<<(shift-level+1))
	}
	step := func(kernel, from, to string, logOut int, push ...uint32) program.Dispatch {
		d := program.Dispatch{Label: kernel, Kernel: kernel,
			Bind: []program.Binding{{Array: from, Access: program.Read}, {Array: to, Access: program.Write}}}
		for _, s := range c.Shares {
			d.On = append(d.On, program.Launch{Units: s.Len(), Mul: 1 << logOut, Div: groupSize, Push: push})
		}
		return d
	}
	first := min(1, shift)
	to, log, base := place(first)
	list := []program.Step{step("leaf", "h", to, shift-first, uint32(shift), log, base, leaves, uint32(first))}
	for level := 1; level < shift; level++ {
		from, log, base := place(level)
		to, toLog, toBase := place(level + 1)
		out := shift - level - 1
		list = append(list, step("node", from, to, out, uint32(out), log, base, toLog, toBase, leaves>>level))
	}
	top := program.Dispatch{Label: "top", Kernel: "top", Bind: []program.Binding{
		{Array: "subtrees", Access: program.Read, Window: program.Whole}, {Array: "root", Access: program.Write, Window: program.Whole}}}
	for range c.Shares {
		top.On = append(top.On, program.Launch{Units: 1, Push: []uint32{uint32(c.Units())}})
	}
	return append(list, program.AllGather{Arrays: []string{"subtrees"}}, top)
}
