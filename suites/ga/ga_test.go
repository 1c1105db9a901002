package ga

import (
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// signByCounting derives Sign from the definition: one exchange for every pair of
// factors i of a and j of b with i > j; every e(i) squares to +1.
func signByCounting(a, b int) float64 {
	swaps := 0
	for i := range 3 {
		if a>>i&1 == 1 {
			swaps += bits.OnesCount(uint(b & (1<<i - 1)))
		}
	}
	if swaps%2 == 1 {
		return -1
	}
	return 1
}

func TestAllSigns(t *testing.T) {
	for a := range 8 {
		for b := range 8 {
			if got, want := Sign(a, b), signByCounting(a, b); got != want {
				t.Errorf("blades %03b and %03b: sign %v, expected %v", a, b, got, want)
			}
		}
	}
}

func TestSignsAreAssociative(t *testing.T) {
	for a := range 8 {
		for b := range 8 {
			for c := range 8 {
				if Sign(a, b)*Sign(a^b, c) != Sign(b, c)*Sign(a, b^c) {
					t.Errorf("blades %03b, %03b, %03b do not associate", a, b, c)
				}
			}
		}
	}
}

func TestProductOfKnownElements(t *testing.T) {
	e1, e2, e12 := Multivector{1: 1}, Multivector{2: 1}, Multivector{3: 1}
	if got := Product(e1, e2); got != e12 {
		t.Errorf("e1 e2 = %v", got)
	}
	if got := Product(e12, e12); got != (Multivector{-1}) {
		t.Errorf("e12 squared = %v", got)
	}
	pseudo := Multivector{7: 1}
	if got := Product(pseudo, pseudo); got != (Multivector{-1}) {
		t.Errorf("e123 squared = %v", got)
	}
}

func TestVersorIsAnIsometryWithoutZeros(t *testing.T) {
	r := versor()
	if math.Abs(r.Norm()-1) > 8*suites.U {
		t.Errorf("norm %v", r.Norm())
	}
	for j, x := range r {
		if math.Abs(x) < 0.05 {
			t.Errorf("component %d is %v: a product with it would be cheaper than the count says", j, x)
		}
	}
	a := layout{unit: 1}.read(1, operandA, 5)
	if got := Product(a, r).Norm(); math.Abs(got-a.Norm()) > 16*suites.U*a.Norm() {
		t.Errorf("norm %v becomes %v", a.Norm(), got)
	}
}

func TestPowerIsARepeatedProduct(t *testing.T) {
	r := versor()
	want := Multivector{1}
	for n := range int64(12) {
		got := Power(r, n)
		for j := range got {
			if math.Abs(got[j]-want[j]) > 1e-14 {
				t.Errorf("power %d: component %d is %v, expected %v", n, j, got[j], want[j])
			}
		}
		want = Product(want, r)
	}
}

func TestProgramsAreValidForOddSizesAndCounts(t *testing.T) {
	w := product{}
	for _, size := range []int64{1, 5, 255, 1021, 1 << 14, 1 << 28} {
		for _, count := range []int{1, 2, 3, 7} {
			b := suitetest.Build(w, size, count)
			b.Params["repeat"], b.Params["layout"] = 64, size%2
			for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
				p, err := w.Build(b)
				if err == nil {
					err = suitetest.Invariants(p, count)
				}
				if err != nil {
					t.Fatalf("size %d, count %d: %v", size, count, err)
				}
				if p.Work != 120*64*float64(size) {
					t.Errorf("size %d counts %v flop", size, p.Work)
				}
			}
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	b := suitetest.Build(product{}, 0, 1)
	if _, err := (product{}).Build(b); err == nil || !strings.Contains(err.Error(), "choose") {
		t.Errorf("size 0: %v", err)
	}
	b = suitetest.Build(product{}, 8, 1)
	b.Params["repeat"] = 0
	if _, err := (product{}).Build(b); err == nil || !strings.Contains(err.Error(), "choose") {
		t.Errorf("repeat 0: %v", err)
	}
}

// emulate is the kernel in float32, terms in the order of the first factor's components.
func emulate(a, b [8]float32) [8]float32 {
	var c [8]float32
	for i := range a {
		for j := range b {
			term := a[i] * b[j]
			c[i^j] += float32(Sign(i, j)) * term
		}
	}
	return c
}

func narrow(m Multivector) [8]float32 {
	var out [8]float32
	for j, x := range m {
		out[j] = float32(x)
	}
	return out
}

func TestVerify(t *testing.T) {
	for _, planes := range []int64{0, 1} {
		for _, repeat := range []int64{1, 2, 64, 1000} {
			b := suitetest.Build(product{}, 900, 3)
			b.Params["repeat"], b.Params["layout"] = repeat, planes
			p, err := (product{}).Build(b)
			if err != nil {
				t.Fatal(err)
			}
			words := device(b, p.Units, repeat)
			c := &suites.Check{Build: b, Program: p, Out: suitetest.Memory{Arrays: map[string][]uint32{"C": words}}}
			for _, c.Full = range []bool{true, false} {
				got, err := (product{}).Verify(c)
				if err != nil || got.Wrong != "" || got.Checked < suites.MinSampled || got.Worst <= 0 || got.Worst > 1 {
					t.Errorf("layout %d, repeat %d, full %v: %+v, %v", planes, repeat, c.Full, got, err)
				}
			}
			// A sign slip in one component of one element at a share's end.
			l := layoutOf(b)
			words[l.at(l.unit*p.Shares[0].Hi-1, 5)] ^= 1 << 31
			for _, c.Full = range []bool{true, false} {
				if got, err := (product{}).Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "C[") {
					t.Errorf("layout %d, repeat %d, full %v misses a wrong sign: %+v, %v", planes, repeat, c.Full, got, err)
				}
			}
		}
	}
}

// TestPlanesAreAPermutation: every component of a unit has a place of its own, and neighbours
// of one plane are neighbours.
func TestPlanesAreAPermutation(t *testing.T) {
	l := layout{planeBlock, true}
	seen := map[int64]bool{}
	for i := range int64(2 * planeBlock) {
		for j := range int64(8) {
			at := l.at(i, j)
			if seen[at] || at < 0 || at >= 16*planeBlock || at/(8*planeBlock) != i/planeBlock || i%planeBlock > 0 && at != l.at(i-1, j)+1 {
				t.Fatalf("component %d of multivector %d is at %d", j, i, at)
			}
			seen[at] = true
		}
	}
}

// device computes what a device would leave, in float32.
func device(b suites.Build, units, repeat int64) []uint32 {
	l := layoutOf(b)
	words := make([]uint32, 8*units*l.unit)
	r := narrow(versor())
	for i := range units * l.unit {
		m := emulate(narrow(l.read(b.Seed, operandA, i)), narrow(l.read(b.Seed, operandB, i)))
		for range repeat - 1 {
			m = emulate(m, r)
		}
		for j, x := range m {
			words[l.at(i, int64(j))] = math.Float32bits(x)
		}
	}
	return words
}

func TestIdentityCatchesWhatTheTableMisses(t *testing.T) {
	var tally suites.Tally
	tally.Identity("(ab)c = a(bc)", 3, 1, 1+1e-9, 1e-6)
	if tally.Wrong != "" || tally.Checked != 0 {
		t.Errorf("a law that holds: %+v", tally)
	}
	tally.Identity("(ab)c = a(bc)", 3, 1, math.NaN(), 1e-6)
	if !strings.Contains(tally.Wrong, "unit 3") {
		t.Errorf("a NaN passes: %+v", tally)
	}
}
