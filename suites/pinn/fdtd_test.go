package pinn

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestModeMovesAsItMust: the slowest mode of the grid is u0 cos(n w) with
// cos w = 1 - 2 l2 (sin^2(pi/2(H+1)) + sin^2(pi/2(W+1))).
func TestModeMovesAsItMust(t *testing.T) {
	w := wave{height: 23, width: 37, pitch: 40, steps: 500, l2: 0.4}
	in := w.initial()
	for _, axis := range [][]float64{in.row[0], in.column[0]} {
		clear(axis) // no Gaussian
	}
	f := in.start(0, 0, w.height, w.width)
	for range w.steps {
		f.step(w)
	}
	half := func(n int64) float64 { s := math.Sin(math.Pi / 2 / float64(n+1)); return s * s }
	omega := math.Acos(1 - 2*float64(w.l2)*(half(w.height)+half(w.width)))
	for i := range w.height {
		for j := range w.width {
			want := in.row[1][i+1] * in.column[1][j+1] / 8 * math.Cos(float64(w.steps)*omega)
			if got := f.u[i*w.width+j]; math.Abs(got-want) > 1e-5/8 {
				t.Fatalf("cell (%d,%d) is %.9g, want %.9g", i, j, got, want)
			}
		}
	}
}

func TestEnergyIsKept(t *testing.T) {
	for _, w := range []wave{{height: 31, width: 18, pitch: 20, l2: 0.5}, {height: 1, width: 40, pitch: 40, l2: 0.3}, {height: 9, width: 1, pitch: 4, l2: 0.1}} {
		f := w.initial().start(0, 0, w.height, w.width)
		first := energy(f.u, f.prev, w.height, w.width, float64(w.l2))
		for range 1000 {
			f.step(w)
		}
		if last := energy(f.u, f.prev, w.height, w.width, float64(w.l2)); math.Abs(last-first) > 1e-11*first || first <= 0 {
			t.Errorf("%+v: energy %.15g after %.15g", w, last, first)
		}
	}
}

// TestGolden: the grid of four cells after one step, by hand. With l2 = 1/4 the new level
// equals u + l2/2 (sum - 4u), which is u/2 + (two equal neighbours)/8 = 3u/4.
func TestGolden(t *testing.T) {
	w := wave{height: 2, width: 2, pitch: 4, l2: 0.25}
	f := w.initial().start(0, 0, 2, 2)
	// u: the Gaussian exp(-(1/6)^2/(2 0.05^2)) = 0.003865920 in each direction, the mode sin(pi/3)^2/8 = 3/32.
	want := 0.0038659201*0.0038659201 + 0.09375
	if math.Abs(f.u[0]-want) > 1e-8 || math.Abs(f.prev[3]-0.75*want) > 1e-8 {
		t.Fatalf("start %v %v, want %v", f.u, f.prev, want)
	}
	f.step(w)
	for _, v := range f.u {
		if math.Abs(v-0.75*want) > 1e-8 {
			t.Errorf("after a step %v, want %v", f.u, 0.75*want)
		}
	}
}

func TestPatchesAgreeWithWhole(t *testing.T) {
	w := wave{height: 90, width: 70, pitch: 72, steps: 20, l2: 0.4}
	in := w.initial()
	whole := in.start(0, 0, w.height, w.width)
	for range w.steps {
		whole.step(w)
	}
	for _, corner := range [][2]int64{{0, 0}, {40, 30}, {74, 54}} {
		f := in.start(corner[0]-w.steps, corner[1]-w.steps, patchEdge+2*w.steps, patchEdge+2*w.steps)
		for range w.steps {
			f.step(w)
		}
		for i := range int64(patchEdge) {
			for j := range int64(patchEdge) {
				got, want := f.u[(i+w.steps)*f.cols+j+w.steps], whole.u[(corner[0]+i)*w.width+corner[1]+j]
				if got != want {
					t.Fatalf("patch %v cell (%d,%d): %v, want %v", corner, i, j, got, want)
				}
			}
		}
	}
}

// TestSchedule follows which level every array holds, and over how many rows.
func TestSchedule(t *testing.T) {
	for _, n := range []int64{40, 257} {
		for count := 1; count <= 3; count++ {
			for _, halo := range []int64{1, 2, 3, 5, 8, 12} {
				for _, pass := range []int64{1, 2, 3, 4, 8} {
					for _, steps := range []int64{2, 4, 10, 26, 100} {
						b := suitetest.Build(fdtd{}, n, count)
						b.Params["halo"], b.Params["pass"], b.Params["steps"] = halo, pass, steps
						p, err := fdtd{}.Build(b)
						if err != nil {
							t.Fatal(err)
						}
						if err := suitetest.Invariants(p, count); err != nil {
							t.Fatalf("n %d on %d, halo %d, pass %d, steps %d: %v", n, count, halo, pass, steps, err)
						}
						if got := follow(t, p); got != steps {
							t.Errorf("n %d halo %d pass %d: %d steps, want %d", n, halo, pass, got, steps)
						}
					}
				}
			}
		}
	}
}

