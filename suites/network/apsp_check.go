package network

import (
	"container/heap"
	"math"

	"github.com/amgpu/amgpu/suites"
)

// sampledSources is how many rows of the matrix a check computes anew.
const sampledSources = 64

// edge is a neighbour and the weight of the way to it.
type edge struct {
	to     uint32
	weight uint32
}

// Verify computes the distances from sampled nodes by Dijkstra's algorithm, whole rows of
// the matrix; a full check does so from every node. On the rows it reads it checks the
// triangle inequality through a node chosen by Philox.
func (apsp) Verify(c *suites.Check) (suites.Outcome, error) {
	m, err := pathsOf(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	k := sampledSources
	if c.Full {
		k = int(m.n)
	}
	sources := suites.SampleIndices(c.Build.Seed, apspNumber, 0, m.n, k)
	rows := make([][]uint32, len(sources))
	for i, s := range sources {
		if rows[i], err = c.Out.Words("D", s*m.pitch, m.n); err != nil {
			return suites.Outcome{}, err
		}
	}
	graph := m.edges(c.Build.Seed)
	choice := suites.Stream{Seed: c.Build.Seed, Workload: apspNumber, Array: 0xFFFE}
	tally := suites.Spread(int64(len(sources)), func(lo, hi int64, t *suites.Tally) {
		for i := lo; i < hi; i++ {
			want := dijkstra(graph, sources[i])
			for j, d := range want {
				t.Float("D", sources[i]*m.pitch+int64(j), rows[i][j], d)
			}
			other := int64(choice.Word(i)) % int64(len(sources))
			via := float64(math.Float32frombits(rows[i][sources[other]]))
			for j, w := range rows[other] {
				direct := float64(math.Float32frombits(rows[i][j]))
				if around := via + float64(math.Float32frombits(w)); direct > around {
					t.Identity("D_ij <= D_ik + D_kj", sources[i]*m.pitch+int64(j), direct, around, 0)
				}
			}
			t.Identity("D_ii = 0", sources[i], float64(math.Float32frombits(rows[i][sources[i]])), 0, 0)
		}
	})
	if c.Build.Params["count"] == 1 {
		if err := m.checkCounts(c, &tally); err != nil {
			return suites.Outcome{}, err
		}
	}
	return tally.Outcome("E0", "D_ii = 0, D_ij <= D_ik + D_kj on the rows read"), nil
}

// edges lists the neighbours of every node.
func (m paths) edges(seed uint64) [][]edge {
	if m.given != nil {
		return m.given.rows()
	}
	words := suites.Stream{Seed: seed, Workload: apspNumber, Array: idWeight}
	out := make([][]edge, m.n)
	suites.Spread(m.n, func(lo, hi int64, _ *suites.Tally) {
		for i := lo; i < hi; i++ {
			for j := range m.n {
				if w := words.Word(i*m.n + j); w>>10 < m.chance && i != j {
					out[i] = append(out[i], edge{uint32(j), 1 + w&1023%m.weights})
				}
			}
		}
	})
	return out
}

// dijkstra is the distance from a node to all others, infinite where no way leads.
func dijkstra(graph [][]edge, source int64) []float32 {
	best := make([]float32, len(graph))
	for i := range best {
		best[i] = float32(math.Inf(1))
	}
	best[source] = 0
	queue := &frontier{{uint32(source), 0}}
	for queue.Len() > 0 {
		e := heap.Pop(queue).(edge)
		if float32(e.weight) > best[e.to] {
			continue
		}
		for _, next := range graph[e.to] {
			if d := e.weight + next.weight; float32(d) < best[next.to] {
				best[next.to] = float32(d)
				heap.Push(queue, edge{next.to, d})
			}
		}
	}
	return best
}

// frontier is a heap of nodes by distance.
type frontier []edge

func (f frontier) Len() int           { return len(f) }
func (f frontier) Less(i, j int) bool { return f[i].weight < f[j].weight }
func (f frontier) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(x any)        { *f = append(*f, x.(edge)) }
func (f *frontier) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}

// through counts the nodes t, to which the distances from s are direct and from v are onward,
// with a shortest path from s through v.
func through(s, v int64, direct, onward []float32) (n uint32) {
	if s == v {
		return 0
	}
	inf := float32(math.Inf(1))
	for t, d := range direct {
		if int64(t) != s && int64(t) != v && d != inf && direct[v]+onward[t] == d {
			n++
		}
	}
	return n
}

func asFloats(words []uint32) []float32 {
	out := make([]float32, len(words))
	for i, w := range words {
		out[i] = math.Float32frombits(w)
	}
	return out
}
