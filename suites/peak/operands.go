package peak

import (
	"math"

	"github.com/amgpu/amgpu/suites"
)

// operands are the elements of a set in the order of memory: A and then A' of two pairs by
// rows, four B by columns. Sums in float16 are exact only as small whole numbers, so there
// A' is -A with 1 added in one place of a row, and the sums grow by a row of B in two steps.
func (m matrix) operands(b suites.Build, set int64) []uint32 {
	rows, columns, terms := m.shape(b)
	stream := suites.Stream{Seed: b.Seed, Workload: number, Array: idX}
	pair, total := 2*rows*terms, 4*(rows+columns)*terms
	out := make([]uint32, total)
	for e := range total {
		w := stream.Word(set*total + e)
		switch {
		case m.element != nil:
			out[e] = m.element(w)
		case e < pair:
			out[e] = halfOf(int(w%5) - 2)
		case e < 2*pair:
			v := -int(halfValue(out[e-pair]))
			if row, term := (e-pair)/terms%rows, e%terms; term == row%terms {
				v++
			}
			out[e] = halfOf(v)
		default:
			out[e] = halfOf(int(w%3) - 1)
		}
	}
	return out
}

// packed are the words of all sets.
func (m matrix) packed(b suites.Build) []uint32 {
	var out []uint32
	each := 4 / m.bytes
	for set := range int64(matrixSets) {
		elements := m.operands(b, set)
		for e := int64(0); e < int64(len(elements)); e += each {
			word := uint32(0)
			for k := range each {
				word |= elements[e+k] << (8 * m.bytes * k)
			}
			out = append(out, word)
		}
	}
	return out
}

// Verify multiplies the sets of work-groups on the CPU.
func (m matrix) Verify(c *suites.Check) (suites.Outcome, error) {
	rows, columns, terms := m.shape(c.Build)
	half := float64(matrixSteps/2) * float64(c.Build.Params["repeat"])
	each := 4 / m.sum // sums in a word
	tally, err := c.EachUnit("sums", c.Program.Units, func(u int64, got []uint32, t *suites.Tally) {
		for s := range int64(matrixSubgroups) {
			set := m.operands(c.Build, (u*matrixSubgroups+s)%matrixSets)
			for i := range int64(matrixSums) {
				for e := range rows * columns {
					sum, size := 0.0, 0.0
					for k := range terms {
						b := m.read(set[4*rows*terms+(i%4*columns+e%columns)*terms+k])
						for _, first := range []int64{i / 4, 2 + i/4} {
							product := m.read(set[(first*rows+e/columns)*terms+k]) * b
							sum += product
							size += math.Abs(product)
						}
					}
					at := (s*matrixSums+i)*rows*columns + e
					bits := got[at/each] >> (8 * m.sum * (at % each))
					if m.sum == 2 {
						bits &= 0xffff
					}
					m.compare(t, u*int64(len(got))*each+at, bits, half*sum, half*size, matrixSteps*float64(c.Build.Params["repeat"]))
				}
			}
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	class, _, _ := cutClass(m.info.Tolerance)
	return tally.Outcome(class, ""), nil
}

// compare judges one sum of so many steps: exactly, integers modulo 2^32, or with two
// roundings of up to 2 u in a step, as devices cut terms off.
func (m matrix) compare(t *suites.Tally, i int64, bits uint32, want, size, steps float64) {
	switch {
	case m.exact && m.sum == 2:
		t.Bits("sums", i, bits, halfOf(int(want)))
	case m.exact:
		t.Bits("sums", i, bits, uint32(int64(want)))
	default:
		t.Near("sums", i, bits, want, suites.E1(4*steps, size))
	}
}

func floatValue(bits uint32) float64 { return float64(math.Float32frombits(bits)) }

// brainValue is the value of a bfloat16, the upper half of a float32.
func brainValue(bits uint32) float64 { return floatValue(bits << 16) }

// halfValue is the value of a float16 (IEEE 754 binary16) that is 0 or normal.
func halfValue(bits uint32) float64 {
	if bits&0x7fff == 0 {
		return 0
	}
	v := math.Ldexp(float64(bits&0x3ff|0x400), int(bits>>10&31)-25)
	if bits&0x8000 != 0 {
		return -v
	}
	return v
}

// halfOf is a whole number of at most 2048 in size as float16.
func halfOf(v int) uint32 {
	sign := uint32(0)
	if v < 0 {
		sign, v = 0x8000, -v
	}
	if v == 0 {
		return 0
	}
	power := 0
	for v>>(power+1) > 0 {
		power++
	}
	return sign | uint32(15+power)<<10 | uint32(v<<10>>power)&0x3ff
}
