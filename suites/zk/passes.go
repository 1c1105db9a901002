package zk

import (
	"slices"

	"github.com/amgpu/amgpu/suites/program"
)

// Specialization constants of zk/ntt, in the order of its head.
const (
	specLogR = 1 + iota
	specLogC
	specInMap
	specOutMap
	specInStaged
	specOutStaged
	specTwiddle
	specInverse
	specFinish
	specLogK
	specCut
	specWide
	specInA
	specInS
	specInRS
	specOutA
	specOutS
	specOutRS
	specTwUnit
	specTwA
	specTwS
	specLogC1
	specLogBH
	specHalf
	specLimited
	specLimR
	specLimU
	specLimP
)

const (
	// mostPoints is log2 of the longest transform of one pass: eight columns of it fill
	// 32 KiB of shared memory.
	mostPoints = 9
	// tileLog is log2 of the points of a work-group, lanes its invocations.
	tileLog   = 12
	laneLog   = 8
	whole     = 31 // a shift that no index reaches
	canonical = 1  // values of specFinish
	scaled    = 2
	outputs   = 1 // values of specTwiddle
	inputs    = 2
	byRows    = 1 // values of specInMap, specOutMap
	byColumns = 2
)

// pass is one kernel: the constants that differ from the shader's, and what its
// launches need.
type pass struct {
	r, logK int // log2 of points and of columns a unit
	values  map[uint32]int
	// in and out are elements between units, where they lie in units.
	in, out int64
}

// radixLog is log2 of the points of a butterfly: a pass over r binary digits has ceil(r/radixLog)
// rounds of them, with an exchange and a product by roots between two.
const radixLog = 3

// digits cuts m into the fewest parts of at most mostPoints, at least least of them and as equal as
// they can be, the larger ones first.
func digits(m, least int) []int {
	n := max((m+mostPoints-1)/mostPoints, least)
	out := make([]int, n)
	for i := range out {
		out[i] = m / n
		if i < m%n {
			out[i]++
		}
	}
	return out
}

// easyPoints is log2 of the points of a pass that reads whole lines: of a longer one the eight columns
// of a work-group are 32 bytes side by side in the smaller field, which is slower than a round more.
const easyPoints = 8

// quick cuts m into the fewest parts of at most mostPoints, of easyPoints where that does, such that
// passes have the fewest rounds in all and then parts are the most equal; the larger ones come first.
func quick(m int) []int {
	n := (m + mostPoints - 1) / mostPoints
	var best []int
	fewest := 0
	var cut func(parts []int, left, rounds int)
	cut = func(parts []int, left, rounds int) {
		if len(parts) == n {
			if left == 0 && (best == nil || rounds < fewest || rounds == fewest && slices.Compare(parts, best) < 0) {
				best, fewest = slices.Clone(parts), rounds
			}
			return
		}
		most := max(easyPoints, (m+n-1)/n)
		if len(parts) > 0 {
			most = parts[len(parts)-1]
		}
		for r := min(most, left); r*(n-len(parts)) >= left; r-- {
			cut(append(parts, r), left-r, rounds+(r+radixLog-1)/radixLog)
			if r == 0 {
				return
			}
		}
	}
	cut(nil, m, 0)
	return best
}

// logC is log2 of the columns of a work-group.
func (p pass) logC() int { return min(tileLog-p.r, laneLog) }

// kernel makes the program's kernel of a pass, wide: on 64-bit integers.
func (p pass) kernel(name string, f *field, m int, inverse, wide bool) program.Kernel {
	k := program.Kernel{Name: name, Shader: "zk/ntt_" + f.name}
	if wide {
		k.Shader += "_wide"
		k.Needs = []string{int64Feature}
	}
	all := map[uint32]int{specLogR: p.r, specLogC: p.logC(), specLogK: p.logK, specHalf: half(m)}
	if inverse {
		all[specInverse] = 1
	}
	for id, v := range p.values {
		all[id] = v
	}
	for id := uint32(specLogR); id <= specLimP; id++ {
		if v, ok := all[id]; ok {
			k.Spec = append(k.Spec, program.Spec{ID: id, Value: uint32(v)})
		}
	}
	return k
}

