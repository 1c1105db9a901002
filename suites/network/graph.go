// Package network holds the workloads over graphs and distances.
package network

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// A graph is stored by rows: row i lists the nodes with an edge to i, in groups of four
// filled up with the number n, one past the last node, which kernels read as zero.
const groupEdges = 4

// graph is what the workloads divide.
type graph struct {
	n     int64
	edges int64    // without the filling
	ptr   []uint32 // first group of every row, n+1 of them
	out   []uint32 // edges that leave each node
	// row fills all groups of row i and returns how many edges it has: length.
	row    func(i int64, into []uint32) int64
	length func(i int64) int64

	laying sync.Once
	laid   *laid
}

const (
	// maxNodes keeps row numbers, and maxGroups groups of edges, inside 32 bits.
	maxNodes  = 1 << 26
	maxGroups = 1 << 31
	// maxRow is the largest in-degree of a random graph.
	maxRow = 1024
)

// Philox array ids.
const (
	idDegree, idEdge, idState, idPosition, idWeight, idFeature, idLayer = 1, 2, 3, 4, 5, 6, 7
)

// randomGraph has power laws in both directions: in-degrees degree/2 / sqrt(u), whose
// mean is the degree, and sources n v^3, u and v uniform: sorted, as they are, or scattered
// over all numbers.
func randomGraph(number uint32, n, degree int64, seed uint64, sorted bool) (*graph, error) {
	if n < 1 || n > maxNodes {
		return nil, fmt.Errorf("%d nodes: choose 1 to %d", n, int64(maxNodes))
	}
	lengths := suites.Stream{Seed: seed, Workload: number, Array: idDegree}
	sources := suites.Stream{Seed: seed, Workload: number, Array: idEdge}
	length := func(i int64) int64 {
		u := (float64(lengths.Word(i)>>8) + 1) * 0x1p-24
		return min(int64(float64(degree)/2/math.Sqrt(u)), maxRow)
	}
	g := &graph{n: n, ptr: make([]uint32, n+1), out: make([]uint32, n)}
	suites.Spread(n, func(lo, hi int64, _ *suites.Tally) {
		for i := lo; i < hi; i++ {
			g.ptr[i+1] = uint32(length(i))
		}
	})
	groups := int64(0)
	for i := range n { // lengths to first groups
		g.edges += int64(g.ptr[i+1])
		groups += (int64(g.ptr[i+1]) + groupEdges - 1) / groupEdges
		if groups > maxGroups {
			return nil, fmt.Errorf("%d nodes of degree %d have too many edges: choose fewer", n, degree)
		}
		g.ptr[i+1] = uint32(groups)
	}
	g.length = length
	g.row = func(i int64, into []uint32) int64 {
		d := length(i)
		at := int64(g.ptr[i]) * groupEdges
		for k := range into {
			if int64(k) >= d {
				into[k] = uint32(n)
				continue
			}
			v := (float64(sources.Word(at+int64(k))>>8) + 0.5) * 0x1p-24
			into[k] = uint32(float64(n) * v * v * v)
			if !sorted {
				into[k] = scatter(int64(into[k]), n)
			}
		}
		slices.Sort(into[:d]) // as in files of sparse matrices
		return d
	}
	g.countOut()
	return g, nil
}

// scatter permutes [0,n): popular nodes do not lie side by side. The factor is a prime
// above every n.
func scatter(x, n int64) uint32 { return uint32(uint64(x) * 2654435761 % uint64(n)) }

// countOut counts the edges that leave each node.
func (g *graph) countOut() {
	suites.Spread(g.n, func(lo, hi int64, _ *suites.Tally) {
		var buffer []uint32
		for i := lo; i < hi; i++ {
			var d int64
			buffer, d = g.sources(i, buffer)
			for _, j := range buffer[:d] {
				atomic.AddUint32(&g.out[j], 1)
			}
		}
	})
}

// sources are the groups of row i and its in-degree; it reuses the buffer.
func (g *graph) sources(i int64, buffer []uint32) ([]uint32, int64) {
	size := int(g.ptr[i+1]-g.ptr[i]) * groupEdges
	if cap(buffer) < size {
		buffer = make([]uint32, 2*size)
	}
	buffer = buffer[:size]
	return buffer, g.row(i, buffer)
}

