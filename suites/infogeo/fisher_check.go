package infogeo

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func stream(seed uint64, number uint32, s program.Source) func(i int64) float64 {
	in := suites.Stream{Seed: seed, Workload: number, Array: s.ID}
	return func(i int64) float64 { return float64(in.F32(i, s.A, s.B)) }
}

func value(word uint32) float64 { return float64(math.Float32frombits(word)) }

// Verify compares with float64.
func (fisher) Verify(c *suites.Check) (suites.Outcome, error) {
	model := c.Build.Params["model"]
	if model == logistic {
		r, err := regress(c.Build)
		if err != nil {
			return suites.Outcome{}, err
		}
		return r.verify(c)
	}
	point := stream(c.Build.Seed, fisherNumber, fisherPoints)
	samples := readSamples(c.Build)
	width := int64(3)
	if model != empirical {
		width = 12
	}
	tally, err := c.EachUnit("g", c.Program.Units, func(u int64, got []uint32, t *suites.Tally) {
		for e := int64(0); e < width; e += 3 {
			at := u*width + e
			i := at / 3
			a, b := point(2*i), point(2*i+1)
			want, bound := closedForm(model, a, b), [3]float64{}
			if model == empirical {
				want, bound = scores(samples, a, b)
			} else {
				for j := range want {
					bound[j] = 8 * suites.U * math.Abs(want[j])
				}
			}
			for j := range want {
				t.Near("g", at+int64(j), got[e+int64(j)], want[j], bound[j])
			}
			g11, g12, g22 := value(got[e]), value(got[e+1]), value(got[e+2])
			slack := bound[0]*math.Abs(g22) + bound[2]*math.Abs(g11) + 3*bound[1]*math.Abs(g12) + bound[0]*bound[2]
			if det := g11*g22 - g12*g12; det < -slack || g11 < 0 {
				t.Identity("x^T F x >= 0", i, det, 0, slack)
			}
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	if model == empirical {
		return tally.Outcome("E1", modelNames[model]+": x^T F x >= 0"), nil
	}
	return tally.Outcome("E2", modelNames[model]+": x^T F x >= 0"), nil
}

// readSamples are those of the empirical matrix, none for other models.
func readSamples(b suites.Build) []float64 {
	if b.Params["model"] != empirical {
		return nil
	}
	in := stream(b.Seed, fisherNumber, fisherSamples)
	x := make([]float64, max(b.Params["samples"], 1))
	for i := range x {
		x[i] = in(int64(i))
	}
	return x
}

// scores is the mean of s s^T over samples, and bounds for float32: E1 over the sum of the
// magnitudes, of which a term brings up to 16 roundings.
func scores(x []float64, mu, sigma float64) (mean, bound [3]float64) {
	variance := sigma * sigma
	for _, x := range x {
		d := x - mu
		s1, s2 := d/variance, (d*d-variance)/(variance*sigma)
		most := (d*d + variance) / (variance * sigma)
		mean[0] += s1 * s1
		mean[1] += s1 * s2
		mean[2] += s2 * s2
		bound[0] += s1 * s1
		bound[1] += math.Abs(s1) * most
		bound[2] += most * most
	}
	n := float64(len(x))
	for j := range mean {
		mean[j] /= n
		bound[j] = suites.E1(n+16, bound[j]/n)
	}
	return mean, bound
}

// closedForm is (g11, g12, g22) of a family at the parameters made of (a, b).
func closedForm(model int64, a, b float64) [3]float64 {
	switch model {
	case gaussian:
		return [3]float64{1 / (b * b), 0, 2 / (b * b)}
	case natural:
		h1, h2 := a, -b
		return [3]float64{-1 / (2 * h2), h1 / (2 * h2 * h2), (h2 - h1*h1) / (2 * h2 * h2 * h2)}
	case bernoulli:
		p := a / 2
		return [3]float64{1 / (p * (1 - p)), 0, 0}
	case poisson:
		return [3]float64{1 / a, 0, 0}
	case exponential:
		return [3]float64{1 / (a * a), 0, 0}
	case categorical:
		p, q := a/4, b/4
		last := 1 / (1 - p - q)
		return [3]float64{1/p + last, last, 1/q + last}
	}
	p, q := a/4, b/4
	return [3]float64{p * (1 - p), -p * q, q * (1 - q)}
}

// Sampled parts of the logistic model: chunks computed again, their columns, elements
// whose tree is added up.
const (
	checkedChunks  = 4
	checkedColumns = 32
	checkedTrees   = 64
)

// verify computes sums of some chunks again, all of them in a full check of few columns;
// adds elements of all chunks along the canonical tree, bit for bit; and compares F with
// them, with its transpose and with x^T F x >= 0.
func (r regression) verify(c *suites.Check) (suites.Outcome, error) {
	picked := suites.SampleIndices(c.Build.Seed, fisherNumber, 0, r.chunks, checkedChunks)
	picked = append(picked, 0, (r.n-1)/r.rows)
	for _, s := range c.Program.Shares {
		if s.Len() > 0 {
			picked = append(picked, s.Lo, s.Hi-1)
		}
	}
	columns := suites.SampleIndices(c.Build.Seed, fisherNumber, 1, r.d, checkedColumns)
	if c.Full && r.d == tileEdge {
		picked = suites.SampleIndices(c.Build.Seed, fisherNumber, 0, r.chunks, int(r.chunks))
		columns = suites.SampleIndices(c.Build.Seed, fisherNumber, 1, r.d, int(r.d))
	}
	var all suites.Tally
	for _, chunk := range picked {
		words, err := c.Out.Words("partials", chunk*r.stride(), r.stride())
		if err != nil {
			return suites.Outcome{}, err
		}
		all.Add(r.compareChunk(c.Build.Seed, chunk, columns, words))
	}
	if err := r.compareTrees(c, &all); err != nil {
		return suites.Outcome{}, err
	}
	for d := range c.Program.Shares {
		if err := r.compareMatrix(c, d, &all); err != nil {
			return suites.Outcome{}, err
		}
	}
	return all.Outcome("E1", fmt.Sprintf("F symmetric, x^T F x >= 0, tree over %d chunks exact, D = %d", r.chunks, r.d)), nil
}

// index is the position of element (i, j), i >= j, among the tiles.
func (r regression) index(i, j int64) int64 {
	ti, tj := i/tileEdge, j/tileEdge
	return (ti*(ti+1)/2+tj)*tileEdge*tileEdge + i%tileEdge*tileEdge + j%tileEdge
}

// weight is p (1-p) of a row.
func (r regression) weight(x func(int64) float64, b []float64, row int64) float64 {
	z := 0.0
	for j, c := range b {
		z += x(row*r.d+int64(j)) * c
	}
	e := math.Exp(-math.Abs(z))
	return e / ((1 + e) * (1 + e))
}

// compareChunk compares elements in the columns given. A weight carries the error of z,
// of which w is a function with |w'| <= w: E1 over the sum of |x b|, plus 32 u for its
// special functions and the products.
func (r regression) compareChunk(seed uint64, chunk int64, columns []int64, got []uint32) suites.Tally {
	x, coefficient := stream(seed, fisherNumber, fisherX), stream(seed, fisherNumber, fisherB)
	b := make([]float64, r.d)
	most := 0.0 // of the sum of |x b|
	for j := range b {
		b[j] = coefficient(int64(j))
		most += math.Abs(b[j])
	}
	rows := max(min(r.rows, r.n-chunk*r.rows), 0)
	weights, values := make([]float64, rows), make([][]float64, rows)
	suites.Spread(rows, func(lo, hi int64, _ *suites.Tally) {
		for k := lo; k < hi; k++ {
			row := chunk*r.rows + k
			weights[k] = r.weight(x, b, row)
			values[k] = make([]float64, len(columns))
			for e, j := range columns {
				values[k][e] = x(row*r.d + j)
			}
		}
	})
	chain := float64(r.d)/16 + 24
	relative := suites.E1(chain, most) + 32*suites.U
	return suites.Spread(int64(len(columns)), func(lo, hi int64, t *suites.Tally) {
		for e := lo; e < hi; e++ {
			for f := range e + 1 {
				var sum, magnitude float64
				for k, w := range weights {
					term := w * values[k][e] * values[k][f]
					sum += term
					magnitude += math.Abs(term)
				}
				at := r.index(columns[e], columns[f])
				t.Near("partials", chunk*r.stride()+at, got[at], sum, suites.E1(float64(r.rows), magnitude)+relative*magnitude)
			}
		}
	})
}

// compareTrees adds elements of all chunks up in the order of the canonical tree and
// compares them with every device's sum.
func (r regression) compareTrees(c *suites.Check, t *suites.Tally) error {
	first := suites.SampleIndices(c.Build.Seed, fisherNumber, 2, r.stride()/checkedTrees, 1)[0] * checkedTrees
	sums := make([][]float32, r.chunks)
	for u := range sums {
		words, err := c.Out.Words("partials", int64(u)*r.stride()+first, checkedTrees)
		if err != nil {
			return err
		}
		sums[u] = make([]float32, checkedTrees)
		for e, w := range words {
			sums[u][e] = math.Float32frombits(w)
		}
	}
	for s := 1; s < len(sums); s *= 2 {
		for i := 0; i+s < len(sums); i += 2 * s {
			for e := range sums[i] {
				sums[i][e] += sums[i+s][e]
			}
		}
	}
	for d := range c.Program.Shares {
		words, err := c.Out.LocalWords("sum", d, first, checkedTrees)
		if err != nil {
			return err
		}
		for e, w := range words {
			t.Float("sum", first+int64(e), w, sums[0][e])
		}
	}
	return nil
}

// compareMatrix compares one device's F with its sum over chunks, and checks that it is
// symmetric and not negative on random signs.
func (r regression) compareMatrix(c *suites.Check, device int, t *suites.Tally) error {
	f, err := c.Out.LocalWords("F", device, 0, r.d*r.d)
	if err != nil {
		return err
	}
	sum, err := c.Out.LocalWords("sum", device, 0, r.stride())
	if err != nil {
		return err
	}
	sign := suites.Stream{Seed: c.Build.Seed, Workload: fisherNumber, Array: 99}
	form, trace := 0.0, 0.0
	factor := 1 / float32(r.n)
	for i := range r.d {
		for j := range r.d {
			word := f[i*r.d+j]
			if want := math.Float32frombits(sum[r.index(max(i, j), min(i, j))]) * factor; word != bits(want) {
				t.Float("F", i*r.d+j, word, want)
			}
			if word != f[j*r.d+i] {
				t.Identity("F is symmetric", i, value(word), value(f[j*r.d+i]), 0)
			}
			x := 1 - 2*float64((sign.Word(i)^sign.Word(j))>>31)
			form += x * value(word)
			if i == j {
				trace += value(word)
			}
		}
	}
	t.Checked += r.d * r.d
	if form < 0 {
		// Rounding of n rows in every element, of which the trace bounds the sum.
		t.Identity("x^T F x >= 0", 0, form, 0, suites.E1(float64(r.rows), trace*float64(r.d)))
	}
	return nil
}
