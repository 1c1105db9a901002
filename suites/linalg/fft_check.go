package linalg

import (
	"fmt"
	"math"
	binary "math/bits"
	"math/cmplx"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/dft"
)

// fftReference makes outputs in float64.
type fftReference struct {
	dft.Vectors
	stream suites.Stream
}

// input is element j of a vector.
func (r fftReference) input(vector, j int64) complex128 {
	if j >= r.Points {
		return 0
	}
	stride, _ := r.Strides()
	at := 2 * (vector*r.N() + r.Place(j, stride))
	return complex(float64(r.stream.F32(at, -1, 1)), float64(r.stream.F32(at+1, -1, 1)))
}

// bound is how far a part of an output may be off. By theorem 24.2 of Higham the error of all
// outputs is in norm at most log2(n) eta |X|, with eta below 18 u for twiddle factors of up to
// three rounded products, |X| = sqrt(n) |x|, and |x|^2 at most two for each point. Over the
// outputs of random inputs it spreads evenly: about a seventh of two units a level is seen.
func (r fftReference) bound() float64 {
	b := 2 * float64(r.M+1) * suites.U * math.Sqrt(2*float64(r.Points))
	if r.Inverse {
		b /= float64(r.N())
	}
	return b
}

// class makes the outputs f + q t, t < n/q, for several f at once: by Horner's rule over the
// slow digit of the index, then a short transform over the fast one, as the device never does.
func (r fftReference) class(vector, q int64, residues []int64) [][]complex128 {
	short, n := r.N()/q, r.N()
	out, slow := make([][]complex128, len(residues)), make([]complex128, len(residues))
	for i, f := range residues {
		out[i], slow[i] = make([]complex128, short), root(f*short&(n-1), r.M, r.Inverse)
	}
	suites.Spread(short, func(lo, hi int64, _ *suites.Tally) {
		sums := make([]complex128, len(residues))
		for j := lo; j < hi; j++ {
			clear(sums)
			for d := q - 1; d >= 0; d-- {
				x := r.input(vector, d*short+j)
				for i := range sums {
					sums[i] = sums[i]*slow[i] + x
				}
			}
			for i, f := range residues {
				out[i][j] = sums[i] * root(f*j&(n-1), r.M, r.Inverse)
			}
		}
	})
	for i := range out {
		fourier(out[i], r.Inverse)
		for j := range out[i] {
			if r.Inverse {
				out[i][j] /= complex(float64(n), 0)
			}
		}
	}
	return out
}

// fourier transforms 2^m numbers in place and in natural order by butterflies of two, without
// the factor 1/n of the inverse.
func fourier(x []complex128, inverse bool) {
	m := binary.Len(uint(len(x))) - 1
	for i := range x {
		if j := int(binary.Reverse64(uint64(i)) >> (64 - m)); m > 0 && i < j {
			x[i], x[j] = x[j], x[i]
		}
	}
	for s := 1; s <= m; s++ {
		half := 1 << (s - 1)
		for i := range half {
			w := root(int64(i), s, inverse)
			for at := i; at < len(x); at += 2 * half {
				a, b := x[at], x[at+half]*w
				x[at], x[at+half] = a+b, a-b
			}
		}
	}
}

// Verify compares classes of outputs: all of them when the check is full or the transform
// short, else the ends of every share and Philox-chosen ones.
func (fft) Verify(c *suites.Check) (suites.Outcome, error) {
	v, err := fftVectors(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	r := fftReference{v, suites.Stream{Seed: c.Build.Seed, Workload: fftNumber, Array: idSignal}}
	var all suites.Tally
	q, bound, vectors := v.Modulus(c.Full), r.bound(), v.Chosen(c, fftNumber)
	for _, vector := range vectors {
		residues := v.Residues(c, fftNumber, q)
		for i, want := range r.class(vector, q, residues) {
			words, at, err := v.Class(c, vector, residues[i], q)
			if err != nil {
				return suites.Outcome{}, err
			}
			for t, x := range want {
				all.Near("y", 2*at[t], words[2*t], real(x), bound)
				all.Near("y", 2*at[t]+1, words[2*t+1], imag(x), bound)
			}
		}
	}
	law := "sampled outputs by Horner's rule"
	if v.N() <= mostSelf {
		law = "the inverse gives the input; |X|^2 = n |x|^2"
		if err := r.identities(c, vectors[len(vectors)-1], &all); err != nil {
			return suites.Outcome{}, err
		}
	}
	return all.Outcome("E2", law), nil
}

// identities checks one vector's outputs as a whole, as the device left them: the way back at
// Philox-chosen indices, and Parseval's theorem.
func (r fftReference) identities(c *suites.Check, vector int64, all *suites.Tally) error {
	n := r.N()
	words, err := c.Out.Words("y", 2*vector*n, 2*n)
	if err != nil {
		return err
	}
	_, stride := r.Strides()
	y := make([]complex128, n)
	var before, after float64 // sums of squares
	for i := range n {
		at := 2 * r.Place(i, stride)
		y[i] = complex(float64(math.Float32frombits(words[at])), float64(math.Float32frombits(words[at+1])))
		x := r.input(vector, i)
		before += real(x)*real(x) + imag(x)*imag(x)
		after += real(y[i])*real(y[i]) + imag(y[i])*imag(y[i])
	}
	back, whole := 1/float64(n), float64(n) // factors of the way back and of the squares
	if r.Inverse {
		back, whole = 1, 1/float64(n)
	}
	off := math.Sqrt2 * r.bound() * float64(n) * back
	for _, j := range suites.SampleIndices(c.Build.Seed, fftNumber, 2, n, 4) {
		var sum complex128
		for k := range n {
			sum += y[k] * root(k*j&(n-1), r.M, !r.Inverse)
		}
		if x := r.input(vector, j); !(cmplx.Abs(sum*complex(back, 0)-x) <= off) && all.Wrong == "" {
			all.Wrong = fmt.Sprintf("the way back from y gives %.9g at %d of vector %d, the input is %.9g", sum*complex(back, 0), j, vector, x)
		}
	}
	slip := math.Sqrt(2*float64(n)) * r.bound()
	all.Identity("|X|^2 = n |x|^2", vector, after, before*whole, 2*slip*math.Sqrt(before*whole)+slip*slip)
	return nil
}
