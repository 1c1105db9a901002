package zk

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
)

// selfCheck is the number of outputs up to which identities over all of them are
// checked.
const selfCheck = 1 << 18

// input is element j of a vector.
func (v vectors) input(s suites.Stream, vector, j, stride int64) uint64 {
	if j >= v.Points {
		return 0
	}
	at := vector*v.N() + v.Place(j, stride)
	if v.f == babybear {
		return uint64(s.Word(at)) % babybear.p
	}
	return (uint64(s.Word(2*at)) | uint64(s.Word(2*at+1))<<32) % v.f.p
}

// class makes the outputs f + q t, t < n/q, of a vector for several f at once: by
// Horner's rule over the slow digit of the index, then a short transform over the fast
// one. Unlike the device it never transforms the slow digit.
func (v vectors) class(s suites.Stream, vector, q int64, residues []int64) [][]uint64 {
	f, n := v.f, v.N()
	in, _ := v.Strides()
	short := n / q
	w := f.rootOf(v.M, v.Inverse)
	out := make([][]uint64, len(residues))
	slow := make([]uint64, len(residues))
	for i, r := range residues {
		out[i], slow[i] = make([]uint64, short), f.pow(w, uint64(r*short))
	}
	suites.Spread(short, func(lo, hi int64, _ *suites.Tally) {
		sums := make([]uint64, len(residues))
		for j := lo; j < hi; j++ {
			clear(sums)
			for d := q - 1; d >= 0; d-- {
				x := v.input(s, vector, d*short+j, in)
				for i := range sums {
					sums[i] = f.add(f.mul(sums[i], slow[i]), x)
				}
			}
			for i, r := range residues {
				out[i][j] = f.mul(sums[i], f.pow(w, uint64(r*j)))
			}
		}
	})
	scale := f.inv(uint64(q)) // what the short inverse transform leaves to do
	for i := range out {
		f.transform(out[i], v.Inverse)
		for j := range out[i] {
			if v.Inverse {
				out[i][j] = f.mul(out[i][j], scale)
			}
		}
	}
	return out
}

// Verify compares classes of outputs: all of them when the check is full or the
// transform short, else the ends of every share and Philox-chosen ones.
func (w ntt) Verify(c *suites.Check) (suites.Outcome, error) {
	v, err := vectorsOf(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	s := suites.Stream{Seed: c.Build.Seed, Workload: w.Info().Number, Array: idInput}
	var all suites.Tally
	q := v.Modulus(c.Full)
	vectors := v.Chosen(c, 32)
	for _, vector := range vectors {
		residues := v.Residues(c, 32, q)
		for i, list := range v.class(s, vector, q, residues) {
			if err := v.compare(c, &all, vector, residues[i], q, list); err != nil {
				return suites.Outcome{}, err
			}
		}
	}
	law := "sampled outputs by Horner's rule"
	if v.N() <= selfCheck {
		law = "the inverse gives the input; the transform of a convolution is the product"
		if err := v.identities(c, s, vectors[len(vectors)-1], &all); err != nil {
			return suites.Outcome{}, err
		}
	}
	return all.Outcome("E0", law), nil
}

// compare reads one class of a vector's outputs and compares it.
func (v vectors) compare(c *suites.Check, all *suites.Tally, vector, residue, q int64, want []uint64) error {
	got, at, err := v.Class(c, vector, residue, q)
	if err != nil {
		return err
	}
	k := v.f.words
	word := make([]uint32, k)
	for t, x := range want {
		v.f.put(x, word)
		for i := range word {
			all.Bits("y", at[t]*k+int64(i), got[int64(t)*k+int64(i)], word[i])
		}
	}
	return nil
}

// identities checks one vector's outputs as a whole, as the device left them: the inverse
// at Philox-chosen indices, and the convolution theorem for x with itself at one.
func (v vectors) identities(c *suites.Check, s suites.Stream, vector int64, all *suites.Tally) error {
	f, n, k := v.f, v.N(), v.f.words
	in, out := v.Strides()
	words, err := c.Out.Words("y", vector*n*k, n*k)
	if err != nil {
		return err
	}
	x, y := make([]uint64, n), make([]uint64, n)
	for i := range n {
		at := v.Place(i, out) * k
		x[i], y[i] = v.input(s, vector, i, in), f.element(words[at:at+k])
	}
	back := f.rootOf(v.M, !v.Inverse)
	scale := uint64(1) // of the way back and of the square
	if !v.Inverse {
		scale = f.inv(uint64(n))
	}
	for _, j := range suites.SampleIndices(c.Build.Seed, 32, 2, n, 4) {
		w := f.pow(back, uint64(j))
		var sum, square, folded uint64
		for i := n - 1; i >= 0; i-- {
			sum = f.add(f.mul(sum, w), y[i])
			square = f.add(f.mul(square, w), f.mul(y[i], y[i]))
			folded = f.add(folded, f.mul(x[i], x[(j-i+n)%n]))
		}
		if v.Inverse { // y is 1/n of a transform
			folded = f.mul(folded, f.inv(uint64(n)))
		}
		if f.mul(sum, scale) != x[j] && all.Wrong == "" {
			all.Wrong = fmt.Sprintf("the way back from y gives %d at %d of vector %d, the input is %d", f.mul(sum, scale), j, vector, x[j])
		}
		if f.mul(square, scale) != folded && all.Wrong == "" {
			all.Wrong = fmt.Sprintf("the convolution of vector %d with itself is %d at %d, by its transform %d", vector, folded, j, f.mul(square, scale))
		}
	}
	return nil
}
