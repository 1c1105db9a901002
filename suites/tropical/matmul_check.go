package tropical

import (
	"fmt"
	"math"
	"slices"

	"github.com/amgpu/amgpu/suites"
)

// multiply is the reference: the max-plus product of a (rows x depth) and b
// (depth x cols), or the min-plus product, row-major, in float32 as on the device. It is
// exact there: each sum is rounded once and the extreme chooses among rounded sums.
func multiply(a, b []float32, rows, depth, cols int64, least bool) []float32 {
	c := make([]float32, rows*cols)
	for i := range c {
		c[i] = zero(least)
	}
	suites.Spread(rows, func(first, last int64, _ *suites.Tally) {
		for i := first; i < last; i++ {
			out := c[i*cols : (i+1)*cols]
			for k := range depth {
				x, row := a[i*depth+k], b[k*cols:(k+1)*cols]
				if least {
					for j, y := range row {
						out[j] = min(out[j], x+y)
					}
					continue
				}
				for j, y := range row {
					if sum := x + y; sum > out[j] {
						out[j] = sum
					}
				}
			}
		}
	})
	return c
}

// readRow reads row i of C, wherever the split keeps it.
func readRow(c *suites.Check, i int64) ([]uint32, error) {
	rows, edge := shape(c.Build)
	switch c.Build.Split {
	case splitK:
		// Every device has a copy of its own.
		return c.Out.LocalWords("C", int(i)%len(c.Program.Shares), i*edge, edge)
	case splitBlocks:
		s := cut(rows, edge)
		var row []uint32
		for j := int64(0); j < edge; j += s.edge {
			unit, offset := s.at(i, j)
			part, err := c.Out.Words("C", unit*s.edge*s.edge+offset, min(s.edge, edge-j))
			if err != nil {
				return nil, err
			}
			row = append(row, part...)
		}
		return row, nil
	}
	return c.Out.Words("C", i*edge, edge)
}

// sampledRows and sampledCols span the grid of outputs that a sampled check
// compares: more than suites.MinSampled.
const sampledRows, sampledCols = 32, 40

// Verify compares outputs bit for bit, and on every row it reads checks that no
// C_ij lies below (above, in min-plus) A_ik + B_kj for the first k, the last and one chosen
// by Philox: a kernel that loses an end of the sum spoils too few outputs for a sample.
func (w matmul) Verify(c *suites.Check) (suites.Outcome, error) {
	rows, edge := shape(c.Build)
	number := w.Info().Number
	a := suites.Stream{Seed: c.Build.Seed, Workload: number, Array: idA}
	b := suites.Stream{Seed: c.Build.Seed, Workload: number, Array: idB}
	is, js := grid(c, number, rows, edge)

	right := make([]float32, edge*int64(len(js))) // the chosen columns of B
	suites.Spread(edge, func(first, last int64, _ *suites.Tally) {
		for k := first; k < last; k++ {
			for n, j := range js {
				right[k*int64(len(js))+int64(n)] = b.F32(k*edge+j, lo, hi)
			}
		}
	})
	var all suites.Tally
	block := max(1, (1<<24)/edge) // rows at a time
	for at := int64(0); at < int64(len(is)); at += block {
		part := is[at:min(at+block, int64(len(is)))]
		got := make([][]uint32, len(part))
		for n, i := range part {
			var err error
			if got[n], err = readRow(c, i); err != nil {
				return suites.Outcome{}, err
			}
		}
		left := make([]float32, int64(len(part))*edge)
		suites.Spread(int64(len(part)), func(first, last int64, _ *suites.Tally) {
			for n := first; n < last; n++ {
				for k := range edge {
					left[n*edge+k] = a.F32(part[n]*edge+k, lo, hi)
				}
			}
		})
		want := multiply(left, right, int64(len(part)), edge, int64(len(js)), isMin(c.Build))
		all.Add(suites.Spread(int64(len(part)), func(first, last int64, t *suites.Tally) {
			for n := first; n < last; n++ {
				for m, j := range js {
					t.Float("C", part[n]*edge+j, got[n][j], want[n*int64(len(js))+int64(m)])
				}
				beyond(t, b, part[n], edge, left[n*edge:(n+1)*edge], got[n], isMin(c.Build))
			}
		}))
	}
	if isMin(c.Build) {
		return all.Outcome("E0", "C_ij <= A_ik + B_kj for the first, the last and a random k on every row read"), nil
	}
	return all.Outcome("E0", "C_ij >= A_ik + B_kj for the first, the last and a random k on every row read"), nil
}

// grid chooses the rows and columns to compare: all when the check is full, else
// Philox-chosen ones with both ends of every share and both edges.
func grid(c *suites.Check, number uint32, rows, edge int64) (is, js []int64) {
	if c.Full {
		return suites.SampleIndices(0, number, 0, rows, int(rows)), suites.SampleIndices(0, number, 0, edge, int(edge))
	}
	is = append(suites.SampleIndices(c.Build.Seed, number, 0, rows, sampledRows), 0, rows-1)
	for _, s := range c.Program.Shares {
		if s.Len() > 0 && c.Build.Split == splitRows {
			is = append(is, s.Lo, s.Hi-1)
		}
	}
	js = append(suites.SampleIndices(c.Build.Seed, number, 1, edge, sampledCols), 0, edge-1)
	slices.Sort(is)
	slices.Sort(js)
	return slices.Compact(is), slices.Compact(js)
}

// beyond checks the bound on one whole row of C, for both ends of k and one in between.
func beyond(t *suites.Tally, b suites.Stream, i, edge int64, a []float32, got []uint32, least bool) {
	for _, k := range [3]int64{0, edge - 1, int64(b.Word(i) % uint32(edge))} {
		for j := range edge {
			sum := a[k] + b.F32(k*edge+j, lo, hi)
			g := math.Float32frombits(got[j])
			if !(g >= sum && !least || g <= sum && least) && t.Wrong == "" {
				t.Wrong = fmt.Sprintf("C[%d] is %v, beyond A+B = %v at k = %d", i*edge+j, g, sum, k)
			}
		}
	}
}
