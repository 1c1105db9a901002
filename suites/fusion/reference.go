package fusion

import (
	"math"
	"math/bits"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// multivector is an element of Cl(3,0) in float64.
type multivector [8]float64

// sign of the product of blades a and b: one exchange for each pair of factors i of a and j
// of b with i > j; all squares are +1.
func sign(a, b int) float64 {
	swaps := 0
	for i := 1; i < 3; i++ {
		if a>>i&1 == 1 {
			swaps += bits.OnesCount(uint(b & (1<<i - 1)))
		}
	}
	return float64(1 - 2*(swaps%2))
}

// times is the geometric product a b, with the sums of its terms' magnitudes.
func (a multivector) times(b multivector) (c, magnitude multivector) {
	for i, x := range a {
		for j, y := range b {
			c[i^j] += sign(i, j) * x * y
			magnitude[i^j] += math.Abs(x * y)
		}
	}
	return c, magnitude
}

func (a multivector) plus(b multivector) multivector {
	for i, y := range b {
		a[i] += y
	}
	return a
}

// tdc is a tropical-dual-Clifford element in float64.
type tdc struct{ t, r, d, c multivector }

// read makes element i of an input.
func read(seed uint64, number uint32, s program.Source, i int64) (e tdc) {
	in := suites.Stream{Seed: seed, Workload: number, Array: s.ID}
	for p, part := range []*multivector{&e.t, &e.r, &e.d, &e.c} {
		for j := range part {
			part[j] = float64(in.F32(elementWords*i+int64(8*p+j), s.A, s.B))
		}
	}
	return e
}

// tropical is the max-plus product, every sum rounded to float32.
func tropical(a, b multivector) (c [8]float32) {
	for k := range c {
		c[k] = float32(a[0]) + float32(b[k])
		for i := 1; i < 8; i++ {
			if sum := float32(a[i]) + float32(b[i^k]); sum > c[k] {
				c[k] = sum
			}
		}
	}
	return c
}

// times is x y, with the sums of the magnitudes of terms; the tropical part is exact in
// float32.
func (x tdc) times(y tdc) (z, magnitude tdc) {
	for k, v := range tropical(x.t, y.t) {
		z.t[k] = float64(v)
	}
	z.r, magnitude.r = x.r.times(y.r)
	left, leftSum := x.r.times(y.d)
	right, rightSum := x.d.times(y.r)
	z.d, magnitude.d = left.plus(right), leftSum.plus(rightSum)
	z.c, magnitude.c = x.c.times(y.c)
	return z, magnitude
}

func value(word uint32) float64 { return float64(math.Float32frombits(word)) }

// Verify compares with float64; the tropical part bit for bit. The Clifford part must
// associate with a third factor, as must the dual part, whose value and derivative follow
// the product rule.
func (product) Verify(c *suites.Check) (suites.Outcome, error) {
	seed := c.Build.Seed
	tally, err := c.EachUnit("z", c.Program.Units, func(i int64, got []uint32, t *suites.Tally) {
		x, y := read(seed, productNumber, operandX, i), read(seed, productNumber, operandY, i)
		z, s := x.times(y)
		base := elementWords * i
		var device tdc
		for j := range 8 {
			t.Float("z", base+int64(j), got[j], float32(z.t[j]))
			device.r[j], device.d[j], device.c[j] = value(got[8+j]), value(got[16+j]), value(got[24+j])
			t.Near("z", base+8+int64(j), got[8+j], z.r[j], suites.E1(8, s.r[j]))
			t.Near("z", base+16+int64(j), got[16+j], z.d[j], suites.E1(16, s.d[j]))
			t.Near("z", base+24+int64(j), got[24+j], z.c[j], suites.E1(8, s.c[j]))
		}
		// A third factor: y again.
		left, _ := device.times(y)
		inner, innerSum := y.times(y)
		right, _ := x.times(inner)
		_, rSum := x.times(tdc{r: innerSum.r, d: innerSum.d, c: innerSum.c})
		for j := range 8 {
			t.Identity("(xy)y = x(yy), Clifford", i, left.c[j], right.c[j], suites.E1(8, 1)*rSum.total(tdcC))
			t.Identity("(xy)y = x(yy), dual", i, left.d[j], right.d[j], suites.E1(16, 1)*(rSum.total(tdcD)+rSum.total(tdcR)))
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E1", "(xy)y = x(yy) in the Clifford and the dual part"), nil
}

// Parts of an element.
const (
	tdcR = iota
	tdcD
	tdcC
)

// total is the sum of the magnitudes of one part.
func (x tdc) total(part int) (sum float64) {
	for _, v := range [3]multivector{x.r, x.d, x.c}[part] {
		sum += math.Abs(v)
	}
	return sum
}
