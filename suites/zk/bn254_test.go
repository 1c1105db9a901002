package zk

import (
	"math/big"
	"slices"
	"testing"

	"github.com/amgpu/amgpu/suites"
)

func number(text string) *big.Int {
	x, ok := new(big.Int).SetString(text, 10)
	if !ok {
		panic(text)
	}
	return x
}

// TestGoldenCurve are the values of workloads.md 6.5: 2G, and r G at infinity.
func TestGoldenCurve(t *testing.T) {
	g := bnGenerator()
	twice := affine{number("1368015179489954701390400359078579693043519447331113978918064868415326638035"),
		number("9918110051302171585080402603319702774565515993150576347155970296011118125764")}
	if got := g.add(g); !got.equal(twice) || !g.times(big.NewInt(2)).equal(twice) || !got.onCurve() {
		t.Errorf("2G = %v", got)
	}
	last := g.times(new(big.Int).Sub(bnOrder, big.NewInt(1)))
	if !last.equal(g.neg()) || !last.add(g).infinite() || !g.times(bnOrder).infinite() {
		t.Errorf("(r-1) G = %v", last)
	}
	if (affine{big.NewInt(1), big.NewInt(3)}).onCurve() || (affine{new(big.Int).Add(bnField, big.NewInt(1)), big.NewInt(2)}).onCurve() {
		t.Error("(1, 3) and (1+q, 2) pass for points")
	}
}

// numbers are field elements at both ends and at random.
func numbers() (list []*big.Int) {
	for _, x := range []int64{0, 1, 2, 3} {
		list = append(list, big.NewInt(x), new(big.Int).Sub(bnField, big.NewInt(x+1)))
	}
	s := suites.Stream{Seed: 7, Workload: msmNumber}
	for i := range int64(20) {
		x := new(big.Int)
		for w := range int64(8) {
			x.Or(x.Lsh(x, 32), big.NewInt(int64(s.Word(8*i+w))))
		}
		list = append(list, x.Mod(x, bnField))
	}
	return list
}

// TestLimbs compares with big integers.
func TestLimbs(t *testing.T) {
	inside := func(x *big.Int) limbs { return toLimbs(x).mul(bnSquare) }
	outside := func(a limbs) *big.Int { return a.mul(limbs{1}).big() }
	mod := func(x *big.Int) *big.Int { return x.Mod(x, bnField) }
	for _, x := range numbers() {
		a := inside(x)
		if outside(a).Cmp(x) != 0 || fromWords(a.words()) != a {
			t.Fatalf("%v comes back as %v", x, outside(a))
		}
		if x.Sign() != 0 && a.mul(a.inverse()) != bnOne {
			t.Errorf("1/%v", x)
		}
		for _, y := range numbers() {
			b := inside(y)
			for op, c := range map[string]struct {
				got  limbs
				want *big.Int
			}{
				"+": {a.add(b), mod(new(big.Int).Add(x, y))}, "-": {a.sub(b), mod(new(big.Int).Sub(x, y))}, "*": {a.mul(b), mod(new(big.Int).Mul(x, y))},
			} {
				if outside(c.got).Cmp(c.want) != 0 || c.got.reduce() != c.got {
					t.Fatalf("%v %s %v = %v", x, op, y, outside(c.got))
				}
			}
		}
	}
}

// TestJacobian: sums of all pairs of small multiples, with any z, are those of the reference:
// among them doubles, opposites and infinity.
func TestJacobian(t *testing.T) {
	scaled := func(p affine, z limbs) jacobian {
		if p.infinite() {
			return jacobian{x: z, y: z}
		}
		x, y := montgomery(p)
		return jacobian{x.mul(z).mul(z), y.mul(z).mul(z).mul(z), z}
	}
	z := toLimbs(numbers()[12])
	for a := int64(-3); a <= 3; a++ {
		for b := int64(-3); b <= 3; b++ {
			p, q := bnGenerator().times(big.NewInt(a)), bnGenerator().times(big.NewInt(b))
			want := bnGenerator().times(big.NewInt(a + b))
			got := scaled(p, z).add(scaled(q, bnOne.add(z)))
			if !got.exact().equal(want) || !p.add(q).equal(want) {
				t.Errorf("%d G + %d G = %v", a, b, got.exact())
			}
			x, y := got.affine()
			if words := append(x.words(), y.words()...); !slices.Equal(words, pointWordsOf(want)) || !plainPoint(words).equal(want) {
				t.Errorf("%d G + %d G in words: %v", a, b, words)
			}
		}
		if got := scaled(bnGenerator().times(big.NewInt(a)), z).double().exact(); !got.equal(bnGenerator().times(big.NewInt(2 * a))) {
			t.Errorf("2 x %d G = %v", a, got)
		}
	}
}

// TestTables: every entry is the multiple that its place says.
func TestTables(t *testing.T) {
	words := generatorTables()
	for _, at := range []int64{0, 1, 2, 511, 512, 513, 1023, 1024, 1025, 1535} {
		multiple := big.NewInt(at % 512)
		multiple.Lsh(multiple, uint(9*(at/512)))
		x, y := montgomery(bnGenerator().times(multiple))
		if !slices.Equal(words[at*affineWords:(at+1)*affineWords], append(x.words(), y.words()...)) {
			t.Errorf("entry %d is not %v G", at, multiple)
		}
	}
	if len(words) != 3*512*affineWords {
		t.Errorf("%d words", len(words))
	}
}
