package ga

import (
	"math"

	"github.com/amgpu/amgpu/suites"
)

// Reverse is rev(m): bivectors and the pseudoscalar change sign.
func Reverse(m Multivector) Multivector {
	for _, i := range []int{3, 5, 6, 7} {
		m[i] = -m[i]
	}
	return m
}

// Sandwich is r x rev(r).
func Sandwich(r, x Multivector) Multivector { return Product(Product(r, x), Reverse(r)) }

// sandwichBounds is E1 with n = 16 and the terms taken through both products.
//
// The quaternion form of vectors is within it too: it takes |R| for 1, which the float32
// components miss by u, so that its result differs by at most 2 u |v| from the sandwich.
func sandwichBounds(r, x Multivector) Multivector {
	s := termSums(termSums(r, x), r)
	for j := range s {
		s[j] = suites.E1(16, s[j])
	}
	return s
}

// fullTurn checks that a rotor whose angle is 2 pi further is -R, and that what became of x
// by the rotor of turn, within bound, turned by the rest of a full turn, is x. Components of
// rotors are rounded by u, in two rotors over two products.
func fullTurn(t *suites.Tally, turn [4]float64, i int64, x, became Multivector, bound float64) {
	r, rest, further := rotorOf(turn), turn, turn
	rest[0], further[0] = 2*math.Pi-turn[0], turn[0]+2*math.Pi
	for j, c := range rotorOf(further) {
		t.Identity("R(t + 2 pi) = -R(t)", i, c, -r[j], 2*suites.U)
	}
	for j, whole := range Sandwich(rotorOf(rest), became) {
		t.Identity("R(2 pi - t) after R(t) = 1", i, whole, x[j], bound+8*suites.U*x.Norm())
	}
}

// Verify compares with the sandwich in float64 and checks that norms are kept to 8 u, that
// a rotor whose angle is a full turn further is -R, and that what is rotated, turned by the
// rest of a full turn, is what it was.
func (rotor) Verify(c *suites.Check) (suites.Outcome, error) {
	mode, seed := c.Build.Params["mode"], c.Build.Seed
	in := suites.Stream{Seed: seed, Workload: rotorNumber, Array: rotated.ID}
	read := func(i int64) float64 { return float64(in.F32(i, rotated.A, rotated.B)) }
	judge := func(t *suites.Tally, turn [4]float64, x Multivector, first int64, got []uint32, at []int) {
		r := rotorOf(turn)
		want, bound := Sandwich(r, x), sandwichBounds(r, x)
		var value Multivector
		for j, word := range got {
			t.Near("y", first+int64(j), word, want[at[j]], bound[at[j]])
			value[at[j]] = float64(math.Float32frombits(word))
		}
		i := first / int64(len(got))
		t.Identity("|R x rev(R)| = |x|", i, value.Norm(), x.Norm(), 8*suites.U*x.Norm())
		fullTurn(t, turn, i, x, value, bound.Norm())
	}
	all, vector := []int{0, 1, 2, 3, 4, 5, 6, 7}, []int{1, 2, 4}
	tally, err := c.EachUnit("y", c.Program.Units, func(u int64, got []uint32, t *suites.Tally) {
		turn := sharedTurn
		if mode == modeVectors {
			for k := int64(0); k < 12; k += 3 {
				i := 12*u + k
				judge(t, turn, Multivector{1: read(i), 2: read(i + 1), 4: read(i + 2)}, i, got[k:k+3], vector)
			}
			return
		}
		if mode == modeEach {
			turn[0], turn[1], turn[2], turn[3] = plane(seed, u)
		}
		var x Multivector
		for j := range x {
			x[j] = read(8*u + int64(j))
		}
		judge(t, turn, x, 8*u, got, all)
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E1", "|R x rev(R)| = |x|, R(t + 2 pi) = -R(t), the rest of a full turn leads back"), nil
}
