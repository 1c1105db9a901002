package zk

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/dft"
	"github.com/amgpu/amgpu/suites/suitetest"
)

var fields = []*field{goldilocks, babybear}

// TestGoldenTransform is the vector of workloads.md 6.2: the transform of 1 to 8.
func TestGoldenTransform(t *testing.T) {
	if w := goldilocks.rootOf(3, false); w != 18446744069397807105 {
		t.Errorf("the eighth root is %d", w)
	}
	x := []uint64{1, 2, 3, 4, 5, 6, 7, 8}
	goldilocks.transform(x, false)
	want := []uint64{36, 18445622567621360637, 18445618169507741693, 1130298020461564, 18446744069414584317,
		18445613771394122749, 1125899906842620, 1121501793223676}
	if !slices.Equal(x, want) {
		t.Errorf("%d", x)
	}
}

// TestFieldLaws compares with big integers, at both ends of the field among others.
func TestFieldLaws(t *testing.T) {
	for _, f := range fields {
		p := new(big.Int).SetUint64(f.p)
		s := suites.Stream{Seed: 1, Workload: 32}
		values := []uint64{0, 1, 2, f.p - 1, f.p - 2, f.p / 2, (1<<32 - 1) % f.p, (1 << 32) % f.p}
		for i := range int64(40) {
			values = append(values, (uint64(s.Word(2*i))<<32|uint64(s.Word(2*i+1)))%f.p)
		}
		for _, a := range values {
			for _, b := range values {
				x, y := new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)
				for name, c := range map[string]struct {
					got  uint64
					want *big.Int
				}{
					"*": {f.mul(a, b), new(big.Int).Mul(x, y)}, "+": {f.add(a, b), new(big.Int).Add(x, y)}, "-": {f.sub(a, b), new(big.Int).Sub(x, y)},
				} {
					if want := c.want.Mod(c.want, p).Uint64(); c.got != want {
						t.Fatalf("%s: %d %s %d = %d, want %d", f.name, a, name, b, c.got, want)
					}
				}
			}
			if a != 0 && f.mul(a, f.inv(a)) != 1 {
				t.Errorf("%s: 1/%d", f.name, a)
			}
		}
		if f.pow(f.root, 1<<(f.adic-1)) != f.p-1 {
			t.Errorf("%s: %d is no primitive root of order 2^%d", f.name, f.root, f.adic)
		}
	}
}

func TestNTTBuild(t *testing.T) {
	for _, split := range (ntt{}).Info().Splits {
		for _, n := range []int64{1, 2, 3, 31, 257, 1000, 1024, 1 << 19, 1 << 22, 1 << 27} {
			for _, count := range []int{1, 2, 3, 8} {
				for _, inverse := range []int64{0, 1} {
					b := suitetest.Build(ntt{}, n, count)
					b.Split, b.Params["inverse"] = split, inverse
					for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
						p, err := ntt{}.Build(b)
						if err != nil {
							t.Fatal(err)
						}
						if err := suitetest.Invariants(p, count); err != nil {
							t.Errorf("%s, n %d on %d: %v", split, n, count, err)
						}
					}
				}
			}
		}
		for _, n := range []int64{0, -1, 1<<dft.MostLog + 1} {
			b := suitetest.Build(ntt{}, n, 1)
			b.Split = split
			if _, err := (ntt{}).Build(b); err == nil || !strings.Contains(err.Error(), "choose 1 to 134217728") {
				t.Errorf("%d points: error %v", n, err)
			}
		}
	}
}

// TestNTTVerify: the outputs of the reference's own transform pass in whole and in
// samples; a flipped bit does not.
func TestNTTVerify(t *testing.T) {
	for _, split := range (ntt{}).Info().Splits {
		for _, n := range []int64{1, 2, 37, 1024, 1 << 13} {
			for param := range int64(4) {
				b := suitetest.Build(ntt{}, n, 3)
				b.Split, b.Params["field"], b.Params["inverse"], b.Params["batch"] = split, param&1, param>>1, 3
				p, err := ntt{}.Build(b)
				if err != nil {
					t.Fatal(err)
				}
				m := transformed(t, b)
				y := m.Arrays["y"]
				for _, full := range []bool{true, false} {
					check := &suites.Check{Build: b, Program: p, Full: full, Out: m}
					out, err := ntt{}.Verify(check)
					if err != nil || out.Wrong != "" || out.Checked < min(int64(len(y)), suites.MinSampled) {
						t.Fatalf("%s %d %d: %v %s, %d checked", split, n, param, err, out.Wrong, out.Checked)
					}
					y[len(y)-1] ^= 2
					if out, err = (ntt{}).Verify(check); err != nil || out.Wrong == "" {
						t.Errorf("%s %d %d full %v: a flipped bit passed: %v", split, n, param, full, err)
					}
					y[len(y)-1] ^= 2
				}
			}
		}
	}
}

// transformed holds what a device should leave.
func transformed(t *testing.T, b suites.Build) suitetest.Memory {
	t.Helper()
	v, err := vectorsOf(b)
	if err != nil {
		t.Fatal(err)
	}
	in, out := v.Strides()
	s := suites.Stream{Seed: b.Seed, Workload: 32, Array: idInput}
	y := make([]uint32, v.Count*v.N()*v.f.words)
	x := make([]uint64, v.N())
	for vector := range v.Count {
		for j := range x {
			x[j] = v.input(s, vector, int64(j), in)
		}
		v.f.transform(x, v.Inverse)
		for k, value := range x {
			v.f.put(value, y[(vector*v.N()+v.Place(int64(k), out))*v.f.words:])
		}
	}
	return suitetest.Memory{Arrays: map[string][]uint32{"y": y}}
}

// TestRootsTable: pieces of the table of powers agree with the whole, and with powers.
func TestRootsTable(t *testing.T) {
	for _, f := range fields {
		a := roots("roots", f, 13, true)
		all := make([]uint32, a.Units*a.Stride)
		a.Source.Make(0, 0, all)
		w := f.rootOf(13, true)
		for _, e := range []uint64{0, 1, 127, 128, 5000, 8191} {
			lo, hi := (512+e%128)*uint64(f.words), (512+128+e/128)*uint64(f.words)
			if got, want := f.mul(f.element(all[lo:]), f.element(all[hi:])), f.mul(f.pow(w, e), f.mul(f.unit, f.unit)); got != want {
				t.Errorf("%s: power %d is %d, want %d", f.name, e, got, want)
			}
		}
		for first := int64(0); first+97 <= int64(len(all)); first += 89 {
			piece := make([]uint32, 97)
			a.Source.Make(0, first, piece)
			if !slices.Equal(piece, all[first:first+97]) {
				t.Fatalf("%s: words from %d differ", f.name, first)
			}
		}
	}
}
