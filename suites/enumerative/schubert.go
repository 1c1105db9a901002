package enumerative

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(schubert{}) }

type schubert struct{}

const (
	schubertNumber = 28
	maxSubsets     = 1 << 42 // keeps a chunk inside 31 bits
	mostAmbient    = 40      // n the kernel has room for
	mostPlanes     = 20      // k
	// Chunks: many work-groups for the largest devices, few words to combine.
	leastChunks, mostChunks = 256, 4096
	schubertGroup           = 256
)

func (schubert) Info() suites.Info {
	class := func(name string) suites.Param {
		return suites.Param{Name: name, Doc: "partition of a Schubert class, its up to 3 parts as decimal digits (321), 0 for none", Max: 999}
	}
	return suites.Info{
		ID: "enumerative/schubert", Number: schubertNumber,
		Doc: "Intersection numbers on the Grassmannian Gr(k,n) by torus localisation, modulo 2013265921: " +
			"sigma_1 to the power that fills the dimension, times up to three Schubert classes; " +
			"a size other than C(n,k) sums over that many subsets, from the first again after the last",
		Source:  "Amari; Atiyah-Bott localisation, reference by Pieri's and the hook formula",
		Formula: "sum over k-subsets I of [prod of classes(u_I)] / [prod over i in I, j not in I of (u_i - u_j)], u_i = i",
		// All subsets of Gr(5,20), Gr(10,30), Gr(12,36).
		Sizes:    suites.Sizes{S: 15504, M: 30045015, L: 1251677700},
		SizeUnit: "subsets",
		Note: "of the specification's two sizes S this is the larger, all subsets of Gr(5,20), so that 256 chunks have subsets each; " +
			"Gr(3,8) is --size 56; M is Gr(10,30), L Gr(12,36)",
		Layout:        "partials are the sum of a chunk of subsets, its low 16 bits and the rest",
		WorkUnit:      "subset",
		Flops:         "8 per modular multiplication, about k + k^2/8 + k/4 + 2 log2(k(n-k)) + 4 of them per subset, and 4 per pair of its members, nominal",
		Arithmetic:    "int32",
		Bytes:         "8 per chunk of subsets",
		Splits:        []string{"indices"},
		Algorithms:    []string{"chunk-tree"},
		Communication: "all-reduce of 8 B of partials a chunk along the canonical chunk tree",
		Tolerance:     "E0, D0",
		Weak:          "subsets proportional to the number of devices: the same number counted again",
		Params: []suites.Param{
			{Name: "k", Doc: "dimension of the planes; 0: the first of Gr(3,8), Gr(5,20), Gr(10,30), Gr(12,36) with as many subsets as the size", Max: mostPlanes},
			{Name: "n", Doc: "dimension of the space, given together with k", Max: mostAmbient},
			class("class1"), class("class2"), class("class3"),
			{Name: "power", Doc: "power of sigma_1; -1: what fills the dimension", Default: -1, Min: -1, Max: 400},
		},
	}
}

// intersection is one intersection number and how it is cut.
type intersection struct {
	k, n    int64
	classes []partition // not empty ones, at most three
	power   int64       // of sigma_1
	subsets int64       // C(n,k)
	size    int64       // subsets summed over
	stride  int64       // of a chunk
	chunks  int64
}

// intersect reads the parameters. The choice of the Grassmannian follows the size one
// device has in weak mode, so that the cost of a subset stays what it was.
func intersect(b suites.Build) (intersection, error) {
	base := b.Base
	if base == 0 {
		base = b.Size
	}
	if b.Size < 1 || b.Size > maxSubsets {
		return intersection{}, fmt.Errorf("enumerative/schubert: %d subsets: choose from 1 to %d", b.Size, int64(maxSubsets))
	}
	x := intersection{k: b.Params["k"], n: b.Params["n"], size: b.Size}
	if x.k == 0 && x.n == 0 {
		for _, g := range [][2]int64{{3, 8}, {5, 20}, {10, 30}, {12, 36}} {
			x.k, x.n = g[0], g[1]
			if binomial(x.n, x.k) >= base {
				break
			}
		}
	}
	if x.k < 1 || x.n <= x.k || x.k > mostPlanes || x.n > mostAmbient || binomial(x.n, x.k) >= 1<<31 {
		return x, fmt.Errorf("enumerative/schubert: Gr(%d,%d): choose k from 1 to %d below n, n up to %d, with fewer than 2^31 subsets, or neither", x.k, x.n, mostPlanes, mostAmbient)
	}
	x.subsets = binomial(x.n, x.k)
	degree := int64(0)
	for _, name := range []string{"class1", "class2", "class3"} {
		p := digits(b.Params[name])
		if !p.fits(x.k, x.n-x.k) {
			return x, fmt.Errorf("enumerative/schubert: %s %d is no partition of falling digits with at most %d parts of at most %d", name, b.Params[name], x.k, x.n-x.k)
		}
		if len(p) > 0 {
			x.classes = append(x.classes, p)
			degree += p.size()
		}
	}
	if x.power = b.Params["power"]; x.power < 0 {
		x.power = max(x.k*(x.n-x.k)-degree, 0)
	}
	if degree+x.power > x.k*(x.n-x.k) {
		return x, fmt.Errorf("enumerative/schubert: classes of degree %d on Gr(%d,%d) of dimension %d: choose smaller classes or a smaller power", degree+x.power, x.k, x.n, x.k*(x.n-x.k))
	}
	x.stride = (x.size + mostChunks - 1) / mostChunks
	x.stride = (x.stride + schubertGroup - 1) / schubertGroup * schubertGroup
	if x.size < leastChunks*schubertGroup {
		x.stride = (x.size + leastChunks - 1) / leastChunks
	}
	x.chunks = max(leastChunks, (x.size+x.stride-1)/x.stride)
	return x, nil
}

