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

// Verify compares outputs with float64 dot products of the same inputs, then checks the
// read rows by Freivalds: C x = A (B x) for a random vector x of signs.
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
	for block := range slices.Chunk(rows, max(1, int(1<<22/p.ldn))) {
		got := make([][]uint32, len(block))
		for i, r := range block {
			if got[i], err = c.Out.Words("C", r*p.ldn, p.ldn); err != nil {
				return suites.Outcome{}, err
			}
		}
		all.Add(suites.Spread(int64(len(block)), func(lo, hi int64, t *suites.Tally) {
			for i := lo; i < hi; i++ {
				a := p.readRow(c.Build.Seed, block[i])
				for j, column := range columns {
					want, magnitude := dot(a, b[j])
					t.Near("C", block[i]*p.ldn+column, got[i][column], want, suites.E1(float64(p.k), magnitude))
				}
				check.row(block[i], a, got[i], t)
			}
		}))
	}
	return all.Outcome("E1", "C x = A (B x) on the rows read"), nil
}

// sampled chooses the rows and columns to compare: all in a full check, else at least
// MinSampled pairs, with both ends of every share among the rows.
func (p product) sampled(c *suites.Check) (rows, columns []int64) {
	seed := c.Build.Seed
	if c.Full {
		return suites.SampleIndices(seed, matmulNumber, 0, p.m, int(p.m)), suites.SampleIndices(seed, matmulNumber, 1, p.ldn, int(p.ldn))
	}
	rows = suites.SampleIndices(seed, matmulNumber, 0, p.m, sampledRows)
	columns = suites.SampleIndices(seed, matmulNumber, 1, p.ldn, max(sampledRows, suites.MinSampled/len(rows)+1))
	for _, s := range c.Program.Shares {
		if s.Len() > 0 {
			rows = append(rows, s.Lo, s.Hi-1)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows), columns
}

// readRow makes row r of A, k elements.
func (p product) readRow(seed uint64, r int64) []float32 {
	s := suites.Stream{Seed: seed, Workload: matmulNumber, Array: matmulA.ID}
	row := make([]float32, p.k)
	for k := range row {
		row[k] = s.F32(r*p.lda+int64(k), matmulA.A, matmulA.B)
	}
	return row
}

// readColumns makes columns of B, k elements each.
func (p product) readColumns(seed uint64, columns []int64) [][]float32 {
	s := suites.Stream{Seed: seed, Workload: matmulNumber, Array: matmulB.ID}
	out := make([][]float32, len(columns))
	suites.Spread(int64(len(columns)), func(lo, hi int64, _ *suites.Tally) {
		for j := lo; j < hi; j++ {
			out[j] = make([]float32, p.k)
			for k := range out[j] {
				out[j][k] = s.F32(int64(k)*p.ldn+columns[j], matmulB.A, matmulB.B)
			}
		}
	})
	return out
}

// dot is the dot product in float64, and the sum of its terms' magnitudes.
func dot(a, b []float32) (sum, magnitude float64) {
	for k, x := range a {
		term := float64(x) * float64(b[k]) // exact
		sum += term
		magnitude += math.Abs(term)
	}
	return sum, magnitude
}

// signArray is the Philox array id of the signs, beside A and B.
const signArray = 2

// rowCheck holds a vector x of signs on some columns, with B x and |B| |x|.
type rowCheck struct {
	k         int64
	columns   []int64
	signs     []float64
	bx, bxAbs []float64
}

// freivalds chooses the columns and signs. The spread of x over at most 256 columns
// keeps the cost at 256 K inputs; zeros elsewhere are part of x.
func (p product) freivalds(seed uint64) rowCheck {
	r := rowCheck{k: p.k, columns: suites.SampleIndices(seed, matmulNumber, 2, p.ldn, freivaldsColumns)}
	sign := suites.Stream{Seed: seed, Workload: matmulNumber, Array: signArray}
	r.signs = make([]float64, len(r.columns))
	for j := range r.signs {
		r.signs[j] = 1 - 2*float64(sign.Word(int64(j))>>31)
	}
	b := suites.Stream{Seed: seed, Workload: matmulNumber, Array: matmulB.ID}
	r.bx, r.bxAbs = make([]float64, p.k), make([]float64, p.k)
	suites.Spread(p.k, func(lo, hi int64, _ *suites.Tally) {
		for k := lo; k < hi; k++ {
			for j, column := range r.columns {
				x := float64(b.F32(k*p.ldn+column, matmulB.A, matmulB.B))
				r.bx[k] += r.signs[j] * x
				r.bxAbs[k] += math.Abs(x)
			}
		}
	})
	return r
}

// row checks one row of C against the same row of A.
func (r rowCheck) row(index int64, a []float32, got []uint32, t *suites.Tally) {
	var left, right, magnitude float64
	for j, column := range r.columns {
		left += r.signs[j] * float64(math.Float32frombits(got[column]))
	}
	for k, x := range a {
		right += float64(x) * r.bx[k]
		magnitude += math.Abs(float64(x)) * r.bxAbs[k]
	}
	t.Identity("C x = A (B x)", index, left, right, suites.E1(float64(r.k), magnitude))
}
