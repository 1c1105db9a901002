package suites

import "math"

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC'11): the counter-based generator
// behind every input array.
func Philox(ctr [4]uint32, key [2]uint32) [4]uint32 {
	const m0, m1 = 0xD2511F53, 0xCD9E8D57
	const w0, w1 = 0x9E3779B9, 0xBB67AE85
	for range 10 {
		p0 := uint64(m0) * uint64(ctr[0])
		p1 := uint64(m1) * uint64(ctr[2])
		ctr = [4]uint32{
			uint32(p1>>32) ^ ctr[1] ^ key[0], uint32(p1),
			uint32(p0>>32) ^ ctr[3] ^ key[1], uint32(p0),
		}
		key[0] += w0
		key[1] += w1
	}
	return ctr
}

// Stream makes the elements of one array: counter (index lo, index hi, array,
// workload), key (seed lo, seed hi).
type Stream struct {
	Seed            uint64
	Workload, Array uint32
}

// Word is the raw element at a global index.
func (s Stream) Word(i int64) uint32 {
	return Philox([4]uint32{uint32(i), uint32(uint64(i) >> 32), s.Array, s.Workload},
		[2]uint32{uint32(s.Seed), uint32(s.Seed >> 32)})[0]
}

// Bits is the element at a global index of a program.PhiloxBits source.
func (s Stream) Bits(i int64, keep, set [2]uint32) uint32 { return s.Word(i)&keep[i&1] | set[i&1] }

// F32 is the element at a global index of a program.PhiloxF32 source over [lo,hi).
func (s Stream) F32(i int64, lo, hi float32) float32 {
	u := float32(s.Word(i)>>8) * float32(math.Ldexp(1, -24))
	return lo + float32((hi-lo)*u)
}
