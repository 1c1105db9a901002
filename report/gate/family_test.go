package gate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// jointly are the adjusted p-values of a rise from x to y.
func jointly(tests []test) []float64 {
	all := exchangesOf(len(tests[0].x)+len(tests[0].y), len(tests[0].y))
	return westfallYoung(all, tests, func(t test) (from, to []float64) { return t.x, t.y })
}

// One row: the adjusted p-value is the share of exchanges with so large a difference
// of means. {1,2,3} against {4,5,6} is the largest of C(6,3) = 20.
func TestJointPermutationOfOneRow(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{4, 5, 6}, 1.0 / 20},
		{[]float64{1, 2, 4}, []float64{3, 5, 6}, 2.0 / 20},
		{[]float64{4, 5, 6}, []float64{1, 2, 3}, 1},
		{[]float64{1, 1, 1}, []float64{1, 1, 1}, 1},
		{[]float64{1, 2}, []float64{4, 5, 6}, 1.0 / 10},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, []float64{10}, 1.0 / 10},
	} {
		if got := jointly([]test{{x: c.x, y: c.y}}); math.Abs(got[0]-c.want) > 1e-12 {
			t.Errorf("%v against %v: %g, want %g", c.y, c.x, got[0], c.want)
		}
	}
}

// Rows that are copies of each other cost nothing: what they have in common is kept.
// Independent ones cost about their number, never more.
func TestJointPermutationKnowsDependence(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	one := test{x: draw(r, 7, 0, 0.01), y: draw(r, 7, 0.02, 0.01)}
	alone := jointly([]test{one})[0]
	copies := slices.Repeat([]test{one}, 100)
	if got := jointly(copies); got[0] != alone || got[99] != alone {
		t.Errorf("alone %g, among 100 copies %g", alone, got[0])
	}
	for i := 1; i < len(copies); i++ {
		copies[i] = test{x: draw(r, 7, 0, 0.01), y: draw(r, 7, 0, 0.01)}
	}
	if got := jointly(copies)[0]; got < alone || got > 100*alone+0.02 {
		t.Errorf("alone %g, among 100 independent rows %g", alone, got)
	}
}

// Many launches: a fixed choice of exchanges, the same every time, the observed one
// among them.
func TestJointPermutationOfManyLaunches(t *testing.T) {
	if all := exchanges(14, 7); len(all) != 3432 || !slices.Equal(all[0], []uint16{0, 1, 2, 3, 4, 5, 6}) || !slices.Equal(all[3431], []uint16{7, 8, 9, 10, 11, 12, 13}) {
		t.Errorf("%d exchanges of 7 + 7", len(all))
	}
	some := exchanges(26, 13)
	if len(some) != mostPermutations || !slices.Equal(some[7], exchanges(26, 13)[7]) || some[0][12] != 12 {
		t.Errorf("%d exchanges of 13 + 13", len(some))
	}
	r := rand.New(rand.NewPCG(3, 4))
	tests := []test{{x: draw(r, 13, 0, 0.01), y: draw(r, 13, 0.2, 0.01)}}
	if p := jointly(tests)[0]; p != 1.0/mostPermutations {
		t.Errorf("sides far apart: p %g", p)
	}
}

// The correction is Holm's up to 50 rows; above, rows with unequal launches are left
// to Benjamini and Hochberg, and rows of occasions too.
func TestCorrections(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	family := func(n int) []test {
		out := make([]test, n)
		for i := range out {
			out[i] = compareLaunches(draw(r, 7, 0, 0.01), draw(r, 7, 0, 0.01), 1, leastPhi, alpha)
		}
		return out
	}
	for n, want := range map[int]string{0: holm, 1: holm, 50: holm, 51: joint} {
		if _, _, got := correct(family(n)); got != want {
			t.Errorf("%d rows: %s", n, got)
		}
	}
	tests := family(51)
	tests[7] = compareLaunches(draw(r, 6, 0, 0.01), draw(r, 7, 0, 0.01), 1, leastPhi, alpha)
	if _, _, got := correct(tests); got != benjamini {
		t.Errorf("unequal launches: %s", got)
	}
	tests[7] = compareOccasions(draw(r, 7, 0, 0.01), 1, 0.01, 1, leastPhi, alpha)
	if _, _, got := correct(tests); got != benjamini {
		t.Errorf("occasions: %s", got)
	}
}
