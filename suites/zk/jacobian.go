package zk

import "math/big"

// jacobian is the point (x/z^2, y/z^3), z = 0 at infinity: what the host adds up.
type jacobian struct{ x, y, z limbs }

func toJacobian(w []uint32) jacobian {
	return jacobian{fromWords(w), fromWords(w[limbWords:]), fromWords(w[2*limbWords:])}
}

// double is dbl-2009-l: 2 products and 5 squares.
func (p jacobian) double() jacobian {
	a, b := p.x.mul(p.x), p.y.mul(p.y)
	c := b.mul(b)
	d := p.x.add(b)
	d = d.mul(d).sub(a).sub(c)
	d = d.add(d)
	e := a.add(a).add(a)
	x := e.mul(e).sub(d).sub(d)
	c = c.add(c)
	c = c.add(c)
	c = c.add(c)
	z := p.y.mul(p.z)
	return jacobian{x, e.mul(d.sub(x)).sub(c), z.add(z)}
}

// add is add-2007-bl: 11 products and 5 squares.
func (p jacobian) add(q jacobian) jacobian {
	if p.z == (limbs{}) {
		return q
	}
	if q.z == (limbs{}) {
		return p
	}
	zz1, zz2 := p.z.mul(p.z), q.z.mul(q.z)
	u1, u2 := p.x.mul(zz2), q.x.mul(zz1)
	s1, s2 := p.y.mul(q.z).mul(zz2), q.y.mul(p.z).mul(zz1)
	h, r := u2.sub(u1), s2.sub(s1)
	if h == (limbs{}) && r == (limbs{}) {
		return p.double()
	}
	r = r.add(r)
	i := h.add(h)
	i = i.mul(i)
	j, v := h.mul(i), u1.mul(i)
	x := r.mul(r).sub(j).sub(v).sub(v)
	s1 = s1.mul(j)
	z := p.z.add(q.z)
	z = z.mul(z).sub(zz1).sub(zz2)
	return jacobian{x, r.mul(v.sub(x)).sub(s1).sub(s1), z.mul(h)}
}

// affine is the point with its coordinates out of Montgomery form; infinity: zeros.
func (p jacobian) affine() (x, y limbs) {
	inverse := p.z.inverse() // 0 for 0
	square := inverse.mul(inverse)
	one := limbs{1}
	return p.x.mul(square).mul(one), p.y.mul(square).mul(inverse).mul(one)
}

// exact is the point in big integers.
func (p jacobian) exact() affine {
	if p.z == (limbs{}) {
		return affine{}
	}
	out := func(a limbs) *big.Int { return a.mul(limbs{1}).big() }
	inverse := new(big.Int).ModInverse(out(p.z), bnField)
	if inverse == nil { // z is q: no reduced value, so no point
		return affine{new(big.Int), new(big.Int)}
	}
	square := new(big.Int).Mul(inverse, inverse)
	x := new(big.Int).Mul(out(p.x), square)
	y := new(big.Int).Mul(out(p.y), square.Mul(square, inverse))
	return affine{x.Mod(x, bnField), y.Mod(y, bnField)}
}
