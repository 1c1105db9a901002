package network

import (
	"slices"

	"github.com/amgpu/amgpu/suites/program"
)

// The rows of a graph as invocations walk them side by side: jagged diagonals. The 256 rows of
// a block are sorted by their length, longest first, and their groups of edges lie in the order
// in which a work-group reads them: the first group of every row, the second one of every row
// that has two, and so on. So neighbouring invocations have rows of about one length and read
// neighbouring words. (Y. Saad, Iterative Methods for Sparse Linear Systems, 3.4; sorted within
// blocks as in Kreutzer et al., SIAM J. Sci. Comput. 36(5), 2014.)

// diagonalRows is the rows of a block.
const diagonalRows = 256

// laid is where the rows of a graph go, block by block.
type laid struct {
	g *graph
	// lists is the first entry of every block among the starts of diagonals.
	lists   []uint32
	longest uint32 // row, in groups
}

// mostGroups of a row leave eight bits of a word for its number in the block.
const mostGroups = 1<<24 - 1

// lay finds the longest row of every block.
func (g *graph) lay() *laid {
	g.laying.Do(func() {
		blocks := (g.n + diagonalRows - 1) / diagonalRows
		g.laid = &laid{g: g, lists: make([]uint32, blocks+1)}
		for b := range blocks {
			longest := uint32(0)
			for i := b * diagonalRows; i < min((b+1)*diagonalRows, g.n); i++ {
				longest = max(longest, g.ptr[i+1]-g.ptr[i])
			}
			g.laid.lists[b+1] = g.laid.lists[b] + longest
			g.laid.longest = max(g.laid.longest, longest)
		}
	})
	return g.laid
}

// stretchGroups are what network/pull adds up by themselves in longer rows; the sums of
// stretches are added without loss.
const stretchGroups = 256

// stretch is the constant STRETCH of network/pull: 0 where no row is longer.
func (l *laid) stretch() uint32 {
	if l.longest <= stretchGroups {
		return 0
	}
	return stretchGroups
}

// order lists the rows of a block by position, longest first, and their groups.
func (l *laid) order(block int64) (rows, groups [diagonalRows]uint32) {
	var keys [diagonalRows]uint64
	for k := range keys {
		i := block*diagonalRows + int64(k)
		size := uint32(0)
		if i < l.g.n {
			size = l.g.ptr[i+1] - l.g.ptr[i]
		}
		keys[k] = uint64(^size)<<32 | uint64(k)
	}
	slices.Sort(keys[:])
	for t, key := range keys {
		rows[t], groups[t] = uint32(key), ^uint32(key>>32)
	}
	return rows, groups
}

// starts appends the first group of every diagonal of a block, from its first one on.
func starts(into []uint32, groups [diagonalRows]uint32) []uint32 {
	at, live := uint32(0), diagonalRows
	for g := range groups[0] {
		for live > 0 && groups[live-1] <= g {
			live--
		}
		into = append(into, at)
		at += uint32(live)
	}
	return into
}

// edges are the words of a block's diagonals.
func (l *laid) edges(block int64, into []uint32) []uint32 {
	rows, groups := l.order(block)
	first := starts(nil, groups)
	size := int64(l.g.ptr[min((block+1)*diagonalRows, l.g.n)]-l.g.ptr[block*diagonalRows]) * groupEdges
	into = slices.Grow(into[:0], int(size))[:size]
	var row []uint32
	for t, r := range rows {
		if groups[t] == 0 {
			break
		}
		row, _ = l.g.sources(block*diagonalRows+int64(r), row)
		for g := range groups[t] {
			copy(into[(int64(first[g])+int64(t))*groupEdges:], row[g*groupEdges:(g+1)*groupEdges])
		}
	}
	return into
}

// block is where row i lies.
func (l *laid) list(i int64) uint32 {
	return l.lists[(min(i, l.g.n)+diagonalRows-1)/diagonalRows]
}

// arrays are the diagonals as a program holds them: "rows", by position the row of the block and
// 256 times its groups; "blocks", the first group and the first diagonal of every block; and of
// a device's own rows "starts", where diagonals begin in their block, and "edges".
func (l *laid) arrays(chunk int64, shares []program.Share, chunks int64) []program.Array {
	g := l.g
	most, lists := int64(1), int64(1)
	for _, s := range shares {
		most = max(most, g.groups(s, chunk))
		lists = max(lists, int64(l.list(s.Hi*chunk)-l.list(s.Lo*chunk)))
	}
	last := int64(len(l.lists) - 1)
	rows := func(_ int, at int64, into []uint32) {
		for k := 0; k < len(into); {
			i := at + int64(k)
			row, groups := l.order(i / diagonalRows)
			for t := i % diagonalRows; t < diagonalRows && k < len(into); t, k = t+1, k+1 {
				into[k] = groups[t]<<8 | row[t]
			}
		}
	}
	blocks := func(_ int, at int64, into []uint32) {
		for k := range into {
			b := min((at+int64(k))/2, last)
			into[k] = g.ptr[min(b*diagonalRows, g.n)]
			if (at+int64(k))%2 == 1 {
				into[k] = l.lists[b]
			}
		}
	}
	begin := func(rank int, first int64, into []uint32) {
		at := int64(l.list(shares[rank].Lo*chunk)) + first
		l.cut(at, into, func(b int64) int64 { return int64(l.lists[b]) }, func(b int64, words []uint32) []uint32 {
			_, groups := l.order(b)
			return starts(words[:0], groups)
		})
	}
	edges := func(rank int, first int64, into []uint32) {
		at := g.base(shares[rank], chunk)*groupEdges + first
		l.cut(at, into, func(b int64) int64 { return int64(g.ptr[min(b*diagonalRows, g.n)]) * groupEdges }, l.edges)
	}
	return []program.Array{
		{Name: "rows", Elem: program.U32, Layout: program.Split, Units: chunks, Stride: chunk, Source: program.Source{Kind: program.Made, Make: rows}},
		{Name: "blocks", Elem: program.U32, Layout: program.Split, Units: chunks, Stride: 2 * chunk / diagonalRows, Source: program.Source{Kind: program.Made, Make: blocks}},
		{Name: "starts", Elem: program.U32, Layout: program.Local, Units: lists, Stride: 1, Distinct: true, Source: program.Source{Kind: program.Made, Make: begin}},
		{Name: "edges", Elem: program.U32, Layout: program.Local, Units: most, Stride: groupEdges, Distinct: true, Source: program.Source{Kind: program.Made, Make: edges}},
	}
}

// cut fills into with words from number at on, of blocks that begin at first and hold what words
// makes of them; behind the last block it leaves zeros.
func (l *laid) cut(at int64, into []uint32, first func(b int64) int64, words func(b int64, buffer []uint32) []uint32) {
	last := int64(len(l.lists) - 1)
	lo, hi := int64(0), last
	for lo < hi { // the first block that ends behind at
		if mid := (lo + hi) / 2; first(mid+1) > at {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	var buffer []uint32
	for b := lo; b < last && len(into) > 0; b++ {
		buffer = words(b, buffer)
		if skip := max(at-first(b), 0); skip < int64(len(buffer)) {
			n := copy(into, buffer[skip:])
			into, at = into[n:], at+int64(n)
		}
	}
	clear(into)
}
