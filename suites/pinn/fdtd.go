// Package pinn holds the wave equation: solved on a grid (pinn/wave-fdtd) and by training
// a network (pinn/train).
package pinn

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const fdtdNumber = 37

func init() { suites.Register(fdtd{}) }

type fdtd struct{}

const (
	maxGrid = 1 << 20
	// mostPass is the most steps of one pass, LANES the width of the kernel's work-group.
	mostPass  = 8
	fdtdLanes = 128
	// fdtdGroups is how many work-groups a launch is cut into: two rounds of the largest
	// GPUs. A band makes leastRows rows or more, as it loads twice a pass's steps besides.
	fdtdGroups = 1584
	leastRows  = 8
	// courantUnit is the unit of the parameter courant.
	courantUnit = 1000
)

func (fdtd) Info() suites.Info {
	return suites.Info{
		ID: "pinn/wave-fdtd", Number: fdtdNumber,
		Doc:           "Two-dimensional wave equation by leapfrog on a grid with u = 0 outside, several steps a pass",
		Source:        "kwavers; Courant, Friedrichs, Lewy 1928",
		Formula:       "u+ = 2u - u- + l2 (sum of 4 neighbours - 4u), l2 = (c dt/dx)^2",
		Sizes:         suites.Sizes{S: 256, M: 8192, L: 32000},
		Note:          "L is 32000 and not the specification's 32768, whose grids of 4 GiB are one byte more than a binding shows",
		SizeUnit:      "edge of the square grid in cells",
		WorkUnit:      "cell",
		Flops:         "9 per cell and step",
		Bytes:         "12 per cell and step, at most 16 per cell and pass of several steps",
		Splits:        []string{"bands"},
		Communication: "halo: 2 h W 4 B of both time levels received per device every h steps, of one level when h = 1",
		Tolerance:     "E3: 5e-6 max|u| a 1,000 steps and u steps^1.5; discrete energy; D0",
		Weak:          "rows proportional to the number of devices",
		State:         sets[0][:],
		Params: []suites.Param{
			{Name: "steps", Doc: "steps of one iteration, an even number", Default: 100, Min: 2, Max: 100000, Multiple: 2},
			{Name: "halo", Doc: "rows exchanged at a time, h; also the steps between exchanges", Default: 20, Min: 1, Max: 1024},
			{Name: "pass", Doc: "steps of one pass over memory", Default: 4, Min: 1, Max: mostPass},
			{Name: "overlap", Doc: "1: the first pass behind an exchange is made in two parts, the interior while the halo travels", Default: 0, Min: 0, Max: 1},
			{Name: "courant", Doc: "1000 (c dt/dx)^2", Default: 400, Min: 1, Max: courantUnit / 2},
		},
	}
}

// wave is the problem: what the outputs depend on.
type wave struct {
	height, width, pitch int64
	steps                int64
	l2                   float32
	overlap              bool
}

func waveOf(b suites.Build) (wave, error) {
	w := wave{height: b.Size, width: b.Size, steps: b.Params["steps"], overlap: b.Params["overlap"] == 1, l2: float32(float64(b.Params["courant"]) / courantUnit)}
	if b.Weak {
		w.width = b.Base
	}
	if w.height < 1 || w.width < 1 || w.width > maxGrid || w.height > maxGrid*1024 {
		return w, fmt.Errorf("pinn/wave-fdtd: a grid of %d by %d cells: choose a size from 1 to %d", w.height, w.width, int64(maxGrid))
	}
	if w.steps%2 != 0 {
		return w, fmt.Errorf("pinn/wave-fdtd: %d steps: choose an even number, the grid alternates between two pairs of arrays", w.steps)
	}
	w.pitch = (w.width + 3) / 4 * 4
	return w, nil
}

// sets are the pairs of arrays that hold two time levels: u and the one before.
var sets = [2][2]string{{"u", "u_prev"}, {"v", "v_prev"}}

