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
	a := stream(1, operandA, 5)
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
			b.Params["repeat"] = 64
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
	for _, repeat := range []int64{1, 2, 64, 1000} {
		b := suitetest.Build(product{}, 300, 3)
		b.Params["repeat"] = repeat
		p, err := (product{}).Build(b)
		if err != nil {
			t.Fatal(err)
		}
		words := device(b, repeat)
		c := &suites.Check{Build: b, Program: p, Out: suitetest.Memory{Arrays: map[string][]uint32{"C": words}}}
		for _, c.Full = range []bool{true, false} {
			got, err := (product{}).Verify(c)
			if err != nil || got.Wrong != "" || got.Checked < suites.MinSampled || got.Worst <= 0 || got.Worst > 1 {
				t.Errorf("repeat %d, full %v: %+v, %v", repeat, c.Full, got, err)
			}
		}
		// A sign slip in one component of one element at a share's end.
		words[8*(p.Shares[0].Hi-1)+5] ^= 1 << 31
		for _, c.Full = range []bool{true, false} {
			if got, err := (product{}).Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "C[") {
				t.Errorf("repeat %d, full %v misses a wrong sign: %+v, %v", repeat, c.Full, got, err)
			}
		}
	}
}

// device computes what a device would leave, in float32.
func device(b suites.Build, repeat int64) []uint32 {
	var words []uint32
	r := narrow(versor())
	for i := range b.Size {
		m := emulate(narrow(stream(b.Seed, operandA, i)), narrow(stream(b.Seed, operandB, i)))
		for range repeat - 1 {
			m = emulate(m, r)
		}
		for _, x := range m {
			words = append(words, math.Float32bits(x))
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
