package enumerative

// tables makes the kernel's binomials, row by row, and its weights, times 2^32.
func (x intersection) tables() func(_ int, first int64, into []uint32) {
	var all []uint32
	for at := range x.n * (x.k + 1) {
		all = append(all, uint32(binomial(at/(x.k+1), at%(x.k+1))))
	}
	for _, w := range x.weights() {
		all = append(all, uint32(mul(w, radixPower(1))))
	}
	return func(_ int, first int64, into []uint32) { copy(into, all[first:]) }
}

// weights holds for each i the inverse of the product of u_i - u_j over all j other than i.
func (x intersection) weights() []uint64 {
	w := make([]uint64, x.n)
	for i := range w {
		p := uint64(1)
		for j := range w {
			if j != i {
				p = mul(p, uint64(i-j+prime))
			}
		}
		w[i] = inverse(p)
	}
	return w
}

// binomial is C(n,k), below 2^63 for n up to 40.
func binomial(n, k int64) int64 {
	if k > n {
		return 0
	}
	c := int64(1)
	for i := int64(1); i <= k; i++ {
		c = c * (n - k + i) / i
	}
	return c
}
