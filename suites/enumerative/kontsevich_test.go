package enumerative

import (
	"math/big"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// exactCurves is the recursion in whole numbers.
func exactCurves(degrees int64) []*big.Int {
	n := []*big.Int{nil, big.NewInt(1)}
	for d := int64(2); d <= degrees; d++ {
		sum := new(big.Int)
		for a := int64(1); a < d; a++ {
			b := d - a
			first := new(big.Int).Binomial(3*d-4, 3*a-2)
			second := new(big.Int).Binomial(3*d-4, 3*a-1)
			first.Mul(first, big.NewInt(a*a*b*b))
			second.Mul(second, big.NewInt(a*a*a*b))
			first.Sub(first, second)
			sum.Add(sum, first.Mul(first, new(big.Int).Mul(n[a], n[b])))
		}
		n = append(n, sum)
	}
	return n[1:]
}

// TestCurvesOfThePlane: golden numbers, and the table modulo the prime against exact ones.
func TestCurvesOfThePlane(t *testing.T) {
	exact := exactCurves(40)
	for d, want := range map[int]int64{1: 1, 2: 1, 3: 12, 4: 620, 5: 87304, 6: 26312976, 7: 14616808192} {
		if exact[d-1].Cmp(big.NewInt(want)) != 0 {
			t.Errorf("N_%d = %v, expected %d", d, exact[d-1], want)
		}
	}
	for i, got := range curves(40) {
		if want := new(big.Int).Mod(exact[i], big.NewInt(prime)).Uint64(); got != want {
			t.Errorf("N_%d is %d modulo the prime, expected %d", i+1, got, want)
		}
	}
}

// kontsevich32 follows the kernel: Montgomery products of the tables.
func kontsevich32(degrees int64) (numbers []uint32) {
	lift := inverse((1 << 32) % prime)
	product := func(a, b uint64) uint64 { return mul(mul(a, b), lift) }
	tables := factors(degrees)
	var left, right []uint64
	for d := int64(1); d <= degrees; d++ {
		sum := uint64(0)
		if d == 1 {
			sum = 1
		}
		for a := int64(1); a < d; a++ {
			b := d - a
			sum = (sum + product(product(left[a-1], right[b-1]), uint64(2*a-b+prime)%prime)) % prime
		}
		at := tables[3*(d-1):]
		left, right = append(left, product(sum, uint64(at[0]))), append(right, product(sum, uint64(at[1])))
		numbers = append(numbers, uint32(product(sum, uint64(at[2]))))
	}
	return numbers
}

func TestKontsevichVerify(t *testing.T) {
	for _, size := range []int64{1, 2, 7, 300} {
		b := suitetest.Build(kontsevich{}, size, 3)
		p, err := (kontsevich{}).Build(b)
		if err == nil {
			err = suitetest.Invariants(p, 3)
		}
		if err != nil {
			t.Fatal(err)
		}
		words := kontsevich32(size)
		c := &suites.Check{Build: b, Program: p, Out: suitetest.Memory{Arrays: map[string][]uint32{"N": words}}}
		if got, err := (kontsevich{}).Verify(c); err != nil || got.Wrong != "" || got.Checked != 3*size {
			t.Errorf("%d degrees: %+v, %v", size, got, err)
		}
		words[size-1] ^= 1
		if got, err := (kontsevich{}).Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "N[") {
			t.Errorf("%d degrees: a wrong number passes: %+v, %v", size, got, err)
		}
	}
	for _, size := range []int64{0, mostDegrees + 1} {
		if _, err := (kontsevich{}).Build(suitetest.Build(kontsevich{}, size, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("%d degrees: %v", size, err)
		}
	}
	if b := suitetest.Weak(kontsevich{}, 64, 3); b.Size != 64 {
		t.Errorf("weak growth to %d degrees", b.Size)
	}
}
