package linalg

import (
	"math"

	"github.com/amgpu/amgpu/suites"
)

// a is where element (i, k) of A is: the array's id, and the element of it.
func (p product) a(i, k int64) (id uint32, at int64) {
	part := k / max(p.part, 1)
	switch p.split {
	case splitBlocks:
		return idPanelsA + uint32(part), i*p.part + k%p.part
	case splitK:
		return idA, (part*p.rows+i)*p.part + k%p.part
	}
	return idA, i*p.lda + k
}

// b is where element (k, j) of B is.
func (p product) b(k, j int64) (id uint32, at int64) {
	part := k / max(p.part, 1)
	switch {
	case p.split == splitBlocks && p.columnsB:
		return idPanelsB + uint32(part), j*p.part + k%p.part
	case p.split == splitBlocks:
		return idPanelsB + uint32(part), (j/p.squares.edge*p.part+k%p.part)*p.squares.edge + j%p.squares.edge
	case p.split == splitK && p.columnsB:
		return idB, (part*p.columns+j)*p.part + k%p.part
	case p.columnsB:
		return idB, j*p.lda + k
	}
	return idB, k*p.columns + j
}

// c is where element (i, j) of C is.
func (p product) c(i, j int64) int64 {
	if p.split == splitBlocks {
		e := p.squares.edge
		return p.squares.at(i/e, j/e)*e*e + i%e*e + j%e
	}
	return i*p.columns + j
}

// readOutput reads row i of C.
func (p product) readOutput(out suites.Reader, i int64) ([]uint32, error) {
	run := p.columns
	if p.split == splitBlocks {
		run = p.squares.edge
	}
	words := make([]uint32, 0, p.sums(p.columns))
	for j := int64(0); j < p.columns; j += run {
		part, err := out.Words("C", p.sums(p.c(i, j)), p.sums(run))
		if err != nil {
			return nil, err
		}
		words = append(words, part...)
	}
	return words, nil
}

// readRow makes row i of A.
func (p product) readRow(seed uint64, i int64) []float64 {
	row := make([]float64, p.terms)
	for k := range row {
		id, at := p.a(i, int64(k))
		row[k] = p.value(seed, id, at)
	}
	return row
}

// readColumns makes columns of B.
func (p product) readColumns(seed uint64, columns []int64) [][]float64 {
	out := make([][]float64, len(columns))
	suites.Spread(int64(len(columns)), func(lo, hi int64, _ *suites.Tally) {
		for j := lo; j < hi; j++ {
			out[j] = make([]float64, p.terms)
			for k := range out[j] {
				id, at := p.b(int64(k), columns[j])
				out[j][k] = p.value(seed, id, at)
			}
		}
	})
	return out
}

// dot is the dot product as if in twice the precision of float64 (Ogita, Rump and Oishi
// 2005, Dot2), and the sum of its terms' magnitudes.
func dot(a, b []float64) (sum, magnitude float64) {
	var rest float64
	for k, x := range a {
		term := x * b[k]
		off := math.FMA(x, b[k], -term)
		next := sum + term
		back := next - sum
		rest += (sum - (next - back)) + (term - back) + off
		sum = next
		magnitude += math.Abs(term)
	}
	return sum + rest, magnitude
}
