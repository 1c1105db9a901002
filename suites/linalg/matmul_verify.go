package linalg

import (
	"math"
	"slices"

	"github.com/amgpu/amgpu/suites"
)

// sampledRows by as many columns give the sampled outputs: rows and columns are shared,
// so 2*32*K inputs serve 1024 outputs.
const sampledRows = 32

// freivaldsColumns bounds the columns that enter the row check.
const freivaldsColumns = 256

// Verify compares outputs with dot products of the same inputs in twice the precision of
// the sums or more, then checks the read rows by Freivalds: C x = A (B x) for a random
// vector x of signs.
func (matmul) Verify(c *suites.Check) (suites.Outcome, error) {
	p, err := plan(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	rows, columns := p.sampled(c)
	b := p.readColumns(c.Build.Seed, columns)
	check := p.freivalds(c.Build.Seed)
	var all suites.Tally
	// Blocks of rows bound the memory of a full check.
	for block := range slices.Chunk(rows, max(1, int(1<<22/p.columns))) {
		got := make([][]uint32, len(block))
		for i, r := range block {
			if got[i], err = p.readOutput(c.Out, r); err != nil {
				return suites.Outcome{}, err
			}
		}
		all.Add(suites.Spread(int64(len(block)), func(lo, hi int64, t *suites.Tally) {
			for i := lo; i < hi; i++ {
				a := p.readRow(c.Build.Seed, block[i])
				for j, column := range columns {
					want, magnitude := dot(a, b[j])
					p.compare(t, p.c(block[i], column), got[i][p.sums(column):p.sums(column+1)], want, magnitude)
				}
				check.row(block[i], a, got[i], t)
			}
		}))
	}
	return all.Outcome(p.class(), "C x = A (B x) on the rows read"), nil
}

// compare checks one element of C.
func (p product) compare(t *suites.Tally, at int64, got []uint32, want, magnitude float64) {
	switch {
	case p.number == &numbers[typeI8]:
		t.Bits("C", at, got[0], uint32(int32(want)))
	case p.sum == 64:
		t.Double("C", at, got[0], got[1], want, p.bound(float64(p.terms), magnitude, p.tile.matrix != nil))
	default:
		t.Near("C", at, got[0], want, p.bound(float64(p.terms), magnitude, p.tile.matrix != nil))
	}
}

// sampled chooses the rows and columns to compare: all in a full check, else at least
// MinSampled pairs, with both ends of every share of rows among the rows.
func (p product) sampled(c *suites.Check) (rows, columns []int64) {
	seed := c.Build.Seed
	if c.Full {
		return suites.SampleIndices(seed, matmulNumber, 0, p.rows, int(p.rows)), suites.SampleIndices(seed, matmulNumber, 1, p.columns, int(p.columns))
	}
	rows = suites.SampleIndices(seed, matmulNumber, 0, p.rows, sampledRows)
	columns = suites.SampleIndices(seed, matmulNumber, 1, p.columns, max(sampledRows, suites.MinSampled/len(rows)+1))
	for _, s := range c.Program.Shares {
		if s.Len() > 0 && c.Program.Units == p.rows {
			rows = append(rows, s.Lo, s.Hi-1)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows), columns
}

// rowCheck holds a vector x of signs on some columns, with B x and |B| |x|.
type rowCheck struct {
	product
	columns   []int64
	signs     []float64
	bx, bxAbs []float64
}

// freivalds chooses the columns and signs. The spread of x over at most 256 columns
// keeps the cost at 256 K inputs; zeros elsewhere are part of x.
func (p product) freivalds(seed uint64) rowCheck {
	r := rowCheck{product: p, columns: suites.SampleIndices(seed, matmulNumber, 2, p.columns, freivaldsColumns)}
	sign := suites.Stream{Seed: seed, Workload: matmulNumber, Array: idSigns}
	r.signs = make([]float64, len(r.columns))
	for j := range r.signs {
		r.signs[j] = 1 - 2*float64(sign.Word(int64(j))>>31)
	}
	r.bx, r.bxAbs = make([]float64, p.terms), make([]float64, p.terms)
	suites.Spread(p.terms, func(lo, hi int64, _ *suites.Tally) {
		for k := lo; k < hi; k++ {
			for j, column := range r.columns {
				id, at := p.b(k, column)
				x := p.value(seed, id, at)
				r.bx[k] += r.signs[j] * x
				r.bxAbs[k] += math.Abs(x)
			}
		}
	})
	return r
}

// row checks one row of C against the same row of A. In float64 the check itself rounds
// as often as the product does.
func (r rowCheck) row(index int64, a []float64, got []uint32, t *suites.Tally) {
	var left, right, magnitude float64
	for j, column := range r.columns {
		left += r.signs[j] * r.readSum(got[r.sums(column):r.sums(column+1)])
	}
	for k, x := range a {
		right += x * r.bx[k]
		magnitude += math.Abs(x) * r.bxAbs[k]
	}
	n := float64(r.terms)
	if r.sum == 64 {
		n = 2*n + 2*freivaldsColumns
	}
	t.Identity("C x = A (B x)", index, left, right, r.bound(n, magnitude, r.tile.matrix != nil))
}
