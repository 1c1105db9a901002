package network

import "fmt"

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
			return nil, fmt.Errorf("input: too many edges: at most about %d are possible", int64(maxGroups)*groupEdges)
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
