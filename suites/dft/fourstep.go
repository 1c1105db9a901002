package dft

import (
	"fmt"

	"github.com/amgpu/amgpu/suites/program"
)

// FourStep is one transform of n = n1 n2 points over several devices with one
// all-to-all. The forward transform takes x by the residue of its index mod n2 and
// leaves X by the residue of its index mod n1:
//
//	x[j1 n2 + j2] lies at j2 n1 + j1,   X[k1 + n1 k2] lies at k1 n2 + k2,
//
// each residue whole on one device: transforms over j1, twiddle factors w^(j2 k1), the
// all-to-all, transforms over j2. The inverse goes the same way back, so it takes what
// the forward one leaves. A unit holds n1/units residues of X and n2/units of x.
type FourStep struct {
	Ring    Ring
	M       int
	R1      int // log2 of n1; r2 and R3 (0 for two passes) those of the passes over n2
	r2, R3  int
	U       int // log2 of the units
	c1, c2  int // log2 of rows and columns of a unit
	parts   int // log2 of the parts in which the all-to-all goes
	Inverse bool
	Limit   int64 // indices from there on are zero
	Shares  []program.Share
	Tag     string // of the names of kernels and arrays
}

// NewFourStep plans a transform of 2^m points, m at least 2. Its shares are set after
// the units were divided.
func NewFourStep(r Ring, m int) FourStep {
	list := append(digits(m, 2), 0)
	t := FourStep{Ring: r, M: m, R1: list[0], r2: list[1], R3: list[2], Limit: 1 << m}
	t.U = min(t.R1, m-t.R1)
	t.c1, t.c2 = t.R1-t.U, m-t.R1-t.U
	return t
}

// Units is what is divided.
func (t *FourStep) Units() int64 { return 1 << t.U }

// CutParts sets the number of parts: a power of two up to most, which leaves parts of
// rows of 64 bytes, and one on a single device.
func (t *FourStep) CutParts(most int64) {
	t.parts = 0
	if len(t.Shares) < 2 || t.R3 == 0 {
		return
	}
	for int64(2)<<t.parts <= most && t.c2-t.parts-1 >= 3 {
		t.parts++
	}
}

// largest is the largest share.
func (t *FourStep) largest() (n int64) {
	for _, s := range t.Shares {
		n = max(n, s.Len())
	}
	return n
}

// width is the number of elements in a row of a block of one part.
func (t *FourStep) width() int64 { return t.largest() << (t.c2 - t.parts) }

// Places are the tables of where units lie in the blocks of the all-to-all: as rows on
// the side of x, and as columns on the side of X.
func (t *FourStep) Places() []program.Array {
	rows, columns := make([]uint32, t.Units()), make([]uint32, t.Units())
	block := t.largest() << t.c1 * t.width()
	for d, s := range t.Shares {
		for u := s.Lo; u < s.Hi; u++ {
			rows[u] = uint32(int64(d)*block + (u-s.Lo)<<t.c1*t.width())
			columns[u] = uint32(int64(d)*block + (u-s.Lo)<<(t.c2-t.parts))
		}
	}
	table := func(name string, words []uint32) program.Array {
		return program.Array{Name: name, Elem: program.U32, Layout: program.Replicated, Units: t.Units(), Stride: 1,
			Source: program.Source{Kind: program.Made, Make: func(_ int, first int64, into []uint32) { copy(into, words[first:]) }}}
	}
	return []program.Array{table(placesRows, rows), table(placesColumns, columns)}
}

const placesRows, placesColumns = "row places", "column places"

// Blocks are the arrays that the all-to-all reads and writes, a pair for each part; one
// device has but the first of each pair.
func (t *FourStep) Blocks() (out []program.Array) {
	for q := range 1 << t.parts {
		for _, name := range t.pair(q) {
			out = append(out, program.Array{
				Name: name, Elem: t.Ring.Elem, Layout: program.Local, Units: int64(len(t.Shares)),
				Stride: t.largest() << t.c1 * t.width() * t.Ring.Words,
			})
			if len(t.Shares) == 1 {
				break
			}
		}
	}
	return out
}

// pair names what is sent and what arrives of part q.
func (t *FourStep) pair(q int) [2]string {
	send, arrive := fmt.Sprintf("send%d", q), fmt.Sprintf("arrive%d", q)
	if len(t.Shares) == 1 {
		arrive = send
	}
	return [2]string{send, arrive}
}

// Passes: short transforms over j1 or k1 on the side of x, and those over n2 on the
// side of X: next to the blocks, and far from them where there are three passes.
func (t *FourStep) short() Pass {
	p := Pass{r: t.R1, logK: t.c2 - t.parts, in: 1 << (t.c2 + t.R1), out: 1 << (t.c2 + t.R1), values: map[uint32]int{
		specCut: t.c2 - t.parts, specWide: t.c2, specLogC1: t.c1, specTwUnit: 1 << t.c2,
	}}
	if t.Inverse {
		p.sides(byRows, true, 0, t.R1, 0)
		p.values[specTwiddle] = inputs
		p.finish(true)
		return p
	}
	p.sides(byRows, false, 0, t.R1, 0)
	p.values[specTwiddle] = outputs
	p.keep(t, t.M-t.R1, 1<<t.c2, 0)
	return p
}

