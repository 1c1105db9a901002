package zk

import (
	"math/big"
	"sync"
)

// The curve BN254 (EIP-196): y^2 = x^3 + 3 over the field of q elements, with r points, all
// of them multiples of (1, 2).
var (
	bnField, _ = new(big.Int).SetString("21888242871839275222246405745257275088696311157297823662689037894645226208583", 10)
	bnOrder, _ = new(big.Int).SetString("21888242871839275222246405745257275088548364400416034343698204186575808495617", 10)
)

// affine is a point of the curve in exact big integers: the reference. x = nil is infinity.
type affine struct{ x, y *big.Int }

func bnGenerator() affine { return affine{big.NewInt(1), big.NewInt(2)} }

func (p affine) infinite() bool { return p.x == nil }

func (p affine) equal(q affine) bool {
	if p.infinite() || q.infinite() {
		return p.infinite() == q.infinite()
	}
	return p.x.Cmp(q.x) == 0 && p.y.Cmp(q.y) == 0
}

// onCurve says whether the point solves the curve's equation in reduced coordinates.
func (p affine) onCurve() bool {
	if p.infinite() {
		return true
	}
	left := new(big.Int).Mul(p.y, p.y)
	right := new(big.Int).Mul(p.x, p.x)
	right.Add(right.Mul(right, p.x), big.NewInt(3))
	left.Mod(left.Sub(left, right), bnField)
	return left.Sign() == 0 && p.x.Cmp(bnField) < 0 && p.y.Cmp(bnField) < 0
}

func (p affine) neg() affine {
	if p.infinite() || p.y.Sign() == 0 {
		return p
	}
	return affine{p.x, new(big.Int).Sub(bnField, p.y)}
}

// add is the chord through two points, or the tangent where they are one.
func (p affine) add(q affine) affine {
	if p.infinite() {
		return q
	}
	if q.infinite() {
		return p
	}
	rise, run := new(big.Int).Sub(q.y, p.y), new(big.Int).Sub(q.x, p.x)
	if run.Sign() == 0 {
		if rise.Sign() != 0 || p.y.Sign() == 0 {
			return affine{}
		}
		rise.Mul(p.x, p.x)
		rise.Mul(rise, big.NewInt(3))
		run.Lsh(p.y, 1)
	}
	slope := rise.Mul(rise, run.ModInverse(run.Mod(run, bnField), bnField))
	slope.Mod(slope, bnField)
	x := new(big.Int).Mul(slope, slope)
	x.Mod(x.Sub(x.Sub(x, p.x), q.x), bnField)
	y := new(big.Int).Sub(p.x, x)
	y.Mod(y.Sub(y.Mul(y, slope), p.y), bnField)
	return affine{x, y}
}

// times is k p by doubling and adding; k may be negative.
func (p affine) times(k *big.Int) affine {
	k = new(big.Int).Mod(k, bnOrder)
	var sum affine
	for i := k.BitLen() - 1; i >= 0; i-- {
		sum = sum.add(sum)
		if k.Bit(i) == 1 {
			sum = sum.add(p)
		}
	}
	return sum
}

// Multiples up to 2^27 of the generator are sums of three entries of tables of 2^9.
const (
	tableLog   = 9
	tableCount = 3
)

// generatorTables lists d 512^k G for d in [0, 512), k in [0, 3), as affine points of a device.
var generatorTables = sync.OnceValue(func() []uint32 {
	words := make([]uint32, 0, tableCount*affineWords<<tableLog)
	base := bnGenerator()
	for range tableCount {
		var p affine
		for range 1 << tableLog {
			x, y := montgomery(p)
			words = append(append(words, x.words()...), y.words()...)
			p = p.add(base)
		}
		base = p
	}
	return words
})