// groups is into how many products of up to four the kernel multiplies the differences of
// pairs of members.
func (x intersection) groups() (n int64) {
	for a := int64(1); a < x.k; a++ {
		n += (a + 3) / 4
	}
	return n
}

// unit undoes the factors that Montgomery products leave in a contribution: a stored
// value is v r^e with r = 2^32, and a product adds exponents less one.
func (x intersection) unit() uint64 {
	e := int64(0)
	if x.power > 0 {
		e = 1 - x.power
	}
	for _, p := range x.classes {
		e += -p.size() - 2 - 1 // h_d is stored with r^-d, a determinant has two products
	}
	// The square of the product of differences, then a product with the weights, which leave
	// nothing, and one with what is above.
	e -= 2*x.groups() + 1 + 1 + 1
	u := radixPower(1 - e)
	if x.k*(x.k-1)/2%2 == 1 { // every pair of members in both orders
		u = sub(0, u)
	}
	return u
}

// multiplications modulo the prime per subset.
func (x intersection) multiplications() float64 {
	m := float64(x.k + x.groups() + 3)
	for p := x.power; p > 1; p >>= 1 {
		m += 1 + float64(p&1)
	}
	if len(x.classes) > 0 {
		m += float64(11*x.k) + 13*float64(len(x.classes))
	}
	return m
}

func (schubert) Build(b suites.Build) (*program.Program, error) {
	x, err := intersect(b)
	if err != nil {
		return nil, err
	}
	spec := make([]program.Spec, len(x.classes))
	for i, p := range x.classes {
		spec[i].ID = uint32(i + 1)
		for j, part := range p {
			spec[i].Value |= uint32(part) << (4 * j)
		}
	}
	last := (x.size - 1) / x.stride
	push := []uint32{
		uint32(x.n), uint32(x.k), uint32(x.subsets), uint32(x.stride), uint32(last),
		uint32(x.size - last*x.stride), uint32(x.power), uint32(x.unit()),
	}
	p := &program.Program{
		Units: x.chunks, Shares: b.Divide(x.chunks, 1),
		Arrays: []program.Array{
			{Name: "partials", Elem: program.U32, Layout: program.Split, Units: x.chunks, Stride: 2, Output: true},
			{Name: "tables", Elem: program.U32, Layout: program.Local, Units: 1, Stride: x.n * (x.k + 2), Source: program.Source{Kind: program.Made, Make: x.tables()}},
			{Name: "total", Elem: program.U32, Layout: program.Local, Units: 1, Stride: 2, Output: true},
		},
		Kernels: []program.Kernel{{Name: "main", Shader: "enumerative/schubert", Spec: spec}},
		Work:    float64(x.size), Bytes: 8 * float64(x.chunks),
		Flops: (mulOps*x.multiplications() + pairOps*float64(x.k*(x.k-1)/2)) * float64(x.size),
	}
	d := program.Dispatch{
		Label: "localise", Kernel: "main",
		Bind: []program.Binding{{Array: "partials", Access: program.Write}, {Array: "tables", Access: program.Read, Window: program.Whole}},
	}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Push: push})
	}
	p.Steps = []program.Step{d, program.AllReduce{Array: "partials", Into: "total", Op: program.Sum, Order: program.ByChunk, Algorithm: b.Algorithm}}
	return p, nil
}

// pairOps of a difference of two members: it is read, subtracted and multiplied in 32 bits.
const pairOps = 4
