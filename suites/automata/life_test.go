package automata

import (
	"math/bits"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestRuleCellByCell compares the packed reference with the rule on single cells.
func TestRuleCellByCell(t *testing.T) {
	const height, words = 37, 3
	stream := suites.Stream{Seed: 5}
	cells := make([]uint32, height*words)
	for i := range cells {
		cells[i] = stream.Word(int64(i))
	}
	alive := func(b []uint32, y, x int) uint32 {
		y, x = (y+height)%height, (x+words*32)%(words*32)
		return b[y*words+x/32] >> (x % 32) & 1
	}
	next := evolve(cells, height, words, 1)
	for y := range height {
		for x := range words * 32 {
			n := uint32(0)
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					if dy != 0 || dx != 0 {
						n += alive(cells, y+dy, x+dx)
					}
				}
			}
			want := uint32(0)
			if n == 3 || n == 2 && alive(cells, y, x) == 1 {
				want = 1
			}
			if got := alive(next, y, x); got != want {
				t.Fatalf("cell (%d,%d) with %d neighbours is %d", x, y, n, got)
			}
		}
	}
}

// TestGlider: a glider moves by (1,1) every four steps, across word borders and
// around the torus, and keeps five cells.
func TestGlider(t *testing.T) {
	const height, words = 64, 2
	put := func(x, y int) []uint32 {
		b := make([]uint32, height*words)
		for _, c := range [][2]int{{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}} {
			i, j := (y+c[1])%height, (x+c[0])%(words*32)
			b[i*words+j/32] |= 1 << (j % 32)
		}
		return b
	}
	start := put(27, 40)
	for moved := range 64 {
		got, want := evolve(start, height, words, int64(4*moved)), put(27+moved, 40+moved)
		population := 0
		for i := range got {
			population += bits.OnesCount32(got[i])
			if got[i] != want[i] {
				t.Fatalf("after %d steps word %d is %08x, want %08x", 4*moved, i, got[i], want[i])
			}
		}
		if population != 5 {
			t.Fatalf("population %d after %d steps", population, 4*moved)
		}
	}
}

// TestPulsar: the pulsar has period three and populations 48, 56 and 72.
func TestPulsar(t *testing.T) {
	const height, words = 64, 2
	b := make([]uint32, height*words)
	for _, line := range []int{0, 5, 7, 12} {
		for _, at := range []int{2, 3, 4, 8, 9, 10} {
			for _, c := range [][2]int{{25 + line, 25 + at}, {25 + at, 25 + line}} {
				b[c[1]*words+c[0]/32] |= 1 << (c[0] % 32)
			}
		}
	}
	for gen, want := range []int{48, 56, 72, 48, 56, 72, 48} {
		population := 0
		for _, w := range evolve(b, height, words, int64(gen)) {
			population += bits.OnesCount32(w)
		}
		if population != want {
			t.Errorf("generation %d has %d cells, want %d", gen, population, want)
		}
	}
}

func TestConeAgreesWithBoard(t *testing.T) {
	bd := board{height: 70, words: 5, steps: 40} // the cone is larger than the board
	initial := suites.Stream{Seed: 9, Workload: 21, Array: idBoard}
	cells := make([]uint32, bd.height*bd.words)
	for i := range cells {
		cells[i] = initial.Word(int64(i))
	}
	want := evolve(cells, bd.height, bd.words, bd.steps)
	for _, p := range []patch{{0, 4, 0, 2}, {66, 4, 3, 2}, {30, 7, 1, 3}} {
		got := p.cone(initial.Word, bd)
		for i := range p.rows {
			for j := range p.cols {
				if g, w := got[i*p.cols+j], want[(p.row+i)*bd.words+p.col+j]; g != w {
					t.Fatalf("patch %v word (%d,%d) is %08x, want %08x", p, i, j, g, w)
				}
			}
		}
	}
}

