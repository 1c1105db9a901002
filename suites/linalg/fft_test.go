package linalg

import (
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/dft"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestGoldenFourier: 1 to 8 have the transform -4 + 4 i cot(pi k/8), their sum at zero.
func TestGoldenFourier(t *testing.T) {
	x := []complex128{1, 2, 3, 4, 5, 6, 7, 8}
	fourier(x, false)
	for k, got := range x {
		want := complex(36, 0)
		if k > 0 {
			want = complex(-4, 4/math.Tan(math.Pi*float64(k)/8))
		}
		if cmplx.Abs(got-want) > 1e-13 {
			t.Errorf("X[%d] is %v, want %v", k, got, want)
		}
	}
	fourier(x, true)
	for j, got := range x {
		if cmplx.Abs(got/8-complex(float64(j+1), 0)) > 1e-14 {
			t.Errorf("back at %d: %v", j, got/8)
		}
	}
}

func TestFFTBuild(t *testing.T) {
	for _, split := range (fft{}).Info().Splits {
		for _, n := range []int64{1, 2, 3, 31, 257, 1000, 1 << 19, 1 << 26} {
			for _, count := range []int{1, 2, 3, 8} {
				b := suitetest.Build(fft{}, n, count)
				b.Split = split
				for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
					p := build(t, fft{}, b)
					if err := suitetest.Invariants(p, count); err != nil {
						t.Errorf("%s, n %d on %d: %v", split, n, count, err)
					}
				}
			}
		}
		for _, n := range []int64{0, -1, 1<<dft.MostLog + 1} {
			b := suitetest.Build(fft{}, n, 1)
			b.Split = split
			if _, err := (fft{}).Build(b); err == nil || !strings.Contains(err.Error(), "linalg/fft: ") || !strings.Contains(err.Error(), "choose 1 to 134217728") {
				t.Errorf("%d points: error %v", n, err)
			}
		}
	}
}

// TestFFTVerify: float32 roundings of the exact transform pass in whole and in samples; outputs
// that are off by twice the bound, and those that are no numbers, do not.
func TestFFTVerify(t *testing.T) {
	for _, split := range (fft{}).Info().Splits {
		for _, n := range []int64{1, 2, 37, 1024, 1 << 13} {
			for inverse := range int64(2) {
				b := suitetest.Build(fft{}, n, 3)
				b.Split, b.Params["inverse"], b.Params["batch"] = split, inverse, 3
				p := build(t, fft{}, b)
				v, err := fftVectors(b)
				if err != nil {
					t.Fatal(err)
				}
				r := fftReference{v, suites.Stream{Seed: b.Seed, Workload: fftNumber, Array: idSignal}}
				y := exactTransform(r)
				for _, full := range []bool{true, false} {
					check := &suites.Check{Build: b, Program: p, Full: full, Out: suitetest.Memory{Arrays: map[string][]uint32{"y": y}}}
					out, err := fft{}.Verify(check)
					if err != nil || out.Wrong != "" || out.Checked < min(int64(len(y)), suites.MinSampled) {
						t.Fatalf("%s %d inverse %d: %v %s, %d checked", split, n, inverse, err, out.Wrong, out.Checked)
					}
					last := y[int64(len(y))-2*v.N():] // of a vector that is always checked
					right := slices.Clone(last)
					for _, off := range []float64{2*r.bound() + 1e-6, math.NaN()} {
						for i := range last {
							last[i] = math.Float32bits(math.Float32frombits(last[i]) + float32(off))
						}
						if out, err = (fft{}).Verify(check); err != nil || out.Wrong == "" {
							t.Errorf("%s %d full %v: outputs off by %v passed: %v", split, n, full, off, err)
						}
						copy(last, right)
					}
				}
			}
		}
	}
}

// exactTransform holds what a device without errors should leave.
func exactTransform(r fftReference) []uint32 {
	_, stride := r.Strides()
	y := make([]uint32, 2*r.Count*r.N())
	x := make([]complex128, r.N())
	for vector := range r.Count {
		for j := range x {
			x[j] = r.input(vector, int64(j))
		}
		fourier(x, r.Inverse)
		for k, value := range x {
			if r.Inverse {
				value /= complex(float64(r.N()), 0)
			}
			at := 2 * (vector*r.N() + r.Place(int64(k), stride))
			y[at], y[at+1] = math.Float32bits(float32(real(value))), math.Float32bits(float32(imag(value)))
		}
	}
	return y
}

// TestRootTable: pieces of the table agree with the whole, and a product of two entries is any power.
func TestRootTable(t *testing.T) {
	a := rootTable("roots", 13, true)
	all := make([]uint32, a.Units*a.Stride)
	a.Source.Make(0, 0, all)
	entry := func(i int64) complex128 {
		return complex(float64(math.Float32frombits(all[2*i])), float64(math.Float32frombits(all[2*i+1])))
	}
	for _, e := range []int64{0, 1, 127, 128, 5000, 8191} {
		if got, want := entry(512+e%128)*entry(512+128+e/128), root(e, 13, true); cmplx.Abs(got-want) > 4*suites.U {
			t.Errorf("power %d is %v, want %v", e, got, want)
		}
	}
	for first := int64(0); first+97 <= int64(len(all)); first += 89 {
		piece := make([]uint32, 97)
		a.Source.Make(0, first, piece)
		for i, w := range piece {
			if w != all[first+int64(i)] {
				t.Fatalf("words from %d differ", first)
			}
		}
	}
}