func (fdtd) Build(b suites.Build) (*program.Program, error) {
	w, err := waveOf(b)
	if err != nil {
		return nil, err
	}
	halo := min(max(b.Params["halo"], 1), w.steps)
	pass := min(max(b.Params["pass"], 1), halo)
	shares := b.Divide(w.height, 1)
	for d, s := range shares {
		if n := s.Len(); n > 0 && n < halo && n < w.height {
			return nil, fmt.Errorf("pinn/wave-fdtd: a halo of %d rows is deeper than the %d rows of device %d: choose --param halo=%d, a larger --size or fewer devices",
				halo, n, d, n)
		}
	}
	in := w.initial()
	p := &program.Program{Units: w.height, Shares: shares, Evolves: true}
	for i, set := range sets {
		for level, name := range set {
			a := program.Array{Name: name, Elem: program.F32, Layout: program.Split, Units: w.height, Stride: w.pitch,
				Halo: halo, Source: program.Source{Kind: program.Zero}}
			if i == 0 {
				a.Output = true
				a.Source = program.Source{Kind: program.Made, Make: func(_ int, first int64, into []uint32) { in.fill(level, first, into) }}
			}
			p.Arrays = append(p.Arrays, a)
		}
	}
	for k := int64(1); k <= pass; k++ {
		p.Kernels = append(p.Kernels, program.Kernel{Name: kernelOf(k), Shader: "pinn/fdtd", Spec: []program.Spec{{ID: 1, Value: uint32(k)}}})
	}
	p.Steps = w.evolution(halo, pass, shares)
	p.Work = float64(w.height) * float64(w.width) * float64(w.steps)
	p.Flops, p.Bytes = 9*p.Work, min(12, 16/float64(pass))*p.Work
	return p, nil
}

func kernelOf(k int64) string { return fmt.Sprintf("advance%d", k) }

// initial is the state at the start, a Gaussian of width 0.05 in the middle of the unit
// square on the slowest mode, so that no cell is ever still, at rest: the level before is
// the level after, u + l2/2 (sum of neighbours - 4u). Both are sums of products of a
// function of the row and one of the column.
type initial struct {
	wave
	row, column [2][]float64 // Gaussian and mode, with one cell more on both sides
}

func (w wave) initial() initial {
	axis := func(n int64) (out [2][]float64) {
		for i := int64(-1); i <= n; i++ {
			x := float64(i+1) / float64(n+1)
			inside := i >= 0 && i < n
			g, m := math.Exp(-(x-0.5)*(x-0.5)/(2*0.05*0.05)), math.Sin(math.Pi*x)
			if !inside || g < 1e-12 { // far below what is seen beside the mode
				g = 0
			}
			if !inside {
				m = 0
			}
			out[0], out[1] = append(out[0], g), append(out[1], m)
		}
		return out
	}
	return initial{w, axis(w.height), axis(w.width)}
}

// at is level 0, u, or 1, the one before, of a cell. Halfway between them the grid rests.
func (in initial) at(level int, i, j int64) float32 {
	r := [2]float64{in.row[0][i+1], in.row[1][i+1]}
	c := [2]float64{in.column[0][j+1], in.column[1][j+1]}
	u := r[0]*c[0] + r[1]*c[1]/8
	if level == 0 {
		return float32(u)
	}
	vertical := (in.row[0][i]+in.row[0][i+2])*c[0] + (in.row[1][i]+in.row[1][i+2])*c[1]/8
	horizontal := (in.column[0][j]+in.column[0][j+2])*r[0] + (in.column[1][j]+in.column[1][j+2])*r[1]/8
	return float32(u + float64(in.l2)/2*(vertical+horizontal-4*u))
}

// fill makes the words of a level from a global element index on.
func (in initial) fill(level int, first int64, into []uint32) {
	i, j := first/in.pitch, first%in.pitch
	for k := range into {
		into[k] = 0
		if j < in.width && i < in.height {
			into[k] = math.Float32bits(in.at(level, i, j))
		}
		if j++; j == in.pitch {
			i, j = i+1, 0
		}
	}
}