// build makes a program of passes of one step with the given halo and steps.
func build(t *testing.T, b suites.Build, halo, steps int64) *program.Program {
	t.Helper()
	b.Params["halo"], b.Params["steps"] = halo, steps
	b.Tuning = map[string]int64{"pass": 1}
	p, err := life{}.Build(b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestBuildShapes(t *testing.T) {
	for _, n := range []int64{32, 96, 256, 8192} {
		for _, count := range []int{1, 2, 3} {
			for _, halo := range []int64{1, 3, 8} {
				for _, steps := range []int64{2, 10, 16} {
					for _, b := range []suites.Build{
						suitetest.Build(life{}, n, count), suitetest.Weak(life{}, n, count),
						suitetest.Uneven(suitetest.Build(life{}, n, count)),
					} {
						b.Params["overlap"] = steps / 2 % 6 // 1, 5, 2
						p := build(t, b, halo, steps)
						if err := suitetest.Invariants(p, count); err != nil {
							t.Fatalf("n %d on %d, halo %d: %v", n, count, halo, err)
						}
						if got := replay(t, p); got != steps {
							t.Errorf("n %d halo %d: %d steps, want %d", n, halo, got, steps)
						}
					}
				}
			}
		}
	}
}

// A large board overlaps one step unless told otherwise, a small one none.
func TestOverlapChosen(t *testing.T) {
	for _, c := range []struct{ size, asked, want int64 }{
		{8192, -1, 0}, {65536, -1, 1}, {8192, 3, 3}, {65536, 0, 0}, {8192, 100, 8},
	} {
		b := suitetest.Build(life{}, c.size, 2)
		b.Params["overlap"] = c.asked
		var got int64
		var walk func([]program.Step)
		walk = func(list []program.Step) {
			for _, s := range list {
				switch s := s.(type) {
				case program.Repeat:
					walk(s.Body)
				case program.Overlap:
					got = int64(len(s.Body))
				}
			}
		}
		walk(build(t, b, 8, 16).Steps)
		if got != c.want {
			t.Errorf("size %d, overlap %d: %d steps overlap, want %d", c.size, c.asked, got, c.want)
		}
	}
}

// replay follows which generation every row of every array is of, on one device that has
// rows, and returns the one that "board" ends with.
func replay(t *testing.T, p *program.Program) int64 {
	t.Helper()
	share := 0
	for d, s := range p.Shares {
		if s.Len() > 0 {
			share = d
		}
	}
	r := replayed{t: t, device: share, rows: p.Shares[share].Len(), halo: p.Arrays[0].Halo}
	r.of = map[string][]int64{"board": make([]int64, r.rows+2*r.halo), "other": make([]int64, r.rows+2*r.halo)}
	for i := range r.of["board"] {
		r.of["other"][i] = -1 // holds nothing yet
		if at := int64(i) - r.halo; at < 0 || at >= r.rows {
			r.of["board"][i] = -1
		}
	}
	r.walk(p.Steps)
	for i := range r.rows {
		if g := r.of["board"][r.halo+i]; g != r.of["board"][r.halo] {
			t.Fatalf("row %d ends as generation %d, row 0 as %d", i, g, r.of["board"][r.halo])
		}
	}
	return r.of["board"][r.halo]
}

type replayed struct {
	t          *testing.T
	device     int
	rows, halo int64
	of         map[string][]int64 // by array and row, from -halo on
	// While something travels: the array, and the depth of the rows read inside and
	// written outside the share.
	travels string
	depth   int64
}

func (r *replayed) walk(list []program.Step) {
	for _, s := range list {
		switch s := s.(type) {
		case program.Repeat:
			for range s.Times {
				r.walk(s.Body)
			}
		case program.Exchange:
			r.exchange(s)
		case program.Overlap:
			x := s.Comm.(program.Exchange)
			r.travels, r.depth = x.Arrays[0], x.Depth
			for _, d := range s.Body {
				r.dispatch(d)
			}
			r.travels = ""
			r.exchange(x)
		case program.Dispatch:
			r.dispatch(s)
		}
	}
}

// exchange: all devices are alike, so halo rows get what rows at the other end hold.
func (r *replayed) exchange(s program.Exchange) {
	a := r.of[s.Arrays[0]]
	for i := range s.Depth {
		a[r.halo-1-i], a[r.halo+r.rows+i] = a[r.halo+r.rows-1-i], a[r.halo+i]
	}
}

func (r *replayed) dispatch(s program.Dispatch) {
	from, to := r.of[s.Bind[0].Array], r.of[s.Bind[1].Array]
	l := s.On[r.device]
	for i := l.First; i < l.First+l.Units; i++ {
		g := from[r.halo+i]
		if g < 0 || from[r.halo+i-1] != g || from[r.halo+i+1] != g {
			r.t.Fatalf("row %d is made of generations %v", i, from[r.halo+i-1:r.halo+i+2])
		}
		if r.travels == s.Bind[0].Array && (i-1 < 0 || i+1 >= r.rows) || r.travels == s.Bind[1].Array && (i < r.depth || i >= r.rows-r.depth) {
			r.t.Fatalf("row %d is made from rows that are on their way, or in their place", i)
		}
		to[r.halo+i] = g + 1
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, c := range []struct {
		size, halo, steps int64
		count             int
		want              string
	}{
		{100, 8, 16, 1, "for example 128"},
		{8, 8, 16, 1, "for example 32"},
		{64, 8, 15, 1, "even number"},
		{64, 40, 200, 2, "halo=32"},
	} {
		b := suitetest.Build(life{}, c.size, c.count)
		b.Params["halo"], b.Params["steps"] = c.halo, c.steps
		if _, err := (life{}).Build(b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

// TestLaunchCoversRows: invocations cover every word of every row.
func TestLaunchCoversRows(t *testing.T) {
	for _, words := range []int64{1, 2, 3, 8, 9, 255, 256, 257, 2048} {
		s := lifeShape{board{words: words}, 256, 2, 1, 4}
		if words%wide == 0 {
			s.width = wide
		}
		l, p := s.launch(1), s.launch(4)
		cols := int64(1) << l.Push[1]
		for _, rows := range []int64{1, 5, 1000} {
			if got := l.Groups(rows) / l.Across * (s.group / cols) * s.rows; got < rows {
				t.Errorf("%d words: %d of %d rows covered", words, got, rows)
			}
			if got := p.Groups(rows) / p.Across * (passRows - 8); got < rows || p.Across*passWords < words {
				t.Errorf("%d words: %d of %d rows covered by passes of 4 steps", words, got, rows)
			}
			if width := map[bool]int64{true: words / wide, false: words}[words%wide == 0]; l.Across*cols < width {
				t.Errorf("%d words: %d columns covered", words, l.Across*cols)
			}
		}
	}
}

func TestVerify(t *testing.T) {
	for _, steps := range []int64{16, 256} { // 256 steps are sampled
		b := suitetest.Build(life{}, 2048, 3)
		b.Params["steps"] = steps
		p, err := life{}.Build(b)
		if err != nil {
			t.Fatal(err)
		}
		initial := suites.Stream{Seed: b.Seed, Workload: 21, Array: idBoard}
		cells := make([]uint32, 2048*64)
		for i := range cells {
			cells[i] = initial.Word(int64(i))
		}
		words := evolve(cells, 2048, 64, steps)
		check := &suites.Check{Build: b, Program: p, Out: suitetest.Memory{Arrays: map[string][]uint32{"board": words}}}
		out, err := life{}.Verify(check)
		if err != nil || out.Wrong != "" || out.Checked < suites.MinSampled {
			t.Fatalf("%d steps, right board: %v %+v", steps, err, out)
		}
		words[p.Shares[1].Lo*64] ^= 1 << 31
		if out, err = (life{}).Verify(check); err != nil || out.Wrong == "" {
			t.Errorf("%d steps: one flipped cell at a border passed: %v", steps, err)
		}
	}
}

// However steps are cut into passes, all are made and the board is back in its array.
func TestPassesMakeAllSteps(t *testing.T) {
	shares := []program.Share{{Lo: 0, Hi: 100}, {Lo: 100, Hi: 200}}
	for _, steps := range []int64{2, 6, 16, 18, 30, 256} {
		for _, halo := range []int64{1, 2, 3, 5, 7, 8, 16} {
			for _, pass := range []int64{1, 2, 4, 8} {
				for _, overlap := range []int64{0, 1, 3} {
					s := lifeShape{board{200, 7, steps}, 256, 2, 1, pass}
					cur, made := 0, int64(0)
					var walk func(list []program.Step)
					walk = func(list []program.Step) {
						for _, st := range list {
							switch st := st.(type) {
							case program.Repeat:
								for range st.Times {
									walk(st.Body)
								}
							case program.Overlap:
								for _, d := range st.Body {
									if n := d.Bind[0].Before; d.On[0].First < n || d.On[0].First+d.On[0].Units > 100-n {
										t.Fatalf("an interior of %d rows from %d for a pass of %d steps", d.On[0].Units, d.On[0].First, n)
									}
								}
							case program.Dispatch:
								if st.Independent { // the other edge
									continue
								}
								if st.Bind[0].Array == names[cur] {
									cur, made = 1-cur, made+st.Bind[0].Before
								} else {
									t.Fatalf("steps %d, halo %d, pass %d: a pass from %s after %d steps", steps, halo, pass, st.Bind[0].Array, made)
								}
							}
						}
					}
					walk(s.evolution(min(halo, steps), overlap, shares))
					if cur != 0 || made != steps {
						t.Errorf("steps %d, halo %d, pass %d, overlap %d: %d steps, the board in %s", steps, halo, pass, overlap, made, names[cur])
					}
				}
			}
		}
	}
}

// The depth of a halo that nobody asked for.
func TestHaloChosen(t *testing.T) {
	for _, c := range []struct {
		size  int64
		count int
		class suites.Class
		want  int64
	}{
		{65536, 4, suites.Hopper, 32}, {8192, 4, suites.Hopper, 128}, {8192, 4, suites.Software, 8},
		{256, 1, suites.Hopper, 16},   // all steps
		{4096, 200, suites.Other, 20}, // the smallest share
	} {
		b := suitetest.Build(life{}, c.size, c.count)
		b.Limits.Class = c.class
		p, err := life{}.Build(b)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Arrays[0].Halo; got != c.want {
			t.Errorf("%d cells on %d devices of class %s: a halo of %d rows, want %d", c.size, c.count, c.class, got, c.want)
		}
	}
}
