package engine

import (
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk/peer"
)

// way is how a collective or an exchange is carried out.
type way struct {
	algorithm string
	chunks    int
	relay     bool // through the session's relay
	inPlace   bool // sums read the slots in the memory of the host
	shader    bool // shaders copy to and from the memory of the host
}

// Where auto has something to choose, in bytes: outside these bounds one way is
// certain to lose, or takes too much memory.
const (
	mostOneShot  = 64 << 20 // received by one device
	leastTwoShot = 16 << 10
	mostDoubling = 16 << 20
	leastChunked = 4 << 20 // of one slice
	mostRelayed  = 256 << 10
	mostInPlace  = 1 << 20
)

// wayOf is how a collective is carried out: as measured, else the first that may be
// tried.
func (s *Session) wayOf(st program.Step) way {
	if w, ok := s.plans[stepKey(st)]; ok {
		return w
	}
	if ways := s.ways(st); len(ways) > 0 {
		return ways[0]
	}
	return way{}
}

// ways lists how a collective may be carried out: by the algorithm asked for, else by
// those that keep the order promised and can be the fastest.
func (s *Session) ways(st program.Step) []way {
	n, size := int64(len(s.team)), s.stepBytes(st)
	switch st := st.(type) {
	case program.AllReduce:
		if st.Order == program.ByChunk {
			return s.chunkWays(st)
		}
		algorithms := asked(st.Algorithm, program.OneShot)
		if auto(st.Algorithm) && n > 1 {
			algorithms = reductions(size, n)
			if s.near() > 0 && size >= leastTwoShot {
				algorithms = append(algorithms, program.Hierarchical)
			}
		}
		return s.landed(s.chunked(algorithms, program.TwoShot, st.Chunks, size/n), st.Array, size)
	case program.ReduceScatter:
		return s.chunked(asked(st.Algorithm, program.OneShot), program.OneShot, st.Chunks, size/n)
	case program.AllGather:
		return s.relayed(plain(asked(st.Algorithm, program.OneShot)), size)
	case program.AllToAll:
		return s.relayed([]way{{}}, size)
	case program.Send:
		return s.relayed([]way{{}}, size)
	case program.Exchange:
		return s.relayed([]way{{}}, size)
	case program.Broadcast:
		algorithms := asked(st.Algorithm, program.OneShot)
		if auto(st.Algorithm) && st.Parts == nil && n > 2 && size >= leastTwoShot {
			algorithms = append(algorithms, program.TwoShot)
		}
		return s.relayed(plain(algorithms), size)
	}
	return nil
}

// chunkWays are the ways of a reduction of canonical chunks, whatever algorithm is asked
// for, unless it is the hierarchical one and can be: all combine along the same tree.
func (s *Session) chunkWays(st program.AllReduce) []way {
	in, ok := s.prog.Array(st.Array)
	if !ok || len(s.team) < 2 {
		return nil
	}
	size := s.rootBytes(in)
	algorithms := []string{program.OneShot}
	near := s.nearTree(in)
	if size >= leastTwoShot {
		algorithms = append(algorithms, program.TwoShot)
		if near {
			algorithms = append(algorithms, program.Hierarchical)
		}
	}
	if near && st.Algorithm == program.Hierarchical {
		algorithms = []string{program.Hierarchical}
	}
	return s.relayed(plain(algorithms), size)
}

// most is the longest of some arrays.
func most(names []string, bytes func(string) int64) int64 {
	var n int64
	for _, name := range names {
		n = max(n, bytes(name))
	}
	return n
}

// haloBytes is what one device receives at most from an exchange.
func (s *Session) haloBytes(st program.Exchange) int64 {
	var n int64
	for _, name := range st.Arrays {
		if a, ok := s.prog.Array(name); ok {
			depth := st.Depth
			if depth == 0 {
				depth = a.Halo
			}
			n += 2 * depth * a.Stride * wordBytes
		}
	}
	return n
}

// relayed adds, for what is small, the relay where it may be faster, and shaders instead
// of copies through host memory.
func (s *Session) relayed(ways []way, size int64) []way {
	lands, _ := s.transport.(peer.Lander)
	if size > mostRelayed || s.relay == nil && (lands == nil || !lands.Lands()) {
		return ways
	}
	for _, w := range ways {
		if s.relay != nil {
			w.relay = true
			ways = append(ways, w)
		}
		w.shader = true
		ways = append(ways, w)
	}
	return ways
}

// landed adds sums that read small operands in the memory of the host, where the
// algorithm is to send everything at once: then all receivers read the same bytes, which
// lie there in the order of the ranks. The slices of a reduce-scatter do not.
func (s *Session) landed(ways []way, array string, size int64) []way {
	relay, over := s.relay != nil, s.transport
	if relay {
		over = s.relay
	}
	if t, ok := over.(peer.Lander); !ok || !t.Lands() || relay && size > mostRelayed || size > mostInPlace || len(s.arrays[0][array].pieces) > 1 {
		return ways
	}
	for _, w := range ways {
		if w.algorithm == program.OneShot && w.chunks == 1 {
			w.relay, w.inPlace = relay, true
			ways = append(ways, w)
			if size <= mostRelayed {
				w.shader = true
				ways = append(ways, w)
			}
			return ways
		}
	}
	return ways
}

// reductions are the algorithms that auto tries for an all-reduce of size bytes: all
// add in the same order.
func reductions(size, n int64) []string {
	var out []string
	if size*(n-1) <= mostOneShot {
		out = append(out, program.OneShot)
	}
	if size >= leastTwoShot || len(out) == 0 {
		out = append(out, program.TwoShot)
	}
	if n > 2 && size <= mostDoubling {
		out = append(out, program.RecursiveDoubling)
	}
	return out
}

func auto(algorithm string) bool { return algorithm == "" || algorithm == program.Auto }

func asked(algorithm, otherwise string) []string {
	if auto(algorithm) {
		return []string{otherwise}
	}
	return []string{algorithm}
}

func plain(algorithms []string) []way {
	var out []way
	for _, a := range algorithms {
		out = append(out, way{algorithm: a, chunks: 1})
	}
	return out
}

// chunked adds, to one of the algorithms, the numbers of chunks: the one asked for,
// else those that may pay. Chunks let sums overlap copies, which only copy engines do.
func (s *Session) chunked(algorithms []string, which string, chunks int, slice int64) []way {
	var out []way
	for _, a := range algorithms {
		switch {
		case a != which:
			out = append(out, way{algorithm: a, chunks: 1})
		case chunks > 0:
			out = append(out, way{algorithm: a, chunks: chunks})
		default:
			out = append(out, way{algorithm: a, chunks: 1})
			if s.engines() && slice >= leastChunked {
				out = append(out, way{algorithm: a, chunks: 2}, way{algorithm: a, chunks: 4})
			}
		}
	}
	return out
}

// engines says whether copies of this team go on beside the queues.
func (s *Session) engines() bool {
	return s.transport != nil && (s.transport.Name() == peer.CUDA || s.transport.Name() == peer.Mixed)
}
