package enumerative

import "slices"

// partition has positive parts that do not rise: a Schubert class.
type partition []int64

// digits reads the decimal digits of a number as parts.
func digits(x int64) partition {
	var p partition
	for ; x > 0; x /= 10 {
		p = append(partition{x % 10}, p...)
	}
	return p
}

func (p partition) size() (n int64) {
	for _, part := range p {
		n += part
	}
	return n
}

// fits says that p lies in a box of rows by columns and its parts are positive and do not
// rise.
func (p partition) fits(rows, columns int64) bool {
	for i, part := range p {
		if part < 1 || part > columns || i > 0 && part > p[i-1] {
			return false
		}
	}
	return int64(len(p)) <= rows
}

// part is the part number i, 0 beyond the last.
func (p partition) part(i int) int64 {
	if i < len(p) {
		return p[i]
	}
	return 0
}

// determinant multiplies out det h[p_i - i + j] over permutations: visit gets each term's
// degrees and sign.
func (p partition) determinant(visit func(degrees []int64, sign int)) {
	var permute func(row int, used []bool, degrees []int64, sign int)
	permute = func(row int, used []bool, degrees []int64, sign int) {
		if row == len(p) {
			visit(degrees, sign)
			return
		}
		passed := 0 // columns left free before this one
		for j := range p {
			if used[j] {
				continue
			}
			if d := p[row] - int64(row) + int64(j); d >= 0 {
				used[j] = true
				permute(row+1, used, append(slices.Clone(degrees), d), sign*(1-2*(passed%2)))
				used[j] = false
			}
			passed++
		}
	}
	permute(0, make([]bool, len(p)), nil, 1)
}

// schur is the Schur polynomial of p at u = members + 1, modulo the prime.
func schur(p partition, members []int64) uint64 {
	h := make([]uint64, p.part(0)+int64(len(p)))
	h[0] = 1
	for _, i := range members {
		for d := 1; d < len(h); d++ {
			h[d] = (h[d] + mul(uint64(i+1), h[d-1])) % prime
		}
	}
	total := uint64(0)
	p.determinant(func(degrees []int64, sign int) {
		term := uint64(1)
		for _, d := range degrees {
			term = mul(term, h[d])
		}
		if sign < 0 {
			term = sub(0, term)
		}
		total = (total + term) % prime
	})
	return total
}

// number is the intersection number by Schubert calculus: classes multiplied by Pieri's
// rule, powers of sigma_1 by the hook formula for standard tableaux of what is left of the
// box. Modulo the prime; 0 where the degrees do not fill the dimension.
func (x intersection) number() uint64 {
	basis := map[string]term{"": {nil, 1}}
	for _, p := range x.classes {
		product := map[string]term{}
		p.determinant(func(degrees []int64, sign int) {
			part := basis
			for _, d := range degrees {
				part = x.pieri(part, d)
			}
			for _, t := range part {
				if sign < 0 {
					t.count = sub(0, t.count)
				}
				add(product, t)
			}
		})
		basis = product
	}
	total := uint64(0)
	for _, t := range basis {
		if t.shape.size()+x.power != x.k*(x.n-x.k) {
			continue
		}
		complement := make(partition, x.k)
		for i := range complement {
			complement[i] = x.n - x.k - t.shape.part(int(x.k)-1-i)
		}
		total = (total + mul(t.count, tableaux(complement))) % prime
	}
	return total
}

// term is a multiple of one Schubert class.
type term struct {
	shape partition
	count uint64
}

func add(to map[string]term, t term) {
	key := ""
	for _, part := range t.shape {
		key += string(rune('a' + part))
	}
	to[key] = term{t.shape, (to[key].count + t.count) % prime}
}

// pieri multiplies by the special class of degree d: all ways to add d boxes inside the
// box of k by n-k, no two in one column.
func (x intersection) pieri(basis map[string]term, d int64) map[string]term {
	out := map[string]term{}
	var grow func(t term, row int, shape partition, left int64)
	grow = func(t term, row int, shape partition, left int64) {
		if row == int(x.k) {
			if left == 0 {
				for len(shape) > 0 && shape[len(shape)-1] == 0 {
					shape = shape[:len(shape)-1]
				}
				add(out, term{shape, t.count})
			}
			return
		}
		most := x.n - x.k
		if row > 0 {
			most = t.shape.part(row - 1)
		}
		have := t.shape.part(row)
		for more := int64(0); more <= left && have+more <= most; more++ {
			grow(t, row+1, append(slices.Clone(shape), have+more), left-more)
		}
	}
	for _, t := range basis {
		grow(t, 0, nil, d)
	}
	return out
}

// tableaux is the number of standard Young tableaux of a shape, modulo the prime: the
// factorial of its size by the product of its hooks.
func tableaux(p partition) uint64 {
	hooks := uint64(1)
	for i, part := range p {
		for j := int64(0); j < part; j++ {
			below := int64(0)
			for k := i + 1; k < len(p) && p[k] > j; k++ {
				below++
			}
			hooks = mul(hooks, uint64(part-j+below))
		}
	}
	return mul(factorial(p.size()), inverse(hooks))
}
