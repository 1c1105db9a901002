package linalg

import (
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/dft"
	"github.com/amgpu/amgpu/suites/program"
)

const (
	fftNumber    = 44
	idSignal     = 0
	mostSelf     = 1 << 18 // points up to which identities over all outputs are checked
	complexWords = 2       // of 32 bits in a complex number
)

func init() { suites.Register(fft{}) }

type fft struct{}

func (fft) Info() suites.Info {
	return suites.Info{
		ID: "linalg/fft", Number: fftNumber,
		Doc:           "discrete Fourier transform of complex vectors, fp32",
		Source:        "Cooley and Tukey 1965; passes by Stockham, four-step: Bailey 1990; error: Higham, Accuracy and Stability, 24.1",
		Formula:       "X_k = sum_j x_j exp(-2 pi i j k / n); inverse: x_j = 1/n sum_k X_k exp(2 pi i j k / n)",
		Sizes:         suites.Sizes{S: 1 << 10, M: 1 << 22, L: 1 << 26},
		SizeUnit:      "points of a transform; below a power of two the rest is zero",
		WorkUnit:      "point",
		Flops:         "5 n log2 n, as is usual for any algorithm",
		Bytes:         "16 n per pass, ceil(log2 n / 9) passes",
		Splits:        []string{dft.SplitBatch, dft.SplitFourStep},
		Communication: "batch: none; four-step: one all-to-all, 8 n (N-1)/N B in all, in parts that overlap with both sides of it",
		Tolerance:     "E2: 2 (log2 n + 1) u sqrt(2 n) each part (inverse: 1/n of it), D0",
		Weak:          "batch: transforms proportional to the number of devices; four-step: points, rounded up to a power of two",
		Params:        dft.Params(),
	}
}

// complexes are numbers of two floats, as linalg/fft and its table of roots hold them.
var complexes = dft.Ring{
	Shader: "linalg/fft", Elem: program.F32, Words: complexWords, Sixteenths: true,
	Roots: rootTable,
	Scale: func(m int) uint64 { return uint64(math.Float32bits(float32(math.Ldexp(1, -m)))) },
}

// root is exp(-2 pi i e / 2^m), or its inverse, in float64; e in [0, 2^m).
func root(e int64, m int, inverse bool) complex128 {
	sin, cos := math.Sincos(2 * math.Pi * math.Ldexp(float64(e), -m))
	if inverse {
		return complex(cos, sin)
	}
	return complex(cos, -sin)
}

// rootTable is the table of dft.Ring.Roots, each entry rounded once.
func rootTable(name string, m int, inverse bool) program.Array {
	h := dft.Half(m)
	at := func(i int64) complex128 {
		switch small, low := int64(1)<<dft.MostPoints, int64(1)<<h; {
		case i < small:
			return root(i, dft.MostPoints, inverse)
		case i < small+low:
			return root(i-small, m, inverse)
		default:
			return root((i-small-low)<<h&(1<<m-1), m, inverse)
		}
	}
	return program.Array{
		Name: name, Elem: program.F32, Layout: program.Replicated, Units: 1<<dft.MostPoints + 1<<h + 1<<(m-h), Stride: complexWords,
		Source: program.Source{Kind: program.Made, Make: func(_ int, first int64, into []uint32) {
			for i := range into {
				w := at((first + int64(i)) / complexWords)
				part := real(w)
				if (first+int64(i))%complexWords == 1 {
					part = imag(w)
				}
				into[i] = math.Float32bits(float32(part))
			}
		}},
	}
}

func fftVectors(b suites.Build) (dft.Vectors, error) {
	v, err := dft.VectorsOf("linalg/fft", b)
	v.Ring, v.Source = complexes, program.Random(idSignal, -1, 1)
	return v, err
}

func (fft) Build(b suites.Build) (*program.Program, error) {
	v, err := fftVectors(b)
	if err != nil {
		return nil, err
	}
	points := float64(v.Count) * float64(v.N())
	p := &program.Program{Work: points, Flops: 5 * points * float64(v.M), Bytes: 16 * points * float64(v.Passes())}
	v.Build(b, p)
	return p, nil
}
