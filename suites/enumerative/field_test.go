package enumerative

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSumsOfProducts follows the kernel's sums in 64 bits, step by step, at the largest and at
// random coefficients: no step overflows and the reduction is exact.
func TestSumsOfProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 2000 {
		for terms := range 16 {
			var sum, want uint64
			for k := range terms + 1 {
				a, b := uint64(prime-1), uint64(prime-1)
				if round > 0 {
					a, b = rng.Uint64N(prime), rng.Uint64N(prime)
				}
				if round%3 == 1 {
					a = prime - 1 - a%4
				}
				if sum > math.MaxUint64-a*b {
					t.Fatalf("%d products overflow", k+1)
				}
				sum += a * b
				want = (want + mul(a, b)) % prime
				if k >= 2 && (k%2 == 1 || k == terms) {
					if sum>>32 >= 2*prime {
						t.Fatalf("%d products leave a high word of %d", k+1, sum>>32)
					}
					if sum>>32 >= prime {
						sum -= prime << 32
					}
				}
			}
			if got := reduce(t, uint32(sum>>32), uint32(sum)); uint64(got) != want {
				t.Fatalf("%d products: %d, expected %d", terms+1, got, want)
			}
		}
	}
}

// reduce is field_reduce of the kernel.
func reduce(t *testing.T, hi, lo uint32) uint32 {
	if hi >= prime {
		t.Fatalf("high word %d", hi)
	}
	above := uint32(uint64(lo*0x88000001) * prime >> 32)
	x := hi - above + prime
	q := uint32(uint64(x) * 0x2222221D >> 32)
	r := x*0x0FFFFFFE - q*prime
	return min(r, r-prime)
}
