package peak

import (
	"math/bits"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const (
	hops      = 1024 // of a chase
	nodeWords = 32   // a node every 128 bytes
	// A chain i -> factor i + term modulo a power of two passes all nodes (Hull and
	// Dobell 1962: factor 1 modulo 4, term odd) in an order that no prefetcher follows.
	factor, term = 1664525, 1013904223
	// sharedNodes is the length of the chain in shared memory.
	sharedNodes = 4096
)

func init() {
	for _, k := range []struct {
		id, doc, bytes string
		small, large   int64 // nodes below M and from M on
		sizes          suites.Sizes
		shared         bool
	}{
		{"latency-memory", "Latency of the memory: dependent loads from an array of 256 MiB (below M 4 MiB)", "the array once, 4 per chase", 1 << 15, 1 << 21, suites.Sizes{S: 32, M: 1 << 8, L: 1 << 9}, false},
		{"latency-l2", "Latency of the last-level cache: dependent loads from an array of 4 MiB (below M 256 KiB)", "the array once, 4 per chase", 1 << 11, 1 << 15, suites.Sizes{S: 32, M: 1 << 9, L: 1 << 10}, false},
		{"latency-shared", "Latency of shared memory: dependent loads from 16 KiB", "4 per chase", sharedNodes, sharedNodes, suites.Sizes{S: 32, M: 1 << 12, L: 1 << 13}, true},
	} {
		nodesOf := func(b suites.Build) int64 {
			if b.Size < k.sizes.M {
				return k.small
			}
			return k.large
		}
		suites.Register(units{
			info: unitInfo(suites.Info{
				ID: "peak/" + k.id, Doc: k.doc, WorkUnit: "hop", SizeUnit: "chases of 1024 hops, one after the other",
				Formula: "i -> 1664525 i + 1013904223 mod the number of nodes; a hop takes the inverse of the rate",
				Sizes:   k.sizes, Bytes: k.bytes,
			}),
			most: 1 << 20, out: "ends",
			build: func(b suites.Build, p *program.Program, shares []program.Share) {
				n, nodes := float64(b.Size), nodesOf(b)
				p.Arrays = []program.Array{output("ends", b.Size, 1)}
				d := program.Dispatch{Label: "chase", Kernel: "main", Bind: []program.Binding{{Array: "ends", Access: program.Write}}}
				p.Work, p.Bytes = hops*n, 4*n
				push := []uint32{uint32(nodes)}
				if k.shared {
					push = []uint32{factor, term}
					p.Kernels = []program.Kernel{{Name: "main", Shader: "peak/latency_shared"}}
				} else {
					p.Arrays = append(p.Arrays, words32("next", program.Replicated, nodes, nodeWords, program.Source{Kind: program.Made, ID: idX,
						Make: func(_ int, first int64, into []uint32) { chain(nodes, first, into) }}))
					p.Kernels = []program.Kernel{{Name: "main", Shader: "peak/latency"}}
					d.Bind = append(d.Bind, program.Binding{Array: "next", Access: program.Read, Window: program.Whole})
					p.Bytes += 4 * nodeWords * float64(nodes) * float64(b.Count)
				}
				d.On = launches(shares, 1, push...)
				for i := range d.On {
					d.On[i].Div = 1 << 40 // one work-group for all units
				}
				p.Steps = []program.Step{d}
			},
			judge: func(c *suites.Check) func(int64, []uint32, *suites.Tally) {
				nodes, scale := nodesOf(c.Build), uint32(nodeWords)
				if k.shared {
					scale = 1
				}
				return func(u int64, got []uint32, t *suites.Tally) {
					at := uint32(u) * 0x9E3779B1 & uint32(nodes-1)
					for range hops {
						at = next(at, nodes)
					}
					t.Bits("ends", u, got[0], scale*at)
				}
			},
		})
	}
}

func next(i uint32, nodes int64) uint32 { return (factor*i + term) & uint32(nodes-1) }

// chain fills the words of the array of nodes from element first on: a node holds the
// element of the node after it.
func chain(nodes, first int64, into []uint32) {
	clear(into)
	shift := bits.TrailingZeros64(nodeWords)
	for i := (first + nodeWords - 1) >> shift; i < nodes && i<<shift < first+int64(len(into)); i++ {
		into[i<<shift-first] = next(uint32(i), nodes) << shift
	}
}
