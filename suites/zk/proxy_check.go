package zk

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/amgpu/amgpu/suites"
)

const (
	// direct is the number of rows up to which h is computed on the CPU and compared word
	// by word.
	direct = 1 << 16
	// inversions share one division; sampledSubtrees are hashed in a sampled check.
	inversions      = 512
	sampledSubtrees = 4
)

// place is where row i lies among rows stored by their residue mod n1.
func (c circuit) place(i int64) int64 {
	return i&(1<<c.R1-1)<<(c.M-c.R1) + i>>c.R1
}

// row makes (Az)_i and (Bz)_i; (Cz)_i is their product.
func (c circuit) row(seed uint64, i int64) (a, b uint64) {
	if i >= c.constraints {
		return 0, 0
	}
	stream := func(id uint32) suites.Stream {
		return suites.Stream{Seed: seed, Workload: proxy{}.Info().Number, Array: id}
	}
	element := func(s suites.Stream, at int64) uint64 {
		return (uint64(s.Word(2*at)) | uint64(s.Word(2*at+1))<<32) % c.f.p
	}
	s := c.place(i)
	var sums [2]uint64
	for k := range int64(6) {
		column, z := int64(stream(idColumns).Word(s*entries+k))&(c.n()-1), uint64(1)
		if column != 0 {
			z = element(stream(idVariables), column)
		}
		sums[k/3] = c.f.add(sums[k/3], c.f.mul(element(stream(idCoefficients), s*entries+k), z))
	}
	return sums[0], sums[1]
}