// graphKey names a graph in the cache.
type graphKey struct {
	number    uint32
	n, degree int64
	seed      uint64
	sorted    bool
	path      string
	stamp     int64
}

// The graphs used last: a sweep asks for the same ones again and again, and the largest
// take seconds to make.
var graphs kept[graphKey, *graph]

// graphOf returns the graph of a build: of its input file, or random. A sorted one has its nodes
// numbered by their out-degree, largest first.
func graphOf(number uint32, b suites.Build, sorted bool) (*graph, error) {
	if b.Input != "" {
		stamp, err := stampOf(b.Input)
		if err != nil {
			return nil, err
		}
		return graphs.get(graphKey{path: b.Input, stamp: stamp, sorted: sorted}, func() (*graph, error) { return inputGraph(b.Input, stamp, sorted) })
	}
	key := graphKey{number: number, n: b.Size, degree: b.Params["degree"], seed: b.Seed, sorted: sorted}
	return graphs.get(key, func() (*graph, error) { return randomGraph(number, b.Size, key.degree, b.Seed, sorted) })
}

// divide cuts chunks of rows by their edges and rows, as far as whole chunks allow. There
// is always a place behind the last node in them.
func (g *graph) divide(b suites.Build, chunk int64) (chunks int64, shares []program.Share) {
	chunks = g.n/chunk + 1
	cost := func(u int64) int64 {
		i := min(u*chunk, g.n)
		return int64(g.ptr[i])*groupEdges + i
	}
	lo := int64(0)
	for _, s := range b.Divide(cost(chunks), 1) {
		hi := chunks
		if s.Hi < cost(chunks) { // the boundary that comes nearest
			hi = int64(sort.Search(int(chunks), func(u int) bool { return cost(int64(u)) >= s.Hi }))
			if hi > lo && s.Hi-cost(hi-1) < cost(hi)-s.Hi {
				hi--
			}
			hi = max(hi, lo)
		}
		shares = append(shares, program.Share{Lo: lo, Hi: hi})
		lo = hi
	}
	return chunks, shares
}

// arrays are the rows of a graph as a program holds them: "ptr", for every chunk the first
// groups of its rows and the end of the last, and "edges" of a device's own rows.
func (g *graph) arrays(chunk int64, shares []program.Share, chunks int64) []program.Array {
	most := int64(1)
	for _, s := range shares {
		most = max(most, g.groups(s, chunk))
	}
	ptr := func(_ int, first int64, into []uint32) {
		for k := range into {
			at := first + int64(k)
			into[k] = g.ptr[min(at/(chunk+1)*chunk+at%(chunk+1), g.n)]
		}
	}
	return []program.Array{
		{Name: "ptr", Elem: program.U32, Layout: program.Split, Units: chunks, Stride: chunk + 1, Source: program.Source{Kind: program.Made, Make: ptr}},
		{Name: "edges", Elem: program.U32, Layout: program.Local, Units: most, Stride: groupEdges, Distinct: true,
			Source: program.Source{Kind: program.Made, Make: func(rank int, first int64, into []uint32) {
				g.fill(g.base(shares[rank], chunk)*groupEdges+first, into)
			}}},
	}
}

// base is the first group of a share, groups how many it has.
func (g *graph) base(s program.Share, chunk int64) int64 { return int64(g.ptr[min(s.Lo*chunk, g.n)]) }

func (g *graph) groups(s program.Share, chunk int64) int64 {
	return int64(g.ptr[min(s.Hi*chunk, g.n)]) - g.base(s, chunk)
}

// fill writes the edges from number first on, filling included, beyond the last row the
// number n.
func (g *graph) fill(first int64, into []uint32) {
	i := int64(sort.Search(int(g.n), func(i int) bool { return int64(g.ptr[i+1])*groupEdges > first }))
	var buffer []uint32
	for len(into) > 0 && i < g.n {
		buffer, _ = g.sources(i, buffer)
		from := max(first-int64(g.ptr[i])*groupEdges, 0)
		n := copy(into, buffer[from:])
		into, first = into[n:], first+int64(n)
		i++
	}
	for k := range into {
		into[k] = uint32(g.n)
	}
}
