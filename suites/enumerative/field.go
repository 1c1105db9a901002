// Package enumerative holds the workloads of intersection theory. All numbers are exact,
// integers modulo the BabyBear prime.
package enumerative

// prime is 15 2^27 + 1.
const prime = 0x78000001

// mulOps is the nominal number of 32-bit operations of a modular multiplication: three
// wide multiplications, which count 2 each, and a conditional correction. sumOps are those of
// a product added to a sum of 64 bits, reduceOps of a sum's reduction: five multiplications
// and three additions or minima.
const (
	mulOps    = 8
	sumOps    = 4
	reduceOps = 13
)

func mul(a, b uint64) uint64 { return a * b % prime }

func sub(a, b uint64) uint64 { return (a + prime - b) % prime }

// power is base^e.
func power(base uint64, e int64) uint64 {
	y := uint64(1)
	for base %= prime; e > 0; e >>= 1 {
		if e&1 == 1 {
			y = mul(y, base)
		}
		base = mul(base, base)
	}
	return y
}

// inverse is 1/x by Fermat, x not 0 modulo the prime.
func inverse(x uint64) uint64 { return power(x, prime-2) }

// radixPower is (2^32)^e for any integer e.
func radixPower(e int64) uint64 {
	e %= prime - 1
	if e < 0 {
		e += prime - 1
	}
	return power((1<<32)%prime, e)
}

// factorial is n! modulo the prime.
func factorial(n int64) uint64 {
	f := uint64(1)
	for i := int64(2); i <= n; i++ {
		f = mul(f, uint64(i))
	}
	return f
}
