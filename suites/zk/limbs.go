package zk

import (
	"math/big"
	"math/bits"
)

// limbs is an element of BN254's base field as four 64-bit words, low first, below q, in
// Montgomery form: a stands as a 2^256 mod q. Devices hold the same as eight words.
type limbs [4]uint64

const (
	limbWords   = 8
	affineWords = 2 * limbWords // of (x, y); zeros are infinity
	pointWords  = 3 * limbWords // of (X, Y, Z) in Jacobian coordinates; Z = 0 is infinity
)

var (
	bnPrime   = toLimbs(bnField)
	bnInverse = negativeInverse(bnPrime[0])
	// bnOne is 1, bnSquare is 2^256, both in Montgomery form.
	bnOne    = toLimbs(new(big.Int).Mod(new(big.Int).Lsh(big.NewInt(1), 256), bnField))
	bnSquare = toLimbs(new(big.Int).Mod(new(big.Int).Lsh(big.NewInt(1), 512), bnField))
)

// toLimbs cuts a number below 2^256 into words.
func toLimbs(x *big.Int) (a limbs) {
	mask := new(big.Int).SetUint64(1<<64 - 1)
	for i := range a {
		a[i] = new(big.Int).And(new(big.Int).Rsh(x, uint(64*i)), mask).Uint64()
	}
	return a
}

func (a limbs) big() *big.Int {
	x := new(big.Int)
	for i := range a {
		x.Or(x.Lsh(x, 64), new(big.Int).SetUint64(a[3-i]))
	}
	return x
}

// negativeInverse is -1/q mod 2^64 by Newton's iteration.
func negativeInverse(q uint64) uint64 {
	x := q // right in three bits
	for range 5 {
		x *= 2 - q*x
	}
	return -x
}

func fromWords(w []uint32) (a limbs) {
	for i := range a {
		a[i] = uint64(w[2*i]) | uint64(w[2*i+1])<<32
	}
	return a
}

func (a limbs) words() []uint32 {
	var w []uint32
	for _, x := range a {
		w = append(w, uint32(x), uint32(x>>32))
	}
	return w
}

func (a limbs) add(b limbs) limbs {
	var carry uint64
	for i := range a {
		a[i], carry = bits.Add64(a[i], b[i], carry)
	}
	return a.reduce()
}

// reduce brings a value below 2q below q.
func (a limbs) reduce() limbs {
	var d limbs
	var borrow uint64
	for i := range a {
		d[i], borrow = bits.Sub64(a[i], bnPrime[i], borrow)
	}
	if borrow != 0 {
		return a
	}
	return d
}

func (a limbs) sub(b limbs) limbs {
	var borrow, carry uint64
	for i := range a {
		a[i], borrow = bits.Sub64(a[i], b[i], borrow)
	}
	for i := range a {
		a[i], carry = bits.Add64(a[i], bnPrime[i]&-borrow, carry)
	}
	return a
}

// multiplyAdd is t + a b + carry in two words.
func multiplyAdd(t, a, b, carry uint64) (hi, lo uint64) {
	hi, lo = bits.Mul64(a, b)
	lo, c := bits.Add64(lo, t, 0)
	hi += c
	lo, c = bits.Add64(lo, carry, 0)
	return hi + c, lo
}

// mul is a b / 2^256 mod q (coarsely integrated operand scanning).
func (a limbs) mul(b limbs) limbs {
	var t limbs
	for _, w := range b {
		x, low := multiplyAdd(t[0], a[0], w, 0)
		m := low * bnInverse
		y, _ := multiplyAdd(low, m, bnPrime[0], 0)
		for j := 1; j < 4; j++ {
			x, low = multiplyAdd(t[j], a[j], w, x)
			y, t[j-1] = multiplyAdd(low, m, bnPrime[j], y)
		}
		t[3] = x + y
	}
	return t.reduce()
}

// inverse is 1/a by Fermat.
func (a limbs) inverse() limbs {
	e := new(big.Int).Sub(bnField, big.NewInt(2))
	r := bnOne
	for i := e.BitLen() - 1; i >= 0; i-- {
		r = r.mul(r)
		if e.Bit(i) == 1 {
			r = r.mul(a)
		}
	}
	return r
}

// montgomery is an affine point as devices hold it.
func montgomery(p affine) (x, y limbs) {
	if p.infinite() {
		return x, y
	}
	return toLimbs(p.x).mul(bnSquare), toLimbs(p.y).mul(bnSquare)
}
