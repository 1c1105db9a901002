package pinn

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
)

// field is a rectangle of the grid at two time levels in float64. Its first cell is
// (row, col) of the grid; beyond its ends it is taken as zero.
type field struct {
	row, col, rows, cols int64
	u, prev              []float64
}

// start is the rectangle at the start, zero outside the grid.
func (in initial) start(row, col, rows, cols int64) field {
	f := field{row, col, rows, cols, make([]float64, rows*cols), make([]float64, rows*cols)}
	for i := range rows {
		for j := range cols {
			if in.holds(row+i, col+j) {
				f.u[i*cols+j] = float64(in.at(0, row+i, col+j))
				f.prev[i*cols+j] = float64(in.at(1, row+i, col+j))
			}
		}
	}
	return f
}

func (w wave) holds(i, j int64) bool { return i >= 0 && i < w.height && j >= 0 && j < w.width }

// step advances by one time level. Where the rectangle ends inside the grid its outermost
// cells become wrong, one cell further in every step.
func (f *field) step(w wave) {
	l2 := float64(w.l2)
	value := func(i, j int64) float64 {
		if i < 0 || i >= f.rows || j < 0 || j >= f.cols {
			return 0
		}
		return f.u[i*f.cols+j]
	}
	suites.Spread(f.rows, func(lo, hi int64, _ *suites.Tally) {
		for i := lo; i < hi; i++ {
			for j := range f.cols {
				if w.holds(f.row+i, f.col+j) {
					at := i*f.cols + j
					sum := value(i-1, j) + value(i+1, j) + value(i, j-1) + value(i, j+1)
					f.prev[at] = 2*f.u[at] - f.prev[at] + l2*(sum-4*f.u[at])
				}
			}
		}
	})
	f.u, f.prev = f.prev, f.u
}

// energy is the discrete energy of a whole grid, which leapfrog keeps exactly:
// |u - u_prev|^2 + l2 <grad u, grad u_prev>, edges to the zeros outside included.
func energy(u, prev []float64, rows, cols int64, l2 float64) float64 {
	sum := 0.0
	for i := range rows {
		for j := range cols {
			at := i*cols + j
			d := u[at] - prev[at]
			right, down, prevRight, prevDown := 0.0, 0.0, 0.0, 0.0
			if j+1 < cols {
				right, prevRight = u[at+1], prev[at+1]
			}
			if i+1 < rows {
				down, prevDown = u[at+cols], prev[at+cols]
			}
			sum += d*d + l2*((right-u[at])*(prevRight-prev[at])+(down-u[at])*(prevDown-prev[at]))
			if i == 0 {
				sum += l2 * u[at] * prev[at]
			}
			if j == 0 {
				sum += l2 * u[at] * prev[at]
			}
		}
	}
	return sum
}

const (
	// wholeCells bounds the cells times steps of a check of the whole grid.
	wholeCells = 1 << 26
	patchEdge  = 16
	patches    = 8
	maxField   = 1.125 // of the start: the Gaussian and the mode in the middle
)

// tolerance is 5e-6 of the largest value a 1,000 steps, and besides what rounding adds on
// fine grids: a second difference sums errors of u/2 a step twice, so that independent ones
// grow as the power 3/2 of the steps.
func (w wave) tolerance() float64 {
	steps := float64(w.steps)
	return maxField * (5e-6*max(1, steps/1000) + suites.U*steps*math.Sqrt(steps))
}

// Verify computes the whole grid when the check is full or cheap, else patches through the
// part of the start on which they depend.
func (fdtd) Verify(c *suites.Check) (suites.Outcome, error) {
	w, err := waveOf(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	in := w.initial()
	if c.Full || w.height*w.width*w.steps <= wholeCells {
		return in.whole(c)
	}
	var all suites.Tally
	chosen := w.choose(c)
	tallies := make([]suites.Tally, len(chosen))
	errs := make([]error, len(chosen))
	for n, p := range chosen {
		s := w.steps
		f := in.start(p[0]-s, p[1]-s, patchEdge+2*s, patchEdge+2*s)
		for range s {
			f.step(w)
		}
		tallies[n], errs[n] = w.compare(c, f, p[0], p[1])
	}
	for n := range chosen {
		if errs[n] != nil {
			return suites.Outcome{}, errs[n]
		}
		all.Add(tallies[n])
	}
	return all.Outcome("E3", fmt.Sprintf("%d patches at the borders between shares and elsewhere recomputed from the start", len(chosen))), nil
}

// choose are the corners of the patches of a sampled check.
func (w wave) choose(c *suites.Check) (out [][2]int64) {
	at := suites.SampleIndices(c.Build.Seed, fdtdNumber, 0, w.height*w.width, patches)
	for _, s := range c.Program.Shares {
		if s.Len() > 0 {
			at = append(at, max(s.Lo-patchEdge/2, 0)*w.width+w.width/2)
		}
	}
	for _, i := range at {
		out = append(out, [2]int64{max(min(i/w.width, w.height-patchEdge), 0), max(min(i%w.width, w.width-patchEdge), 0)})
	}
	return out
}

// compare compares the patch at a corner with the middle of its field.
func (w wave) compare(c *suites.Check, f field, row, col int64) (t suites.Tally, err error) {
	for i := row; i < min(row+patchEdge, w.height); i++ {
		n := min(patchEdge, w.width-col)
		for name, want := range map[string][]float64{"u": f.u, "u_prev": f.prev} {
			got, err := c.Out.Words(name, i*w.pitch+col, n)
			if err != nil {
				return t, err
			}
			for j, g := range got {
				t.Near(name, i*w.pitch+col+int64(j), g, want[(i-f.row)*f.cols+col-f.col+int64(j)], w.tolerance())
			}
		}
	}
	return t, nil
}

// whole compares every cell and the energy at the end with that at the start.
func (in initial) whole(c *suites.Check) (suites.Outcome, error) {
	w := in.wave
	f := in.start(0, 0, w.height, w.width)
	first := energy(f.u, f.prev, w.height, w.width, float64(w.l2))
	for range w.steps {
		f.step(w)
	}
	var all suites.Tally
	levels := [2][]float64{}
	for n, want := range [2][]float64{f.u, f.prev} {
		name := sets[0][n]
		words, err := c.Out.Words(name, 0, w.height*w.pitch)
		if err != nil {
			return suites.Outcome{}, err
		}
		levels[n] = make([]float64, w.height*w.width)
		all.Add(suites.Spread(w.height, func(lo, hi int64, t *suites.Tally) {
			for i := lo; i < hi; i++ {
				for j := range w.width {
					at := i*w.pitch + j
					levels[n][i*w.width+j] = float64(math.Float32frombits(words[at]))
					t.Near(name, at, words[at], want[i*w.width+j], w.tolerance())
				}
				for at := i*w.pitch + w.width; at < (i+1)*w.pitch; at++ {
					t.Bits(name, at, words[at], 0)
				}
			}
		}))
	}
	last := energy(levels[0], levels[1], w.height, w.width, float64(w.l2))
	all.Identity("discrete energy is kept", 0, last, first, 1e-5*first*max(1, float64(w.steps)/1000))
	return all.Outcome("E3", "discrete energy at the end equals that at the start"), nil
}
