package peak

import (
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// members are the invocations of a unit that adds in global memory.
const members = groupSize * groupSize

func init() {
	for _, k := range []struct {
		id, doc  string
		counters int64
		repeat   int64
		sizes    suites.Sizes
	}{
		{"atomic-same", "Rate of atomic additions in global memory, 65,536 invocations to one counter", 1, 16, suites.Sizes{S: 2, M: 1 << 6, L: 1 << 8}},
		{"atomic-own", "Rate of atomic additions in global memory, each invocation to a counter of its own", members, 64, suites.Sizes{S: 2, M: 1 << 6, L: 1 << 7}},
	} {
		suites.Register(units{
			info: unitInfo(suites.Info{
				ID: "peak/" + k.id, Doc: k.doc, WorkUnit: "op", SizeUnit: "units of 65,536 invocations", Sizes: k.sizes,
				Formula: "counter += m + 3 k + 1 for member m and k below repeat, modulo 2^32", Bytes: "8 per counter",
				Params: []suites.Param{{Name: "repeat", Doc: "additions of an invocation", Default: k.repeat, Min: 1, Max: 1 << 16}},
			}),
			most: 1 << 14, out: "counters",
			build: func(b suites.Build, p *program.Program, shares []program.Share) {
				n, r := float64(b.Size), b.Params["repeat"]
				p.Arrays = []program.Array{output("counters", b.Size, k.counters)}
				p.Kernels = []program.Kernel{{Name: "clear", Shader: "peak/clear"}, {Name: "main", Shader: "peak/atomic"}}
				clearing := launches(shares, k.counters, uint32(k.counters))
				for i := range clearing {
					clearing[i].Div = groupSize
				}
				p.Steps = []program.Step{
					program.Dispatch{Label: "clear", Kernel: "clear", On: clearing, Bind: []program.Binding{{Array: "counters", Access: program.Write}}},
					program.Dispatch{Label: "add", Kernel: "main", On: launches(shares, groupSize, uint32(r), uint32(k.counters)),
						Bind: []program.Binding{{Array: "counters", Access: program.ReadWrite}}},
				}
				p.Work, p.Bytes = members*float64(r)*n, 8*float64(k.counters)*n
			},
			judge: func(c *suites.Check) func(int64, []uint32, *suites.Tally) {
				r := uint32(c.Build.Params["repeat"])
				want := make([]uint32, k.counters)
				for m := range uint32(members) {
					want[m%uint32(k.counters)] += added(m, r)
				}
				return func(u int64, got []uint32, t *suites.Tally) {
					for i, w := range want {
						t.Bits("counters", u*k.counters+int64(i), got[i], w)
					}
				}
			},
		})
	}
	for _, k := range []struct {
		id, doc  string
		counters uint32
	}{
		{"atomic-shared-same", "Rate of atomic additions in shared memory, a work-group to one counter", 1},
		{"atomic-shared-own", "Rate of atomic additions in shared memory, each invocation to a counter of its own", groupSize},
	} {
		suites.Register(units{
			info: unitInfo(suites.Info{
				ID: "peak/" + k.id, Doc: k.doc, WorkUnit: "op", SizeUnit: "work-groups", Sizes: suites.Sizes{S: 16, M: 1 << 16, L: 1 << 18},
				Formula: "counter += m + 3 k + 1 for member m and k below repeat, modulo 2^32", Bytes: "1024 per work-group",
				Params: []suites.Param{{Name: "repeat", Doc: "additions of an invocation", Default: 256, Min: 1, Max: 1 << 16}},
			}),
			most: 1 << 32, out: "sums",
			build: func(b suites.Build, p *program.Program, shares []program.Share) {
				n, r := float64(b.Size), b.Params["repeat"]
				p.Arrays = []program.Array{output("sums", b.Size, groupSize)}
				p.Kernels = []program.Kernel{{Name: "main", Shader: "peak/atomic_shared"}}
				p.Steps = []program.Step{program.Dispatch{Label: "add", Kernel: "main", On: launches(shares, 1, uint32(r), k.counters),
					Bind: []program.Binding{{Array: "sums", Access: program.Write}}}}
				p.Work, p.Bytes = groupSize*float64(r)*n, 4*groupSize*n
			},
			judge: func(c *suites.Check) func(int64, []uint32, *suites.Tally) {
				r := uint32(c.Build.Params["repeat"])
				var sums [groupSize]uint32
				for m := range uint32(groupSize) {
					sums[m%k.counters] += added(m, r)
				}
				return func(u int64, got []uint32, t *suites.Tally) {
					for i := range uint32(groupSize) {
						t.Bits("sums", u*groupSize+int64(i), got[i], uint32(u)+sums[i%k.counters]+i)
					}
				}
			},
		})
	}
}

// added is what member m adds in r rounds: m + 3 k + 1 over k < r.
func added(m, r uint32) uint32 { return r*(m+1) + uint32(3*uint64(r)*uint64(r-1)/2) }
