package network

import (
	"math"

	"github.com/amgpu/amgpu/suites"
)

// floats reads the first n elements of an array.
func floats(r suites.Reader, array string, n int64) ([]float64, error) {
	out := make([]float64, n)
	const block = 1 << 22
	for at := int64(0); at < n; at += block {
		words, err := r.Words(array, at, min(block, n-at))
		if err != nil {
			return nil, err
		}
		for k, w := range words {
			out[at+int64(k)] = float64(math.Float32frombits(w))
		}
	}
	return out, nil
}

// sampledRows is how many rows a check recomputes.
const sampledRows = 4096

// lastStep recomputes the last step of rows, all of them when the check is full, from what
// was sent and the state before it. update gives the new value of a row and the sum of the
// magnitudes of its terms.
func (it iteration) lastStep(c *suites.Check, g *graph, x []float64, update func(sum, old float64, i int64, mass float64) (v, magnitude float64)) (suites.Tally, error) {
	sent, err := floats(c.Out, "sent1", g.n)
	if err != nil {
		return suites.Tally{}, err
	}
	old, err := floats(c.Out, "x1", g.n)
	if err != nil {
		return suites.Tally{}, err
	}
	words, err := c.Out.LocalWords("mass1", 0, 0, 2)
	if err != nil {
		return suites.Tally{}, err
	}
	mass := float64(math.Float32frombits(words[0]))
	k := sampledRows
	if c.Full {
		k = int(g.n)
	}
	rows := suites.SampleIndices(c.Build.Seed, it.number, 0, g.n, k)
	return suites.Spread(int64(len(rows)), func(lo, hi int64, t *suites.Tally) {
		var row []uint32
		for _, i := range rows[lo:hi] {
			var count int64
			row, count = g.sources(i, row)
			sum := 0.0
			for _, j := range row[:count] {
				sum += sent[j]
			}
			want, magnitude := update(sum, old[i], i, mass)
			t.Near("x0", i, math.Float32bits(float32(x[i])), want, suites.E1(float64(min(len(row)/groupEdges, stretchGroups))+12, magnitude))
		}
	}), nil
}

// compareMass compares the first sum over all nodes with the reference on device 0 and all
// devices bit for bit with that.
func (it iteration) compareMass(c *suites.Check, t *suites.Tally, want, bound float64) error {
	first := uint32(0)
	for d := range c.Program.Shares {
		words, err := c.Out.LocalWords("mass0", d, 0, 2)
		if err != nil {
			return err
		}
		if d == 0 {
			first = words[0]
			t.Near("mass0", 0, first, want, bound)
		}
		t.Bits("mass0", 0, words[0], first)
	}
	return nil
}