// follow returns the level that "u" ends with.
func follow(t *testing.T, p *program.Program) int64 {
	t.Helper()
	level, reach := map[string]int64{"u": 0, "u_prev": -1}, map[string]int64{}
	middle := len(p.Shares) / 2
	var walk func([]program.Step)
	walk = func(list []program.Step) {
		for _, s := range list {
			switch s := s.(type) {
			case program.Repeat:
				for range s.Times {
					walk(s.Body)
				}
			case program.Exchange:
				for _, name := range s.Arrays {
					reach[name] = s.Depth
				}
			case program.Dispatch:
				k, l := s.Bind[0].Before, s.On[middle]
				around := s.On[len(s.On)-1].Units - p.Shares[len(s.On)-1].Len() // of the last share: above only
				if len(p.Shares) == 1 {
					around = 0
				}
				if len(p.Shares) == 3 && (l.First != -around || l.Units != p.Shares[middle].Len()+2*around) {
					t.Fatalf("launch %+v is not centred on the share", l)
				}
				from, old, to := s.Bind[0].Array, s.Bind[1].Array, s.Bind[2].Array
				if len(p.Shares) > 1 && (reach[from] < around+k || k > 1 && reach[old] < around+k-1) {
					t.Fatalf("%d steps over %d halo rows read %d and %d that are right", k, around, reach[from], reach[old])
				}
				if level[old] != level[from]-1 {
					t.Fatalf("levels %d and %d", level[from], level[old])
				}
				level[to], reach[to] = level[from]+k, around
				level[s.Bind[3].Array], reach[s.Bind[3].Array] = level[from]+k-1, around
			}
		}
	}
	walk(p.Steps)
	return level["u"]
}

// TestOverlapCovers: the interior and the edges of a pass are the rows of one made in one
// go, once each, and the interior reads rows of its own share only.
func TestOverlapCovers(t *testing.T) {
	for _, count := range []int{1, 2, 3} {
		b := suitetest.Build(fdtd{}, 80, count)
		plain, err := fdtd{}.Build(b)
		if err != nil {
			t.Fatal(err)
		}
		b.Params["overlap"] = 1
		p, err := fdtd{}.Build(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := suitetest.Invariants(p, count); err != nil {
			t.Fatal(err)
		}
		body, once := p.Steps[0].(program.Repeat).Body, plain.Steps[0].(program.Repeat).Body
		overlap, ok := body[0].(program.Overlap)
		if !ok || len(overlap.Body) != 1 {
			t.Fatalf("no overlap in %T", body[0])
		}
		for d, s := range p.Shares {
			inner := overlap.Body[0].On[d]
			k := overlap.Body[0].Bind[0].Before
			if inner.First-k < 0 || inner.First+inner.Units+k > s.Len() {
				t.Errorf("the interior of device %d, %+v, reaches into the halo of %d rows", d, inner, s.Len())
			}
			rows := map[int64]int{}
			for _, l := range []program.Launch{inner, body[1].(program.Dispatch).On[d], body[2].(program.Dispatch).On[d]} {
				for r := l.First; r < l.First+l.Units; r++ {
					rows[r]++
				}
			}
			want := once[1].(program.Dispatch).On[d]
			for r := want.First; r < want.First+want.Units; r++ {
				if rows[r] != 1 {
					t.Errorf("row %d of device %d is made %d times", r, d, rows[r])
				}
			}
			if int64(len(rows)) != want.Units {
				t.Errorf("device %d makes %d rows, want %d", d, len(rows), want.Units)
			}
		}
	}
	b := suitetest.Build(fdtd{}, 16, 2) // shares of 8 rows have no interior behind passes of 4 steps
	b.Params["overlap"], b.Params["halo"] = 1, 8
	p, err := fdtd{}.Build(b)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := p.Steps[0].(program.Repeat).Body[0].(program.Exchange); !ok {
		t.Error("an overlap without an interior")
	}
}

func TestFdtdRefuses(t *testing.T) {
	for _, c := range []struct {
		size, steps int64
		count       int
		want        string
	}{{0, 10, 1, "choose a size from 1"}, {maxGrid + 1, 10, 1, "choose a size from 1"}, {64, 7, 1, "even number"}, {30, 100, 2, "halo=15"}} {
		b := suitetest.Build(fdtd{}, c.size, c.count)
		b.Params["steps"] = c.steps
		if _, err := (fdtd{}).Build(b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

// TestFdtdVerify: right grids pass whole and in patches, and one wrong cell at a border is seen.
func TestFdtdVerify(t *testing.T) {
	for _, n := range []int64{100, 1200} {
		b := suitetest.Build(fdtd{}, n, 3)
		p, err := fdtd{}.Build(b)
		if err != nil {
			t.Fatal(err)
		}
		w, _ := waveOf(b)
		f := w.initial().start(0, 0, n, n)
		for range w.steps {
			f.step(w)
		}
		arrays := map[string][]uint32{}
		for name, level := range map[string][]float64{"u": f.u, "u_prev": f.prev} {
			for _, v := range level {
				arrays[name] = append(arrays[name], math.Float32bits(float32(v)))
			}
		}
		check := &suites.Check{Build: b, Program: p, Full: n == 100, Out: suitetest.Memory{Arrays: arrays}}
		if out, err := (fdtd{}).Verify(check); err != nil || out.Wrong != "" || out.Checked < suites.MinSampled {
			t.Fatalf("%d: right grid: %v %+v", n, err, out)
		}
		at := p.Shares[1].Lo*n + n/2
		arrays["u"][at] = math.Float32bits(math.Float32frombits(arrays["u"][at]) + 1e-4)
		if out, err := (fdtd{}).Verify(check); err != nil || out.Wrong == "" {
			t.Errorf("%d: a wrong cell passed: %v", n, err)
		}
	}
}