func (t *FourStep) near() Pass {
	bh := 0
	if t.R3 > 0 {
		bh = t.R3 - t.c2
	}
	p := Pass{r: t.r2, logK: t.c1 + bh + t.c2 - t.parts, in: 1 << (t.c1 + t.M - t.R1), out: 1 << (t.c1 + t.M - t.R1), values: map[uint32]int{
		specCut: t.c2 - t.parts, specWide: t.c2, specLogC1: t.c1, specLogBH: bh, specTwS: t.R1,
	}}
	p.sides(byColumns, !t.Inverse, 0, t.r2, 0)
	if t.c2 == 0 { // rows of the blocks are as long as columns of the tile
		p.values[specInStaged], p.values[specOutStaged] = 1, 1
	}
	switch {
	case t.R3 == 0 && t.Inverse:
		p.keep(t, t.R1, 1<<t.c1, 0)
	case t.R3 == 0:
		p.finish(false)
	case t.Inverse:
		p.values[specTwiddle] = inputs
	default:
		p.values[specTwiddle] = outputs
	}
	return p
}

func (t *FourStep) far() Pass {
	p := Pass{r: t.R3, logK: t.r2, in: 1 << (t.M - t.R1), out: 1 << (t.M - t.R1), values: map[uint32]int{
		specInA: whole, specInRS: t.r2, specOutA: whole, specOutRS: t.r2,
	}}
	if t.Inverse {
		p.keep(t, t.R1+t.r2, 1, t.R1)
	} else {
		p.finish(false)
	}
	return p
}

// sides sets the two maps of a pass with blocks on one side and units, a column's points
// side by side, on the other; out: the units are written.
func (p *Pass) sides(blocks int, out bool, a, s, rs int) {
	if out {
		p.values[specInMap], p.values[specOutStaged] = blocks, 1
		p.values[specOutA], p.values[specOutS], p.values[specOutRS] = a, s, rs
		return
	}
	p.values[specOutMap], p.values[specInStaged] = blocks, 1
	p.values[specInA], p.values[specInS], p.values[specInRS] = a, s, rs
}

// keep keeps indices (row << r) + unit*u + (number << c) below the limit.
func (p *Pass) keep(t *FourStep, r, u, c int) {
	if t.Limit < 1<<t.M {
		p.values[specLimited], p.values[specLimR], p.values[specLimU], p.values[specLimP] = 1, r, u, c
	}
}

// Kernels are the passes in the program's terms.
func (t *FourStep) Kernels() []program.Kernel {
	out := []program.Kernel{t.short().Kernel(t.Tag+"short", t.Ring, t.M, t.Inverse), t.near().Kernel(t.Tag+"near", t.Ring, t.M, t.Inverse)}
	if t.R3 > 0 {
		out = append(out, t.far().Kernel(t.Tag+"far", t.Ring, t.M, t.Inverse))
	}
	return out
}

// Steps transforms from into to, both divided, with scratch of the shape of X where
// there are three passes. table names the roots.
func (t *FourStep) Steps(from, scratch, to, table string) []program.Step {
	scale := t.Ring.Scale(t.M)
	dispatch := func(name string, p Pass, in, out, places string, q int) program.Dispatch {
		bind := func(array string, access program.Access) program.Binding {
			b := program.Binding{Array: array, Access: access}
			if array == t.pair(q)[0] || array == t.pair(q)[1] {
				b.Window = program.Whole
			}
			return b
		}
		return program.Dispatch{
			Label: t.Tag + name, Kernel: t.Tag + name,
			Bind: []program.Binding{bind(in, program.Read), bind(out, program.Write),
				{Array: table, Access: program.Read, Window: program.Whole}, {Array: places, Access: program.Read, Window: program.Whole}},
			On: p.Launch(t.Shares, int64(q)<<(t.c2-t.parts), t.width(), t.Limit, scale),
		}
	}
	near := func(q int, other string) program.Dispatch {
		if t.Inverse {
			return dispatch("near", t.near(), other, t.pair(q)[0], placesColumns, q)
		}
		return dispatch("near", t.near(), t.pair(q)[1], other, placesColumns, q)
	}
	short := func(q int, other string) program.Dispatch {
		if t.Inverse {
			return dispatch("short", t.short(), t.pair(q)[1], other, placesRows, q)
		}
		return dispatch("short", t.short(), other, t.pair(q)[0], placesRows, q)
	}
	first, second := func(q int) program.Dispatch { return short(q, from) }, func(q int) program.Dispatch { return near(q, to) }
	var list []program.Step
	switch {
	case t.Inverse && t.R3 > 0:
		list = append(list, dispatch("far", t.far(), from, scratch, placesRows, 0))
		first, second = func(q int) program.Dispatch { return near(q, scratch) }, func(q int) program.Dispatch { return short(q, to) }
	case t.Inverse:
		first, second = func(q int) program.Dispatch { return near(q, from) }, func(q int) program.Dispatch { return short(q, to) }
	case t.R3 > 0:
		second = func(q int) program.Dispatch { return near(q, scratch) }
	}
	list = append(list, t.pipeline(first, second)...)
	if !t.Inverse && t.R3 > 0 {
		list = append(list, dispatch("far", t.far(), scratch, to, placesRows, 0))
	}
	return list
}

// pipeline sends part q of the all-to-all while part q+1 is made and part q-1, which has
// arrived, goes on.
func (t *FourStep) pipeline(first, second func(q int) program.Dispatch) []program.Step {
	parts := 1 << t.parts
	list := []program.Step{first(0)}
	if len(t.Shares) == 1 {
		return append(list, second(0))
	}
	for q := range parts {
		send := program.AllToAll{Array: t.pair(q)[0], Into: t.pair(q)[1]}
		var body []program.Dispatch
		if q+1 < parts {
			body = append(body, first(q+1))
		}
		if q > 0 {
			d := second(q - 1)
			d.Independent = len(body) > 0
			body = append(body, d)
		}
		if body == nil {
			list = append(list, send)
		} else {
			list = append(list, program.Overlap{Comm: send, Body: body})
		}
	}
	return append(list, second(parts-1))
}
