package zk

import (
	"math/big"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// specialScalars and specialMultiples are what a sum must get right: nothing, the point
// itself, and neighbours that cancel or are equal.
var (
	specialScalars = []*big.Int{
		big.NewInt(0), big.NewInt(1), new(big.Int).Sub(bnOrder, big.NewInt(1)), big.NewInt(2), new(big.Int).Lsh(big.NewInt(1), 253),
		new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 254), big.NewInt(1)), big.NewInt(1), bnOrder,
	}
	specialMultiples = []int64{0, 1, -1, 2, 1, -2, 1, 1, -1, -1, 3}
)

// multiple is the m with P_i = m G, i from 0 on.
func (m sumOf) multiple(i int64) int64 {
	if m.points == 1 {
		return specialMultiples[i%int64(len(specialMultiples))]
	}
	return i + 1
}

// multiples is the array of them: magnitude, with the sign in the last bit.
func (m sumOf) multiples() program.Source {
	return program.Source{Kind: program.Made, Make: func(_ int, first int64, into []uint32) {
		for k := range into {
			x := m.multiple(first + int64(k))
			into[k] = uint32(max(x, -x))
			if x < 0 {
				into[k] |= 1 << 31
			}
		}
	}}
}

// scalarSource is the array of scalars.
func (m sumOf) scalarSource() program.Source {
	if m.scalars == 0 {
		return program.Source{Kind: program.PhiloxRaw, ID: idScalars}
	}
	return program.Source{Kind: program.Made, Make: func(_ int, first int64, into []uint32) {
		for k := range into {
			i, w := (first+int64(k))/scalarWords, (first+int64(k))%scalarWords
			switch {
			case m.scalars == 1:
				into[k] = toLimbs(specialScalars[i%int64(len(specialScalars))]).words()[w]
			case w == 0:
				into[k] = uint32(i + 1)
			default:
				into[k] = 0
			}
		}
	}}
}

// scalarsOf returns what writes the words of scalar i, without the bits that do not count.
func (m sumOf) scalarsOf(seed uint64) func(i int64, into []uint32) {
	source := m.scalarSource()
	stream := suites.Stream{Seed: seed, Workload: msmNumber, Array: idScalars}
	return func(i int64, into []uint32) {
		if source.Kind == program.Made {
			source.Make(0, i*scalarWords, into)
		} else {
			for w := range into {
				into[w] = stream.Word(i*scalarWords + int64(w))
			}
		}
		into[scalarWords-1] &= 1<<(scalarBits-32*(scalarWords-1)) - 1
	}
}

// digit is the part of a scalar in a window.
func (m sumOf) digit(scalar []uint32, window int64) int64 {
	from, end := m.first(window), m.first(window+1)
	d := uint64(scalar[from/32])
	if from/32+1 < scalarWords {
		d |= uint64(scalar[from/32+1]) << 32
	}
	return int64(d >> (from % 32) & (1<<(end-from) - 1))
}
