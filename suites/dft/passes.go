package dft

import (
	"slices"

	"github.com/amgpu/amgpu/suites/program"
)

// Specialization constants of common/dft.glsl, in the order of its head.
const (
	specLanes = iota // invocations of a work-group
	specLogR
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
	// MostPoints is log2 of the longest transform of one pass: four columns of it are a
	// work-group's.
	MostPoints = 9
	// tileLog is log2 of the points of a work-group, laneLog of its fewest invocations. Small
	// ones: while some read or write, others compute. Of 4096 points by 256 invocations, 32 KiB
	// in complex numbers, too few fit: 24 % slower on an H200.
	tileLog   = 11
	laneLog   = 7
	whole     = 31 // a shift that no index reaches
	canonical = 1  // values of specFinish
	scaled    = 2
	outputs   = 1 // values of specTwiddle
	inputs    = 2
	byRows    = 1 // values of specInMap, specOutMap
	byColumns = 2
)

// Pass is one kernel: the constants that differ from the shader's, and what its
// launches need.
type Pass struct {
	r, logK int // log2 of points and of columns a unit
	values  map[uint32]int
	// in and out are elements between units, where they lie in units.
	in, out int64
}

// fours says whether a pass over so many digits has rounds of four of them.
func (r Ring) fours(digits int) bool { return r.Sixteenths && digits <= 2*4 }

// rounds is how many rounds of butterflies a pass over r binary digits has, with an exchange
// and a product by roots between two: of three digits each, or of four where the ring has
// sixteenth roots and they do.
func (r Ring) rounds(digits int) int {
	if r.fours(digits) {
		return (digits + 3) / 4
	}
	return (digits + 2) / 3
}

// lanes is log2 of the invocations of a work-group for a pass over so many digits. Each keeps
// its points in registers, of which few words let more work-groups run side by side: 8 points, but
// 16 where rounds of four digits need them, or where an element is a single word.
func (r Ring) lanes(digits int) int {
	if r.Words == 1 || r.fours(digits) || digits < tileLog-laneLog {
		return laneLog
	}
	return laneLog + 1
}

// digits cuts m into the fewest parts of at most MostPoints, at least least of them and as equal as
// they can be, the larger ones first.
func digits(m, least int) []int {
	n := max((m+MostPoints-1)/MostPoints, least)
	out := make([]int, n)
	for i := range out {
		out[i] = m / n
		if i < m%n {
			out[i]++
		}
	}
	return out
}

// easyPoints is log2 of the points of a pass that reads whole lines: of a longer one the four columns
// of a work-group are 16 bytes side by side in the smallest field, which is slower than a round more.
const easyPoints = 8

// quick cuts m into the fewest parts of at most MostPoints, of easyPoints where that does, such that
// passes have the fewest rounds in all and then parts are the most equal; the larger ones come first.
func (r Ring) quick(m int) []int {
	n := (m + MostPoints - 1) / MostPoints
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
		for d := min(most, left); d*(n-len(parts)) >= left; d-- {
			cut(append(parts, d), left-d, rounds+r.rounds(d))
			if d == 0 {
				return
			}
		}
	}
	cut(nil, m, 0)
	return best
}

// logC is log2 of the columns of a work-group.
func (p Pass) logC() int { return min(tileLog-p.r, laneLog) }

// Kernel makes the program's kernel of a pass of a transform of 2^m points.
func (p Pass) Kernel(name string, r Ring, m int, inverse bool) program.Kernel {
	k := program.Kernel{Name: name, Shader: r.Shader, Needs: r.Needs}
	all := map[uint32]int{specLanes: 1 << r.lanes(p.r), specLogR: p.r, specLogC: p.logC(), specLogK: p.logK, specHalf: Half(m)}
	if inverse {
		all[specInverse] = 1
	}
	for id, v := range p.values {
		all[id] = v
	}
	for id := uint32(specLanes); id <= specLimP; id++ {
		if v, ok := all[id]; ok {
			k.Spec = append(k.Spec, program.Spec{ID: id, Value: uint32(v)})
		}
	}
	return k
}

// Half is log2 of the first of the two tables of powers.
func Half(m int) int { return (m + 1) / 2 }

// passes are the passes of independent transforms of 2^m points, a unit each, in
// natural order: pass i transforms over a digit of the index, with s points done.
// Elements from limit on are zero in the first.
func (r Ring) passes(m int, limited, inverse bool) []Pass {
	var out []Pass
	s := 0 // log2
	list := r.quick(m)
	n := int64(1) << m
	for i, d := range list {
		p := Pass{r: d, logK: m - d, in: n, out: n, values: map[uint32]int{
			specInA: whole, specInRS: m - d, specOutA: s, specOutS: s + d, specOutRS: s,
		}}
		if d == m {
			p.values[specInStaged] = 1
			p.values[specInA], p.values[specInS] = 0, 0
		}
		if s == 0 {
			p.values[specOutStaged] = 1
		}
		if i == 0 && limited {
			p.values[specLimited], p.values[specLimR] = 1, m-d
		}
		if i < len(list)-1 {
			p.values[specTwiddle], p.values[specTwA], p.values[specTwS] = outputs, s, s
		} else {
			p.finish(inverse)
		}
		s += d
		out = append(out, p)
	}
	return out
}

// finish makes a pass the last one.
func (p *Pass) finish(inverse bool) {
	p.values[specFinish] = canonical
	if inverse {
		p.values[specFinish] = scaled
	}
}

// Launch runs a pass on units [0,n) of every share, columns from column on in each.
func (p Pass) Launch(shares []program.Share, column, width, limit int64, scale uint64) []program.Launch {
	out := make([]program.Launch, len(shares))
	for d, s := range shares {
		out[d] = program.Launch{Units: s.Len(), Mul: 1 << p.logK, Div: 1 << p.logC(), Push: []uint32{
			uint32(column), uint32(p.in), uint32(p.out), uint32(s.Lo), uint32(width), uint32(limit), uint32(scale), uint32(scale >> 32),
		}}
	}
	return out
}
