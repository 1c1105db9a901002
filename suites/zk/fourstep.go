package zk

import (
	"fmt"

	"github.com/amgpu/amgpu/suites/program"
)

// fourStep is one transform of n = n1 n2 points over several devices with one
// all-to-all. The forward transform takes x by the residue of its index mod n2 and
// leaves X by the residue of its index mod n1:
//
//	x[j1 n2 + j2] lies at j2 n1 + j1,   X[k1 + n1 k2] lies at k1 n2 + k2,
//
// each residue whole on one device: transforms over j1, twiddle factors w^(j2 k1), the
// all-to-all, transforms over j2. The inverse goes the same way back, so it takes what
// the forward one leaves. A unit holds n1/units residues of X and n2/units of x.
type fourStep struct {
	f       *field
	m       int
	r1      int // log2 of n1; r2 and r3 (0 for two passes) those of the passes over n2
	r2, r3  int
	u       int // log2 of the units
	c1, c2  int // log2 of rows and columns of a unit
	parts   int // log2 of the parts in which the all-to-all goes
	inverse bool
	wide    bool
	limit   int64 // indices from there on are zero
	shares  []program.Share
	tag     string // of the names of kernels and arrays
}

// newFourStep plans a transform of 2^m points, m at least 2. Its shares are set after
// the units were divided.
func newFourStep(f *field, m int) fourStep {
	list := append(digits(m, 2), 0)
	t := fourStep{f: f, m: m, r1: list[0], r2: list[1], r3: list[2], limit: 1 << m}
	t.u = min(t.r1, m-t.r1)
	t.c1, t.c2 = t.r1-t.u, m-t.r1-t.u
	return t
}

// units is what is divided.
func (t *fourStep) units() int64 { return 1 << t.u }

// cutParts sets the number of parts: a power of two up to most, which leaves parts of
// rows of 64 bytes, and one on a single device.
func (t *fourStep) cutParts(most int64) {
	t.parts = 0
	if len(t.shares) < 2 || t.r3 == 0 {
		return
	}
	for int64(2)<<t.parts <= most && t.c2-t.parts-1 >= 3 {
		t.parts++
	}
}

// largest is the largest share.
func (t *fourStep) largest() (n int64) {
	for _, s := range t.shares {
		n = max(n, s.Len())
	}
	return n
}

// width is the number of elements in a row of a block of one part.
func (t *fourStep) width() int64 { return t.largest() << (t.c2 - t.parts) }

// places are the tables of where units lie in the blocks of the all-to-all: as rows on
// the side of x, and as columns on the side of X.
func (t *fourStep) places() []program.Array {
	rows, columns := make([]uint32, t.units()), make([]uint32, t.units())
	block := t.largest() << t.c1 * t.width()
	for d, s := range t.shares {
		for u := s.Lo; u < s.Hi; u++ {
			rows[u] = uint32(int64(d)*block + (u-s.Lo)<<t.c1*t.width())
			columns[u] = uint32(int64(d)*block + (u-s.Lo)<<(t.c2-t.parts))
		}
	}
	table := func(name string, words []uint32) program.Array {
		return program.Array{Name: name, Elem: program.U32, Layout: program.Replicated, Units: t.units(), Stride: 1,
			Source: program.Source{Kind: program.Made, Make: func(_ int, first int64, into []uint32) { copy(into, words[first:]) }}}
	}
	return []program.Array{table(placesRows, rows), table(placesColumns, columns)}
}

const placesRows, placesColumns = "row places", "column places"

// blocks are the arrays that the all-to-all reads and writes, a pair for each part; one
// device has but the first of each pair.
func (t *fourStep) blocks() (out []program.Array) {
	for q := range 1 << t.parts {
		for _, name := range t.pair(q) {
			out = append(out, program.Array{
				Name: name, Elem: program.U32, Layout: program.Local, Units: int64(len(t.shares)),
				Stride: t.largest() << t.c1 * t.width() * t.f.words,
			})
			if len(t.shares) == 1 {
				break
			}
		}
	}
	return out
}

// pair names what is sent and what arrives of part q.
func (t *fourStep) pair(q int) [2]string {
	send, arrive := fmt.Sprintf("send%d", q), fmt.Sprintf("arrive%d", q)
	if len(t.shares) == 1 {
		arrive = send
	}
	return [2]string{send, arrive}
}

// Passes: short transforms over j1 or k1 on the side of x, and those over n2 on the
// side of X: next to the blocks, and far from them where there are three passes.
func (t *fourStep) short() pass {
	p := pass{r: t.r1, logK: t.c2 - t.parts, in: 1 << (t.c2 + t.r1), out: 1 << (t.c2 + t.r1), values: map[uint32]int{
		specCut: t.c2 - t.parts, specWide: t.c2, specLogC1: t.c1, specTwUnit: 1 << t.c2,
	}}
	if t.inverse {
		p.sides(byRows, true, 0, t.r1, 0)
		p.values[specTwiddle] = inputs
		p.finish(true)
		return p
	}
	p.sides(byRows, false, 0, t.r1, 0)
	p.values[specTwiddle] = outputs
	p.limit(t, t.m-t.r1, 1<<t.c2, 0)
	return p
}

