package automata

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func TestBuildsOfFields(t *testing.T) {
	for _, w := range []suites.Workload{multivectors{}, particles{}} {
		for _, n := range []int64{2, 3, 255, 256, 257, 1009} {
			for _, count := range []int{1, 2, 3, 7} {
				for _, b := range []suites.Build{suitetest.Build(w, n, count), suitetest.Uneven(suitetest.Build(w, n, count))} {
					p, err := w.Build(b)
					if err == nil {
						err = suitetest.Invariants(p, count)
					}
					if err != nil {
						t.Fatalf("%s, size %d, %d devices: %v", w.Info().ID, n, count, err)
					}
				}
			}
		}
		for _, n := range []int64{0, -1, 1 << 40} {
			if _, err := w.Build(suitetest.Build(w, n, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
				t.Errorf("%s, size %d: %v does not say what to choose", w.Info().ID, n, err)
			}
		}
		b := suitetest.Build(w, 10, 1)
		b.Params["steps"] = 3
		if _, err := w.Build(b); err == nil || !strings.Contains(err.Error(), "even") {
			t.Errorf("%s, three steps: %v", w.Info().ID, err)
		}
	}
}

// TestProductOfCells: e1 e2 = e12 = -e2 e1, squares of vectors are 1, e12 squared is -1, and
// (ab)c = a(bc).
func TestProductOfCells(t *testing.T) {
	blade := func(i int) (c cell) { c[i] = 1; return c }
	for _, c := range []struct {
		a, b, to int
		sign     float64
	}{{1, 2, 3, 1}, {2, 1, 3, -1}, {1, 1, 0, 1}, {3, 3, 0, -1}, {7, 7, 0, -1}, {4, 3, 7, 1}, {1, 6, 7, 1}} {
		p, _ := blade(c.a).times(blade(c.b))
		if p[c.to] != c.sign {
			t.Errorf("blade %d times %d is %v", c.a, c.b, p)
		}
	}
	for a := range 8 {
		for b := range 8 {
			for c := range 8 {
				ab, _ := blade(a).times(blade(b))
				left, _ := ab.times(blade(c))
				bc, _ := blade(b).times(blade(c))
				right, _ := blade(a).times(bc)
				if left != right {
					t.Fatalf("blades %d, %d, %d do not associate", a, b, c)
				}
			}
		}
	}
}

// TestRules: what each rule does to a cell whose neighbours are known.
func TestRules(t *testing.T) {
	alive, dead := cell{1}, cell{0.1}
	around := func(n int) []cell {
		list := make([]cell, 8)
		for i := range list {
			list[i] = dead
			if i < n {
				list[i] = alive
			}
		}
		return list
	}
	life := field{rule: ruleLife}
	for n := range 9 {
		got, _, unsure := life.next(cell{0, 0.6}, around(n))
		if want := (n == 2 || n == 3); unsure || (got == cell{0, 0.6}) != want {
			t.Errorf("a live cell with %d neighbours becomes %v", n, got)
		}
		got, _, _ = life.next(dead, around(n))
		if want := n == 3; (got == cell{1}) != want {
			t.Errorf("a dead cell with %d neighbours becomes %v", n, got)
		}
	}
	if _, _, unsure := life.next(cell{float64(rules[ruleLife].theta) + 1e-6}, around(0)); !unsure {
		t.Error("a norm at the threshold is decided")
	}
	// The conservative rule keeps direction and gives the root mean square of nine norms.
	got, _, _ := field{rule: ruleConservative}.next(cell{0, 0, 2}, around(8))
	if want := math.Sqrt((4 + 8) / 9.); math.Abs(got[2]-want) > 1e-15 || got.norm() != got[2] {
		t.Errorf("conservative: %v, want %v in e2", got, want)
	}
	// Scalars as neighbours leave the direction of a cell and make it a unit.
	got, _, _ = field{rule: ruleGeometric}.next(cell{0, 2}, around(8))
	if math.Abs(got[1]-(0.75*2+0.25)) > 1e-15 {
		t.Errorf("geometric: %v", got)
	}
	bivector := cell{3: 1}
	got, _, _ = field{rule: ruleRotor}.next(alive, []cell{bivector, bivector, dead, alive, dead, dead, dead, dead})
	if got[0] != 1 || got[3] != 2*float64(rules[ruleRotor].weight) {
		t.Errorf("rotor: %v", got)
	}
	got, _, _ = field{rule: ruleGrade}.next(cell{4: 1, 5: 1}, []cell{{1, 2, 3, 4, 5, 6, 7, 8}, {}, {}, {}, {}, {}, {}, {}})
	if got != (cell{1: 2, 2: 3, 4: 5}) {
		t.Errorf("grade-preserving: %v is not the vector part", got)
	}
}

func TestBorders(t *testing.T) {
	row := []cell{{1}, {2}, {3}}
	for border, want := range map[int64][2]float64{borderPeriodic: {3, 1}, borderZero: {0, 0}, borderReflecting: {1, 3}} {
		f := field{width: 3, height: 3, border: border}
		if left, right := f.at(row, -1), f.at(row, 3); left[0] != want[0] || right[0] != want[1] {
			t.Errorf("border %d: %v and %v beyond the row, want %v", border, left[0], right[0], want)
		}
	}
}

// TestParticlesConserve: with equal strengths both ways forces cancel in the sum, a particle
// out of everyone's reach stays, one at the border stays inside.
func TestParticlesConserve(t *testing.T) {
	k := make([]float64, particleTypes*particleTypes)
	for i := range k {
		k[i] = 0.01
	}
	state := make([]uint32, 0, 16)
	for _, p := range [][4]float32{{2, 2, 0, 1}, {3, 2, 1, 1}, {2.5, 3, 2, 1}, {90, 90, 3, 1}} {
		for _, x := range p {
			state = append(state, math.Float32bits(x))
		}
	}
	var sum [2]float64
	for i := range int64(3) {
		place, _ := moved(state, k, i, 100)
		for axis := range sum {
			sum[axis] += place[axis] - float64(math.Float32frombits(state[4*i+int64(axis)]))
		}
	}
	if math.Hypot(sum[0], sum[1]) > 1e-12 {
		t.Errorf("the sum of all moves is %v", sum)
	}
	if place, _ := moved(state, k, 3, 100); place != [2]float64{90, 90} {
		t.Errorf("a particle alone moves to %v", place)
	}
	if place, _ := moved(state, k, 3, 80); place != [2]float64{80, 80} {
		t.Errorf("a particle outside the box moves to %v", place)
	}
}