// Verify checks that every row holds, h, and the commitment to it.
func (w proxy) Verify(check *suites.Check) (suites.Outcome, error) {
	c, err := circuitOf(check.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	n := c.n()
	a, b := make([]uint64, n), make([]uint64, n)
	suites.Spread(n, func(lo, hi int64, _ *suites.Tally) {
		for i := lo; i < hi; i++ {
			a[i], b[i] = c.row(check.Build.Seed, i)
		}
	})
	h, err := check.Out.Words("h", 0, 2*n)
	if err != nil {
		return suites.Outcome{}, err
	}
	all, err := check.EachUnit("residual", c.Units(), func(u int64, got []uint32, t *suites.Tally) {
		for k, g := range got {
			t.Bits("residual", u*int64(len(got))+int64(k), g, 0)
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	c.quotient(check.Build.Seed, a, b, h, &all)
	if n <= direct {
		for j, x := range c.reference(a, b) {
			at := 2 * c.coefficient(int64(j))
			all.Bits("h", at, h[at], uint32(x))
			all.Bits("h", at+1, h[at+1], uint32(x>>32))
		}
	}
	if err := c.commitment(check, h, &all); err != nil {
		return suites.Outcome{}, err
	}
	return all.Outcome("E0", "A(x) B(x) - C(x) = h(x) (x^n - 1) at a random x, the top coefficient of h is 0"), nil
}

// coefficient is where coefficient j of h lies.
func (c circuit) coefficient(j int64) int64 {
	log := c.M - c.R1
	return j&(1<<log-1)<<c.R1 + j>>log
}

// reference makes h by transforms on the CPU.
func (c circuit) reference(a, b []uint64) []uint64 {
	f := c.f
	values := [3][]uint64{slices.Clone(a), slices.Clone(b), make([]uint64, len(a))}
	for i := range a {
		values[2][i] = f.mul(a[i], b[i])
	}
	move := func(x []uint64, g uint64) {
		power := uint64(1)
		for j := range x {
			x[j] = f.mul(x[j], power)
			power = f.mul(power, g)
		}
	}
	for _, x := range values {
		f.transform(x, true)
		move(x, generator)
		f.transform(x, false)
	}
	h := values[0]
	for i := range h {
		h[i] = f.mul(f.sub(f.mul(h[i], values[1][i]), values[2][i]), c.inverseZ())
	}
	f.transform(h, true)
	move(h, f.inv(generator))
	return h
}

// quotient checks the identity that makes h right, all of it, but for a chance of n/p.
// A(x) is (x^n - 1)/n sum_i a_i w^i / (x - w^i).
func (c circuit) quotient(seed uint64, a, b []uint64, h []uint32, all *suites.Tally) {
	f, n := c.f, c.n()
	s := suites.Stream{Seed: seed, Workload: 34, Array: 0xFFFF}
	x := (uint64(s.Word(0)) | uint64(s.Word(1))<<32) % f.p
	z := f.sub(f.pow(x, uint64(n)), 1)
	if z == 0 { // x is a root of unity: no such x comes twice
		x = f.add(x, 1)
		z = f.sub(f.pow(x, uint64(n)), 1)
	}
	var sums [4]uint64 // A, B, C, h
	var lock sync.Mutex
	w := f.rootOf(c.M, false)
	suites.Spread(n, func(lo, hi int64, _ *suites.Tally) {
		part := [4]uint64{3: c.evaluate(h, x, lo, hi)}
		root := f.pow(w, uint64(lo))
		for ; lo < hi; lo += inversions {
			block := min(hi-lo, inversions)
			roots, products := make([]uint64, block), make([]uint64, block+1)
			products[0] = 1
			for i := range block {
				roots[i] = root
				products[i+1] = f.mul(products[i], f.sub(x, root))
				root = f.mul(root, w)
			}
			inverse := f.inv(products[block])
			for i := block - 1; i >= 0; i-- {
				term := f.mul(roots[i], f.mul(inverse, products[i]))
				inverse = f.mul(inverse, f.sub(x, roots[i]))
				va, vb := a[lo+i], b[lo+i]
				for k, v := range [3]uint64{va, vb, f.mul(va, vb)} {
					part[k] = f.add(part[k], f.mul(v, term))
				}
			}
		}
		lock.Lock()
		defer lock.Unlock()
		for k := range sums {
			sums[k] = f.add(sums[k], part[k])
		}
	})
	scale := f.mul(z, f.inv(uint64(n)))
	left := f.sub(f.mul(f.mul(sums[0], scale), f.mul(sums[1], scale)), f.mul(sums[2], scale))
	top := 2 * c.coefficient(n-1)
	all.Checked += 2 * n
	switch right := f.mul(sums[3], z); {
	case all.Wrong != "":
	case left != right:
		all.Wrong = fmt.Sprintf("A(x) B(x) - C(x) is %d at x = %d and h(x) (x^n - 1) is %d", left, x, right)
	case h[top]|h[top+1] != 0:
		all.Wrong = fmt.Sprintf("the top coefficient of h is %d, expected 0", f.element(h[top:top+2]))
	}
}

// evaluate sums the terms of h at x whose coefficients lie in [lo,hi) of the storage.
func (c circuit) evaluate(h []uint32, x uint64, lo, hi int64) (sum uint64) {
	f, log := c.f, c.R1
	step := f.pow(x, uint64(c.n()>>log))
	for at := lo; at < hi; {
		end := min(hi, (at>>log+1)<<log)
		var part uint64
		for i := end - 1; i >= at; i-- {
			part = f.add(f.mul(part, step), f.element(h[2*i:2*i+2]))
		}
		power := f.mul(f.pow(x, uint64(at>>log)), f.pow(step, uint64(at&(1<<log-1))))
		sum = f.add(sum, f.mul(part, power))
		at = end
	}
	return sum
}

// hashPair is a node, hashLeaf a leaf of the tree (RFC 6962).
func hashPair(l, r [32]byte) [32]byte {
	return sha256.Sum256(append(append([]byte{1}, l[:]...), r[:]...))
}

func hashLeaf(words []uint32) [32]byte {
	raw := []byte{0}
	for _, w := range words {
		raw = binary.BigEndian.AppendUint32(raw, w)
	}
	return sha256.Sum256(raw)
}

// fold makes the root of a full tree.
func fold(level [][32]byte) [32]byte {
	for len(level) > 1 {
		for i := range len(level) / 2 {
			level[i] = hashPair(level[2*i], level[2*i+1])
		}
		level = level[:len(level)/2]
	}
	return level[0]
}

// commitment recomputes subtrees from h, all of them when the check is full, and the root
// from all subtrees on every device.
func (c circuit) commitment(check *suites.Check, h []uint32, all *suites.Tally) error {
	units, each := c.Units(), int64(2)<<c.perUnit()
	k := sampledSubtrees
	if check.Full {
		k = int(units)
	}
	chosen := append(suites.SampleIndices(check.Build.Seed, 34, 0, units, k), units-1)
	for d := range check.Program.Shares {
		nodes, err := check.Out.LocalWords("subtrees", d, 0, units*leafWords)
		if err != nil {
			return err
		}
		root, err := check.Out.LocalWords("root", d, 0, leafWords)
		if err != nil {
			return err
		}
		level := make([][32]byte, units)
		for u := range level {
			for i, w := range nodes[u*leafWords : (u+1)*leafWords] {
				binary.BigEndian.PutUint32(level[u][4*i:], w)
			}
		}
		match := func(array string, at int64, got []uint32, want [32]byte) {
			for i, g := range got {
				all.Bits(fmt.Sprintf("device %d: %s", d, array), at*leafWords+int64(i), g, binary.BigEndian.Uint32(want[4*i:]))
			}
		}
		for _, u := range chosen {
			if d > 0 && !check.Full {
				break
			}
			var leaves [][32]byte
			for at := u * each; at < (u+1)*each; at += leafWords {
				leaves = append(leaves, hashLeaf(h[at:at+leafWords]))
			}
			match("subtrees", u, nodes[u*leafWords:(u+1)*leafWords], fold(leaves))
		}
		match("root", 0, root, fold(level))
	}
	return nil
}
