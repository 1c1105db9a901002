// Package comm holds the workloads that only communicate. Sizes, and the rates they
// report, follow nccl-tests: a rate is the bus bandwidth, which the hardware's links
// bound whatever the number of devices.
package comm

import (
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// Operands lie in [lo,hi), bounds chosen so that they are on no common grid on which
// sums of a few would be exact: an order of its own shows in the bits.
const (
	number = 41
	idIn   = 1
	lo, hi = float32(-1.1), float32(1.3)
)

// maxSize keeps sizes in bytes far from the end of 64 bits.
const maxSize = 1 << 44

// sizes in float32 elements: 64 KiB, 64 MiB, 1 GiB.
var sizes = suites.Sizes{S: 1 << 14, M: 1 << 24, L: 1 << 28}

// family is what all workloads of the package declare.
func family(id, doc string) suites.Info {
	return suites.Info{
		ID: id, Number: number, Doc: doc,
		Source:     "gocuda; bus bandwidth as nccl-tests defines it",
		Sizes:      sizes,
		Arithmetic: "none", WorkUnit: "B",
		Splits: []string{"ranks"},
		Weak:   "the buffer is the same in both modes; the rate is bus bandwidth, and S/t of a local copy on one device",
	}
}

// unscaled keeps the buffer in weak mode: its size is that of nccl-tests in both.
type unscaled struct{}

// WeakSize is the size of one device.
func (unscaled) WeakSize(n int64, _ int) int64 { return n }

// check refuses sizes and algorithms that cannot be built; it returns the algorithm.
func check(info suites.Info, b suites.Build) (string, error) {
	if b.Size < 1 || b.Size > maxSize {
		return "", fmt.Errorf("%s: %d elements: choose a size above 0, up to %d", info.ID, b.Size, int64(maxSize))
	}
	if len(info.Algorithms) == 0 || b.Algorithm == "" {
		return program.Auto, nil
	}
	if !slices.Contains(info.Algorithms, b.Algorithm) {
		return "", fmt.Errorf("%s: algorithm %q: choose one of %v", info.ID, b.Algorithm, info.Algorithms)
	}
	return b.Algorithm, nil
}

// factor is bus bandwidth over S/t: times (N-1)/N for every pass over the buffer
// (nccl-tests). On one device it would be 0: a collective is a copy there, and S/t
// stands for itself.
func factor(passes float64, count int) float64 {
	if count < 2 {
		return 1
	}
	return passes * float64(count-1) / float64(count)
}

// alone is a collective on one device: a copy of n elements.
func alone(n int64, into program.Array) *program.Program {
	return &program.Program{
		Units: n, Shares: []program.Share{{Lo: 0, Hi: n}},
		Arrays: []program.Array{
			{Name: "in", Layout: program.Local, Units: n, Stride: 1, Source: program.Random(idIn, lo, hi)},
			into,
		},
		Steps: []program.Step{program.Send{Array: "in", Into: into.Name, Pairs: []program.Pair{{}}}},
		Work:  4 * float64(n), Bytes: 8 * float64(n),
	}
}

// shares divides n elements at multiples of 256 bytes where there are enough.
func shares(b suites.Build, n int64) []program.Share {
	granule := int64(program.SliceGranule)
	if n < granule*int64(b.Count) {
		granule = 1
	}
	return b.Divide(n, granule)
}

// operand is element i of the operand of a rank.
func operand(seed uint64, rank int, i int64) float32 {
	return suites.Stream{Seed: seed, Workload: number, Array: idIn + uint32(rank)<<16}.F32(i, lo, hi)
}

// runLength and runs are the stretches of a sampled check: Philox-chosen, at both
// ends, and where a buffer is cut in slices or shares.
const runLength, runs = 32, 64

// compare checks elements [0,n) of an array on a device, or (device -1) by global
// index: all of them when the check is full.
func compare(c *suites.Check, all *suites.Tally, array string, device int, n int64, want func(i int64) float32) error {
	name := array + " element "
	if device >= 0 {
		name = fmt.Sprintf("%s of device %d, element ", array, device)
	}
	for _, s := range stretches(c, n) {
		var got []uint32
		var err error
		if device >= 0 {
			got, err = c.Out.LocalWords(array, device, s.Lo, s.Len())
		} else {
			got, err = c.Out.Words(array, s.Lo, s.Len())
		}
		if err != nil {
			return err
		}
		all.Add(suites.Spread(s.Len(), func(first, last int64, t *suites.Tally) {
			for i := first; i < last; i++ {
				t.Float(name, s.Lo+i, got[i], want(s.Lo+i))
			}
		}))
	}
	return nil
}

// stretches lists the elements to compare.
func stretches(c *suites.Check, n int64) []program.Share {
	if c.Full || n <= runLength*runs {
		var out []program.Share
		for at := int64(0); at < n; at += 1 << 20 {
			out = append(out, program.Share{Lo: at, Hi: min(at+1<<20, n)})
		}
		return out
	}
	at := suites.SampleIndices(c.Build.Seed, number, 0, n, runs)
	for _, part := range program.RankSlices(n, c.Build.Count) {
		at = append(at, part.Lo-runLength/2, part.Hi-runLength/2)
	}
	for _, part := range c.Program.Shares {
		at = append(at, part.Lo-runLength/2, part.Hi-runLength/2)
	}
	for i := range at {
		at[i] = min(max(at[i], 0), n-runLength)
	}
	slices.Sort(at)
	var out []program.Share
	for _, a := range slices.Compact(at) {
		out = append(out, program.Share{Lo: a, Hi: a + runLength})
	}
	return out
}
