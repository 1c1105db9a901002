package dual

import (
	"fmt"
	"math"
	"sync"

	"github.com/amgpu/amgpu/suites"
)

// rosenbrock is value and closed-form gradient of f in float64; sizes are the same sums
// over the magnitudes of everything added and subtracted.
func rosenbrock(x []float64) (f, size float64, gradient, sizes []float64) {
	gradient, sizes = make([]float64, len(x)), make([]float64, len(x))
	for i := range len(x) - 1 {
		a, b := x[i], x[i+1]
		valley, off := b-a*a, 1-a
		widest, far := math.Abs(b)+a*a, 1+math.Abs(a)
		f += 100*valley*valley + off*off
		size += 100*widest*widest + far*far
		gradient[i] += -400*a*valley - 2*off
		sizes[i] += 400*math.Abs(a)*widest + 2*far
		gradient[i+1] += 200 * valley
		sizes[i+1] += 200 * widest
	}
	return f, size, gradient, sizes
}

// point reads the coordinates of a point.
func point(seed uint64, at int64) []float64 {
	in := suites.Stream{Seed: seed, Workload: gradientNumber, Array: coordinates.ID}
	x := make([]float64, variables)
	for j := range x {
		x[j] = float64(in.F32(at*variables+int64(j), coordinates.A, coordinates.B))
	}
	return x
}

// differences is the gradient without any rule of differentiation: component j is
// h^-1 Im f(x + i h e_j), in complex numbers.
func differences(x []float64) []float64 {
	const h = 1e-30
	z, out := make([]complex128, len(x)), make([]float64, len(x))
	for j, v := range x {
		z[j] = complex(v, 0)
	}
	for j, v := range x {
		z[j] = complex(v, h)
		var f complex128
		for i := range len(z) - 1 {
			valley, off := z[i+1]-z[i]*z[i], 1-z[i]
			f += 100*valley*valley + off*off
		}
		out[j] = imag(f) / h
		z[j] = complex(v, 0)
	}
	return out
}

// derived compares a device's gradient at point number at with complex-step differences.
func derived(t *suites.Tally, at int64, x []float64, got []uint32, sizes []float64) {
	for j, want := range differences(x) {
		t.Identity(fmt.Sprintf("component %d = complex-step difference", j), at,
			float64(math.Float32frombits(got[j])), want, suites.E1(variables-1, sizes[j]))
	}
}

// mostPoints bounds the points of a chunk that a check looks at when it is not full.
const mostPoints = 16

// Verify compares gradients and values with the closed form, and the gradient of the first
// point of each chunk with complex-step differences of f. Of the sum over all points it
// checks the partials of chunks against the device's own gradients, added in the same
// order, and the total against the tree over all partials, both exactly.
func (gradient) Verify(c *suites.Check) (suites.Outcome, error) {
	each, chunks, batch := chunkPoints(c.Build.Size), c.Program.Units, c.Build.Params["batch"] == 1
	step := int64(1)
	if !c.Full {
		step = max(1, each/mostPoints)
	}
	var mu sync.Mutex
	sums := map[int64][]float32{} // of the chunks looked at
	tally, err := c.EachUnit("gradient", chunks, func(chunk int64, got []uint32, t *suites.Tally) {
		for k := int64(0); k < each; k += step {
			at := chunk*each + k
			x := point(c.Build.Seed, at)
			_, _, want, sizes := rosenbrock(x)
			if k == 0 {
				derived(t, at, x, got, sizes)
			}
			for j, x := range want {
				t.Near("gradient", at*variables+int64(j), got[k*variables+int64(j)], x, suites.E1(variables-1, sizes[j]))
			}
		}
		if batch {
			s := chunkSums(got, min(each, c.Build.Size-chunk*each))
			mu.Lock()
			sums[chunk] = s
			mu.Unlock()
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	values, err := c.EachUnit("value", chunks, func(chunk int64, got []uint32, t *suites.Tally) {
		for k := int64(0); k < each; k += step {
			f, size, _, _ := rosenbrock(point(c.Build.Seed, chunk*each+k))
			t.Near("value", chunk*each+k, got[k], f, suites.E1(variables-1, size))
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	tally.Add(values)
	const self = "gradients of the device = complex-step differences of the function"
	if !batch {
		return tally.Outcome("E1", self), nil
	}
	if err := totals(c, sums, &tally); err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E1", self+"; sums of chunks and their tree exact on every device"), nil
}

// totals checks partials of chunks and every device's sum over all points.
func totals(c *suites.Check, sums map[int64][]float32, t *suites.Tally) error {
	partials, err := c.Out.Words("partials", 0, c.Program.Units*variables)
	if err != nil {
		return err
	}
	for chunk, want := range sums {
		for j, x := range want {
			at := chunk*variables + int64(j)
			t.Float("partials", at, partials[at], x)
		}
	}
	want := tree(partials)
	for d := range c.Program.Shares {
		got, err := c.Out.LocalWords("total", d, 0, variables)
		if err != nil {
			return err
		}
		for j, x := range want {
			t.Float("total", int64(j), got[j], x)
		}
	}
	return nil
}

// tree adds the partials of all chunks as program.ByChunk says: level by level chunk i
// absorbs chunk i+s.
func tree(partials []uint32) []float32 {
	p := make([]float32, len(partials))
	for i, w := range partials {
		p[i] = math.Float32frombits(w)
	}
	for s := variables; s < len(p); s *= 2 {
		for i := 0; i+s < len(p); i += 2 * s {
			for j := range variables {
				p[i+j] += p[i+s+j]
			}
		}
	}
	return p[:variables]
}

// chunkSums adds gradients as the kernel does.
func chunkSums(g []uint32, points int64) []float32 {
	sums := make([]float32, variables)
	for j := range sums {
		var runs [4]float32
		for p := range points {
			runs[p%4] += math.Float32frombits(g[p*variables+int64(j)])
		}
		sums[j] = (runs[0] + runs[1]) + (runs[2] + runs[3])
	}
	return sums
}