func (t *fourStep) near() pass {
	bh := 0
	if t.r3 > 0 {
		bh = t.r3 - t.c2
	}
	p := pass{r: t.r2, logK: t.c1 + bh + t.c2 - t.parts, in: 1 << (t.c1 + t.m - t.r1), out: 1 << (t.c1 + t.m - t.r1), values: map[uint32]int{
		specCut: t.c2 - t.parts, specWide: t.c2, specLogC1: t.c1, specLogBH: bh, specTwS: t.r1,
	}}
	p.sides(byColumns, !t.inverse, 0, t.r2, 0)
	if t.c2 == 0 { // rows of the blocks are as long as columns of the tile
		p.values[specInStaged], p.values[specOutStaged] = 1, 1
	}
	switch {
	case t.r3 == 0 && t.inverse:
		p.limit(t, t.r1, 1<<t.c1, 0)
	case t.r3 == 0:
		p.finish(false)
	case t.inverse:
		p.values[specTwiddle] = inputs
	default:
		p.values[specTwiddle] = outputs
	}
	return p
}

func (t *fourStep) far() pass {
	p := pass{r: t.r3, logK: t.r2, in: 1 << (t.m - t.r1), out: 1 << (t.m - t.r1), values: map[uint32]int{
		specInA: whole, specInRS: t.r2, specOutA: whole, specOutRS: t.r2,
	}}
	if t.inverse {
		p.limit(t, t.r1+t.r2, 1, t.r1)
	} else {
		p.finish(false)
	}
	return p
}

// sides sets the two maps of a pass with blocks on one side and units, a column's points
// side by side, on the other; out: the units are written.
func (p *pass) sides(blocks int, out bool, a, s, rs int) {
	if out {
		p.values[specInMap], p.values[specOutStaged] = blocks, 1
		p.values[specOutA], p.values[specOutS], p.values[specOutRS] = a, s, rs
		return
	}
	p.values[specOutMap], p.values[specInStaged] = blocks, 1
	p.values[specInA], p.values[specInS], p.values[specInRS] = a, s, rs
}

// limit keeps indices (row << r) + unit*u + (number << c) below the limit.
func (p *pass) limit(t *fourStep, r, u, c int) {
	if t.limit < 1<<t.m {
		p.values[specLimited], p.values[specLimR], p.values[specLimU], p.values[specLimP] = 1, r, u, c
	}
}

// kernels are the passes in the program's terms.
func (t *fourStep) kernels() []program.Kernel {
	out := []program.Kernel{t.short().kernel(t.tag+"short", t.f, t.m, t.inverse, t.wide), t.near().kernel(t.tag+"near", t.f, t.m, t.inverse, t.wide)}
	if t.r3 > 0 {
		out = append(out, t.far().kernel(t.tag+"far", t.f, t.m, t.inverse, t.wide))
	}
	return out
}

// steps transforms from into to, both divided, with scratch of the shape of X where
// there are three passes. table names the roots.
func (t *fourStep) steps(from, scratch, to, table string) []program.Step {
	scale := t.f.constant(t.f.inv(1 << t.m))
	dispatch := func(name string, p pass, in, out, places string, q int) program.Dispatch {
		bind := func(array string, access program.Access) program.Binding {
			b := program.Binding{Array: array, Access: access}
			if array == t.pair(q)[0] || array == t.pair(q)[1] {
				b.Window = program.Whole
			}
			return b
		}
		return program.Dispatch{
			Label: t.tag + name, Kernel: t.tag + name,
			Bind: []program.Binding{bind(in, program.Read), bind(out, program.Write),
				{Array: table, Access: program.Read, Window: program.Whole}, {Array: places, Access: program.Read, Window: program.Whole}},
			On: p.launch(t.shares, int64(q)<<(t.c2-t.parts), t.width(), t.limit, scale),
		}
	}
	near := func(q int, other string) program.Dispatch {
		if t.inverse {
			return dispatch("near", t.near(), other, t.pair(q)[0], placesColumns, q)
		}
		return dispatch("near", t.near(), t.pair(q)[1], other, placesColumns, q)
	}
	short := func(q int, other string) program.Dispatch {
		if t.inverse {
			return dispatch("short", t.short(), t.pair(q)[1], other, placesRows, q)
		}
		return dispatch("short", t.short(), other, t.pair(q)[0], placesRows, q)
	}
	first, second := func(q int) program.Dispatch { return short(q, from) }, func(q int) program.Dispatch { return near(q, to) }
	var list []program.Step
	switch {
	case t.inverse && t.r3 > 0:
		list = append(list, dispatch("far", t.far(), from, scratch, placesRows, 0))
		first, second = func(q int) program.Dispatch { return near(q, scratch) }, func(q int) program.Dispatch { return short(q, to) }
	case t.inverse:
		first, second = func(q int) program.Dispatch { return near(q, from) }, func(q int) program.Dispatch { return short(q, to) }
	case t.r3 > 0:
		second = func(q int) program.Dispatch { return near(q, scratch) }
	}
	list = append(list, t.pipeline(first, second)...)
	if !t.inverse && t.r3 > 0 {
		list = append(list, dispatch("far", t.far(), scratch, to, placesRows, 0))
	}
	return list
}

// pipeline sends part q of the all-to-all while part q+1 is made and part q-1, which has
// arrived, goes on.
func (t *fourStep) pipeline(first, second func(q int) program.Dispatch) []program.Step {
	parts := 1 << t.parts
	list := []program.Step{first(0)}
	if len(t.shares) == 1 {
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
