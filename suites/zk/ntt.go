package zk

import (
	"fmt"
	"math/bits"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(ntt{}) }

type ntt struct{}

const (
	idInput = 1
	// mostLog is log2 of the longest transform: three passes, and BabyBear's roots.
	mostLog = 27
	// maxBatch keeps sizes in bytes far from the end of 64 bits.
	maxBatch = 1 << 24

	splitBatch, splitFourStep = "batch", "four-step"
)

func (ntt) Info() suites.Info {
	return suites.Info{
		ID: "zk/ntt", Number: 32,
		Doc:           "number-theoretic transform of vectors over a prime field",
		Source:        "SuperVM; Cooley and Tukey 1965, four-step: Bailey 1990; Goldilocks reduction: Plonky2",
		Formula:       "X_k = sum_j x_j w^(jk) mod p, w of order n; inverse: x_j = 1/n sum_k X_k w^(-jk)",
		Sizes:         suites.Sizes{S: 1 << 10, M: 1 << 22, L: 1 << 27},
		SizeUnit:      "points of a transform; below a power of two the rest is zero",
		WorkUnit:      "butterfly",
		Flops:         "n/2 log2 n butterflies of 1 product and 2 sums mod p (integer; 52 operations in Goldilocks, 10 in BabyBear)",
		Arithmetic:    "int32",
		Bytes:         "16 n (BabyBear 8 n) per pass, ceil(log2 n / 10) passes",
		Splits:        []string{splitBatch, splitFourStep},
		Communication: "batch: none; four-step: one all-to-all, 8 n (N-1)/N B in all, in parts that overlap with both sides of it",
		Tolerance:     "E0",
		Weak:          "batch: transforms proportional to the number of devices; four-step: points, rounded up to a power of two",
		Tunables:      []suites.Tunable{wide},
		Params: []suites.Param{
			{Name: "field", Doc: "0: Goldilocks (2^64 - 2^32 + 1), 1: BabyBear (15 2^27 + 1)", Default: 0, Min: 0, Max: 1},
			{Name: "inverse", Doc: "1: the inverse transform", Default: 0, Min: 0, Max: 1},
			{Name: "batch", Doc: "transforms (split batch)", Default: 4, Min: 1, Max: maxBatch},
			{Name: "parts", Doc: "parts in which the all-to-all goes, up to (split four-step)", Default: 4, Min: 1, Max: 16},
		},
	}
}

// vectors is the problem.
type vectors struct {
	f       *field
	m       int   // log2 of the points
	points  int64 // not zero by definition
	count   int64 // transforms
	inverse bool
	wide    bool // in Goldilocks, on 64-bit integers
	split   string
}

func vectorsOf(b suites.Build) (vectors, error) {
	v := vectors{f: goldilocks, points: b.Size, count: 1, inverse: b.Params["inverse"] == 1, split: b.Split}
	if b.Params["field"] == 1 {
		v.f = babybear
	}
	v.wide = v.f == goldilocks && isWide(b)
	least := 1
	switch b.Split {
	case splitBatch:
		v.count = b.Params["batch"]
		if b.Weak {
			v.points, v.count = b.Base, v.count*int64(b.Count)
		}
	case splitFourStep:
		least = 2
	default:
		return v, fmt.Errorf("zk/ntt: unknown split %q: choose %s or %s", b.Split, splitBatch, splitFourStep)
	}
	if v.points < 1 || v.points > 1<<mostLog {
		return v, fmt.Errorf("zk/ntt: %d points: choose 1 to %d", v.points, 1<<mostLog)
	}
	v.m = max(bits.Len64(uint64(v.points-1)), least)
	return v, nil
}

// n is the number of points, zeros included.
func (v vectors) n() int64 { return 1 << v.m }

// source makes elements: any 64 bits stand for their residue in Goldilocks.
func (v vectors) source() program.Source {
	if v.f == babybear {
		return program.Source{Kind: program.PhiloxMod, ID: idInput, Mod: uint32(babybear.p)}
	}
	return program.Source{Kind: program.PhiloxRaw, ID: idInput}
}

func (w ntt) Build(b suites.Build) (*program.Program, error) {
	v, err := vectorsOf(b)
	if err != nil {
		return nil, err
	}
	butterflies := float64(v.count) * float64(v.n()) / 2 * float64(v.m)
	p := &program.Program{
		Work: butterflies, Flops: butterflies * (v.f.mulOps + 2*v.f.addOps),
		Bytes: float64(v.count) * 8 * float64(v.f.words) * float64(v.n()) * float64((v.m+9)/10),
	}
	if v.split == splitFourStep {
		v.fourStep(b, p)
	} else {
		v.batch(b, p)
	}
	return p, nil
}

// divided is an array of the whole problem.
func (v vectors) divided(name string, units int64) program.Array {
	return program.Array{Name: name, Elem: program.U32, Layout: program.Split, Units: units, Stride: v.count * v.n() * v.f.words / units}
}

func (v vectors) batch(b suites.Build, p *program.Program) {
	p.Units, p.Shares = v.count, b.Divide(v.count, 1)
	in, out := v.divided("x", v.count), v.divided("y", v.count)
	in.Source, out.Output = v.source(), true
	p.Arrays = []program.Array{in, out, roots("roots", v.f, v.m, v.inverse)}
	passes := batchPasses(v.m, v.points < v.n(), v.inverse)
	if len(passes) > 1 {
		p.Arrays = append(p.Arrays, v.divided("scratch", v.count))
	}
	scale := v.f.constant(v.f.inv(uint64(v.n())))
	from := "x"
	for i, pass := range passes {
		to := "y"
		if (len(passes)-i)%2 == 0 {
			to = "scratch"
		}
		name := fmt.Sprintf("pass%d", i+1)
		p.Kernels = append(p.Kernels, pass.kernel(name, v.f, v.m, v.inverse, v.wide))
		table := program.Binding{Array: "roots", Access: program.Read, Window: program.Whole}
		p.Steps = append(p.Steps, program.Dispatch{
			Label: name, Kernel: name,
			Bind: []program.Binding{{Array: from, Access: program.Read}, {Array: to, Access: program.Write}, table, table},
			On:   pass.launch(p.Shares, 0, 0, v.points, scale),
		})
		from = to
	}
}

func (v vectors) fourStep(b suites.Build, p *program.Program) {
	t := newFourStep(v.f, v.m)
	t.inverse, t.wide, t.limit = v.inverse, v.wide, v.points
	p.Units = t.units()
	p.Shares = b.Divide(p.Units, 1)
	t.shares = p.Shares
	t.cutParts(b.Params["parts"])
	in, out := v.divided("x", p.Units), v.divided("y", p.Units)
	in.Source, out.Output = v.source(), true
	p.Arrays = append([]program.Array{in, out, roots("roots", v.f, v.m, v.inverse)}, t.places()...)
	p.Arrays = append(p.Arrays, t.blocks()...)
	if t.r3 > 0 {
		p.Arrays = append(p.Arrays, v.divided("scratch", p.Units))
	}
	p.Kernels = t.kernels()
	p.Steps = t.steps("x", "scratch", "y", "roots")
}
