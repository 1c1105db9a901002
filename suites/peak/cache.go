package peak

import (
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// A unit of the bandwidths reads roundBytes in each of its rounds.
const roundBytes = groupSize * 16 * 16

// gathered is what an invocation leaves of its sums.
func gathered(s [4]uint32) uint32 { return s[0] + 3*s[1] + 5*s[2] + 7*s[3] }

func init() {
	repeat := func(n int64) []suites.Param {
		return []suites.Param{{Name: "repeat", Doc: "rounds of 16 loads of an invocation", Default: n, Min: 1, Max: 1024}}
	}
	suites.Register(units{
		info: unitInfo(suites.Info{
			ID: "peak/shared-memory", Roof: "shared memory", WorkUnit: "B", Params: repeat(64),
			Doc:      "Bandwidth of shared memory: vectors of 16 bytes, neighbours beside each other",
			Formula:  "each invocation adds up 16 repeat vectors of 1024 that its work-group holds",
			Sizes:    suites.Sizes{S: 8, M: 1 << 17, L: 1 << 19},
			SizeUnit: "work-groups", Bytes: "1028 per work-group (65,536 repeat are read from shared memory)",
		}),
		most: 1 << 32, out: "sums",
		build: func(b suites.Build, p *program.Program, shares []program.Share) {
			n, r := float64(b.Size), b.Params["repeat"]
			p.Arrays = []program.Array{output("sums", b.Size, groupSize), words32("seed", program.Split, b.Size, 1, raw(idX))}
			p.Kernels = []program.Kernel{{Name: "main", Shader: "peak/shared"}}
			p.Steps = []program.Step{program.Dispatch{Label: "read", Kernel: "main", On: launches(shares, 1, uint32(r)),
				Bind: []program.Binding{{Array: "sums", Access: program.Write}, {Array: "seed", Access: program.Read}}}}
			p.Work, p.Bytes = roundBytes*float64(r)*n, 4*(groupSize+1)*n
		},
		judge: func(c *suites.Check) func(int64, []uint32, *suites.Tally) {
			seed, rounds := word(c, raw(idX)), uint32(c.Build.Params["repeat"])
			return func(u int64, got []uint32, t *suites.Tally) {
				s := seed(u)
				for i := range uint32(groupSize) {
					var sum [4]uint32
					for k := range rounds {
						at := (i + 37*k) & 511
						for j := range uint32(16) {
							h := (at+32*j+1)*0x9E3779B9 ^ s
							for l, f := range [4]uint32{1, 3, 5, 7} {
								sum[l] += h * f
							}
						}
					}
					t.Bits("sums", u*groupSize+int64(i), got[i], gathered(sum))
				}
			}
		},
	})

	suites.Register(units{
		info: unitInfo(suites.Info{
			ID: "peak/l2", Roof: "L2", WorkUnit: "B", Params: repeat(8),
			Doc:      "Bandwidth of the last-level cache: work-groups read stretches of an array of 8 MiB (below M 1 MiB)",
			Formula:  "each work-group adds up 4096 repeat vectors from a place of its own on",
			Sizes:    suites.Sizes{S: 32, M: 1 << 18, L: 1 << 20},
			SizeUnit: "work-groups", Bytes: "the array once and 1024 per work-group (65,536 repeat are read from the cache)",
		}),
		most: 1 << 32, out: "sums",
		build: func(b suites.Build, p *program.Program, shares []program.Share) {
			n, r, vectors := float64(b.Size), b.Params["repeat"], cached(b)
			p.Arrays = []program.Array{output("sums", b.Size, groupSize), words32("x", program.Replicated, vectors, 4, raw(idX))}
			p.Kernels = []program.Kernel{{Name: "main", Shader: "peak/l2"}}
			p.Steps = []program.Step{program.Dispatch{Label: "read", Kernel: "main", On: launches(shares, 1, uint32(r), uint32(vectors)),
				Bind: []program.Binding{{Array: "sums", Access: program.Write}, {Array: "x", Access: program.Read, Window: program.Whole}}}}
			p.Work, p.Bytes = roundBytes*float64(r)*n, 16*float64(vectors)*float64(b.Count)+4*groupSize*n
		},
		judge: func(c *suites.Check) func(int64, []uint32, *suites.Tally) {
			x, vectors, rounds := word(c, raw(idX)), cached(c.Build), uint32(c.Build.Params["repeat"])
			held := make([]uint32, 4*vectors)
			suites.Spread(int64(len(held)), func(lo, hi int64, _ *suites.Tally) {
				for i := lo; i < hi; i++ {
					held[i] = x(i)
				}
			})
			return func(u int64, got []uint32, t *suites.Tally) {
				place := uint32(u) * 0x9E3779B1 >> 16
				for i := range uint32(groupSize) {
					var sum [4]uint32
					for k := range rounds {
						at := place*groupSize + 4096*k + i
						for j := range uint32(16) {
							v := int64(at+groupSize*j) & (vectors - 1)
							for l := range sum {
								sum[l] += held[4*v+int64(l)]
							}
						}
					}
					t.Bits("sums", u*groupSize+int64(i), got[i], gathered(sum))
				}
			}
		},
	})
}

// cached is the length of peak/l2's array in vectors of 16 bytes.
func cached(b suites.Build) int64 {
	if b.Size < 1<<18 {
		return 1 << 16
	}
	return 1 << 19
}
