package network

import (
	"cmp"
	"fmt"
	"slices"
)

// sort numbers the nodes by their out-degree, largest first and otherwise in their order, so
// that what many rows read lies side by side (hub sorting: Zhang et al., Making Caches Work for
// Graph Analytics, 2017).
func (l *list) sort() {
	out := make([]uint32, l.n)
	for _, i := range l.from {
		out[i]++
	}
	nodes := make([]uint32, l.n)
	for i := range nodes {
		nodes[i] = uint32(i)
	}
	slices.SortStableFunc(nodes, func(a, b uint32) int { return cmp.Compare(out[b], out[a]) })
	number := out // no longer needed
	for k, i := range nodes {
		number[i] = uint32(k)
	}
	for k := range l.from {
		l.from[k], l.to[k] = number[l.from[k]], number[l.to[k]]
	}
}

// graph sorts the edges by their targets.
func (l *list) graph() (*graph, error) {
	g := &graph{n: l.n, edges: int64(len(l.from)), ptr: make([]uint32, l.n+1), out: make([]uint32, l.n)}
	start := make([]int64, l.n+1) // first edge of every row
	for _, j := range l.to {
		start[j+1]++
	}
	groups := int64(0)
	for i := range l.n {
		groups += (start[i+1] + groupEdges - 1) / groupEdges
		if groups > maxGroups {
			return nil, fmt.Errorf("too many edges: at most about %d are possible", int64(maxGroups)*groupEdges)
		}
		g.ptr[i+1] = uint32(groups)
		start[i+1] += start[i]
	}
	sorted := make([]uint32, len(l.from))
	next := append([]int64(nil), start...)
	for k, j := range l.to {
		sorted[next[j]] = l.from[k]
		next[j]++
	}
	l.from, l.to = nil, nil
	g.length = func(i int64) int64 { return start[i+1] - start[i] }
	g.row = func(i int64, into []uint32) int64 {
		n := copy(into, sorted[start[i]:start[i+1]])
		for k := n; k < len(into); k++ {
			into[k] = uint32(g.n)
		}
		return int64(n)
	}
	g.countOut()
	return g, nil
}
