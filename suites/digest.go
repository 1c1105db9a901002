package suites

import "math/bits"

// Digest is the Go twin of the kernel engine/digest: four lanes, each the sum mod 2^32
// of a mixed (word, global index). The index enters before the mixing, so swapped
// elements show; the sums do not depend on the order, so parts add up (AddDigest).
func Digest(words []uint32, firstIndex int64) [4]uint32 {
	const m1, m2 = 0x85EBCA6B, 0xC2B2AE35 // MurmurHash3's 32-bit finaliser
	lanes := [4]uint32{0x9E3779B9, 0x7F4A7C15, 0xF39CC060, 0x106689D4}
	var sum [4]uint32
	for i, w := range words {
		index := uint64(firstIndex + int64(i))
		w ^= uint32(index)*m1 ^ bits.RotateLeft32(uint32(index>>32), 16)*m2
		for k, lane := range lanes {
			z := w + lane
			z ^= z >> 16
			z *= m1
			z ^= z >> 13
			z *= m2
			z ^= z >> 16
			sum[k] += z
		}
	}
	return sum
}

// AddDigest is the digest of two disjoint parts together.
func AddDigest(a, b [4]uint32) [4]uint32 {
	for k := range a {
		a[k] += b[k]
	}
	return a
}