// half is log2 of the first of the two tables of powers.
func half(m int) int { return (m + 1) / 2 }

// batchPasses are the passes of independent transforms of 2^m points, a unit each, in
// natural order: pass i transforms over a digit of the index, with s points done.
// Elements from limit on are zero in the first.
func batchPasses(m int, limited, inverse bool) []pass {
	var out []pass
	s := 0 // log2
	list := quick(m)
	n := int64(1) << m
	for i, r := range list {
		p := pass{r: r, logK: m - r, in: n, out: n, values: map[uint32]int{
			specInA: whole, specInRS: m - r, specOutA: s, specOutS: s + r, specOutRS: s,
		}}
		if r == m {
			p.values[specInStaged] = 1
			p.values[specInA], p.values[specInS] = 0, 0
		}
		if s == 0 {
			p.values[specOutStaged] = 1
		}
		if i == 0 && limited {
			p.values[specLimited], p.values[specLimR] = 1, m-r
		}
		if i < len(list)-1 {
			p.values[specTwiddle], p.values[specTwA], p.values[specTwS] = outputs, s, s
		} else {
			p.finish(inverse)
		}
		s += r
		out = append(out, p)
	}
	return out
}

// finish makes a pass the last one.
func (p *pass) finish(inverse bool) {
	p.values[specFinish] = canonical
	if inverse {
		p.values[specFinish] = scaled
	}
}

// run is a part of a table: powers of base from the zeroth on.
type run struct {
	n    int64
	base uint64
}

// roots is the table of powers that all passes of a transform of 2^m points read.
func roots(name string, f *field, m int, inverse bool) program.Array {
	w := f.rootOf(m, inverse)
	return table(name, f, append([]run{{1 << mostPoints, f.rootOf(mostPoints, inverse)}}, twoLevels(f, w, m)...))
}

// powers is the table from which a product of two gives any power of w below 2^m.
func powers(name string, f *field, w uint64, m int) program.Array {
	return table(name, f, twoLevels(f, w, m))
}

func twoLevels(f *field, w uint64, m int) []run {
	h := half(m)
	return []run{{1 << h, w}, {1 << (m - h), f.pow(w, 1<<h)}}
}

// table is an array of the same constants on every device.
func table(name string, f *field, runs []run) program.Array {
	var total int64
	for _, r := range runs {
		total += r.n
	}
	return program.Array{
		Name: name, Elem: program.U32, Layout: program.Replicated, Units: total, Stride: f.words,
		Source: program.Source{Kind: program.Made, Make: func(_ int, first int64, into []uint32) {
			words := make([]uint32, f.words)
			var start int64
			for _, r := range runs {
				lo, hi := max(start*f.words, first), min((start+r.n)*f.words, first+int64(len(into)))
				if lo < hi {
					x := f.constant(f.pow(r.base, uint64(lo/f.words-start)))
					for i := lo; i < hi; i++ {
						f.put(x, words)
						into[i-first] = words[i%f.words]
						if i%f.words == f.words-1 {
							x = f.mul(x, r.base)
						}
					}
				}
				start += r.n
			}
		}},
	}
}

// launch runs a pass on units [0,n) of every share, columns from column on in each.
func (p pass) launch(shares []program.Share, column, width, limit int64, scale uint64) []program.Launch {
	out := make([]program.Launch, len(shares))
	for d, s := range shares {
		out[d] = program.Launch{Units: s.Len(), Mul: 1 << p.logK, Div: 1 << p.logC(), Push: []uint32{
			uint32(column), uint32(p.in), uint32(p.out), uint32(s.Lo), uint32(width), uint32(limit), uint32(scale), uint32(scale >> 32),
		}}
	}
	return out
}
