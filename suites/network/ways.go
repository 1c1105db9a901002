package network

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// ways are the weighted edges of a graph, row i those that leave node i, by their targets,
// each target once.
type ways struct {
	n     int64
	start []uint32 // first edge of every row, n+1 of them
	edges []edge
}

func (w *ways) row(i int64) []edge { return w.edges[w.start[i]:w.start[i+1]] }

// rows lists all of them.
func (w *ways) rows() [][]edge {
	out := make([][]edge, w.n)
	for i := range out {
		out[i] = w.row(int64(i))
	}
	return out
}

// wayKey names a file of ways in the cache.
type wayKey struct {
	path  string
	stamp int64
	hops  bool
}

var fileWays kept[wayKey, *ways]

// waysOf returns the ways of the input file of a build.
func waysOf(b suites.Build) (*ways, error) {
	stamp, err := stampOf(b.Input)
	if err != nil {
		return nil, err
	}
	key := wayKey{b.Input, stamp, b.Params["hops"] == 1}
	return fileWays.get(key, func() (*ways, error) { return readWays(b.Input, stamp, key.hops) })
}

// readWays reads a file of edges; with hops every edge counts 1. Of several edges between two
// nodes the shortest counts; one from a node to itself leads nowhere.
func readWays(path string, stamp int64, hops bool) (*ways, error) {
	l, err := takeList(path, stamp, pathGraph)
	if err != nil {
		return nil, err
	}
	if l.fault != nil && !hops {
		return nil, l.fault
	}
	name := filepath.Base(path)
	weightOf := func(k int) uint32 {
		if hops {
			return 1
		}
		return l.weights[k]
	}
	w := &ways{n: l.n, start: make([]uint32, l.n+1)}
	start := make([]int64, l.n+1)
	for _, i := range l.from {
		start[i+1]++
	}
	for i := range l.n {
		start[i+1] += start[i]
	}
	sorted := make([]edge, len(l.from))
	next := slices.Clone(start)
	for k, i := range l.from {
		sorted[next[i]] = edge{l.to[k], weightOf(k)}
		next[i]++
	}
	l.from, l.to, l.weights = nil, nil, nil
	w.edges = sorted[:0] // no row becomes longer
	var longest uint64
	for i := range l.n {
		row := sorted[start[i]:start[i+1]]
		slices.SortFunc(row, func(a, b edge) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.weight, b.weight)) })
		row = slices.DeleteFunc(row, func(e edge) bool { return int64(e.to) == i })
		row = slices.CompactFunc(row, func(a, b edge) bool { return a.to == b.to })
		heaviest := uint32(0)
		for _, e := range row {
			heaviest = max(heaviest, e.weight)
		}
		longest += uint64(heaviest)
		w.edges = append(w.edges, row...)
		w.start[i+1] = uint32(len(w.edges))
	}
	if longest > mostWeight { // a shortest path leaves no node twice
		return nil, fmt.Errorf("input %s: a path may be as long as %d, the sum of the heaviest edge of each node, and float32 is exact up to %d: "+
			"give smaller weights, or let every edge count 1 with --param hops=1", name, longest, mostWeight)
	}
	return w, nil
}

// arrays are the rows as a program holds them, in units of blockRows: "starts", for every
// unit the first edges of its rows and the end of the last, and "edges" of a device's own.
func (w *ways) arrays(units int64, shares []program.Share) []program.Array {
	const stride = blockRows + 1
	starts := func(_ int, first int64, into []uint32) {
		for k := range into {
			at := first + int64(k)
			into[k] = w.start[min(at/stride*blockRows+at%stride, w.n)]
		}
	}
	edges := func(rank int, first int64, into []uint32) {
		for k := range into {
			at := int64(w.base(shares[rank].Lo)) + (first+int64(k))/2
			switch {
			case at >= int64(len(w.edges)):
				into[k] = 0
			case (first+int64(k))%2 == 0:
				into[k] = w.edges[at].to
			default:
				into[k] = w.edges[at].weight
			}
		}
	}
	most := int64(1)
	for _, s := range shares {
		most = max(most, int64(w.base(s.Hi)-w.base(s.Lo)))
	}
	return []program.Array{
		{Name: "starts", Elem: program.U32, Layout: program.Split, Units: units, Stride: stride, Source: program.Source{Kind: program.Made, Make: starts}},
		{Name: "edges", Elem: program.U32, Layout: program.Local, Units: most, Stride: 2, Distinct: true, Source: program.Source{Kind: program.Made, Make: edges}},
	}
}

// base is the first edge of a unit.
func (w *ways) base(unit int64) uint32 { return w.start[min(unit*blockRows, w.n)] }
