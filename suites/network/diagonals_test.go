package network

import (
	"slices"
	"testing"

	"github.com/amgpu/amgpu/suites/program"
)

// made returns all words of an array as the device of a rank holds them.
func made(a program.Array, rank int, words int64) []uint32 {
	out := make([]uint32, words)
	a.Source.Make(rank, 0, out)
	return out
}

// TestDiagonals walks the rows as the kernel does, on every device of a team.
func TestDiagonals(t *testing.T) {
	for _, n := range []int64{1, 255, 256, 257, 5003} {
		g, err := randomGraph(18, n, 7, 3, true)
		if err != nil {
			t.Fatal(err)
		}
		const chunk = 512
		chunks := n/chunk + 1
		l := g.lay()
		cut := chunks * 2 / 3
		shares := []program.Share{{Lo: 0, Hi: cut}, {Lo: cut, Hi: chunks}}
		arrays := l.arrays(chunk, shares, chunks)
		rows, blocks := made(arrays[0], 0, chunks*chunk), made(arrays[1], 0, arrays[1].Stride*chunks)
		for rank, s := range shares {
			starts, edges := made(arrays[2], rank, arrays[2].Units), made(arrays[3], rank, arrays[3].Units*groupEdges)
			base, list := uint32(g.base(s, chunk)), l.list(s.Lo*chunk)
			seen := map[int64]bool{}
			for at := s.Lo * chunk; at < s.Hi*chunk; at++ {
				block, position := at/diagonalRows, uint32(at%diagonalRows)
				row := block*diagonalRows + int64(rows[at]&255)
				seen[row] = true
				groups := rows[at] >> 8
				var got []uint32
				for k := range groups {
					from := blocks[2*block] - base + position + starts[blocks[2*block+1]-list+k]
					got = append(got, edges[from*groupEdges:(from+1)*groupEdges]...)
				}
				var want []uint32
				if row < n {
					want, _ = g.sources(row, nil)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%d nodes, row %d on device %d: %v, want %v", n, row, rank, got, want)
				}
				if position > 0 && groups > rows[at-1]>>8 {
					t.Fatalf("%d nodes: position %d is longer than the one before", n, at)
				}
			}
			if int64(len(seen)) != s.Len()*chunk {
				t.Errorf("%d nodes, device %d: %d rows of %d", n, rank, len(seen), s.Len()*chunk)
			}
		}
	}
}

// TestDiagonalsAnywhere: any stretch of an array has the same words as the whole.
func TestDiagonalsAnywhere(t *testing.T) {
	g, err := randomGraph(18, 700, 5, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	chunks := g.n/256 + 1
	for _, a := range g.lay().arrays(256, []program.Share{{Hi: 1}, {Lo: 1, Hi: chunks}}, chunks) {
		total := a.Units*a.Stride + 9
		whole := made(a, 1, total)
		for first := range total {
			part := make([]uint32, min(7, total-first))
			a.Source.Make(1, first, part)
			if !slices.Equal(part, whole[first:first+int64(len(part))]) {
				t.Fatalf("%s from %d on: %v, not %v", a.Name, first, part, whole[first:first+int64(len(part))])
			}
		}
	}
}

// TestSortedGraphs: nodes are numbered by their out-degree, and edges go with them.
func TestSortedGraphs(t *testing.T) {
	path := write(t, "edges", "0 1\n2 1\n2 0\n2 3\n3 0\n3 2\n")
	g, err := readGraph(path, true)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(g.out, []uint32{3, 2, 1, 0}) { // once 2, 3, 0, 1
		t.Errorf("out-degrees %v", g.out)
	}
	for i, want := range [][]uint32{{1}, {0}, {0, 1}, {0, 2}} {
		row, n := g.sources(int64(i), nil)
		if got := slices.Sorted(slices.Values(row[:n])); !slices.Equal(got, want) {
			t.Errorf("row %d has sources %v, want %v", i, got, want)
		}
	}
	scattered, err := randomGraph(18, 1<<14, 16, 42, false)
	if err != nil {
		t.Fatal(err)
	}
	sorted, err := randomGraph(18, 1<<14, 16, 42, true)
	if err != nil {
		t.Fatal(err)
	}
	if sorted.edges != scattered.edges {
		t.Errorf("%d edges, scattered %d", sorted.edges, scattered.edges)
	}
	// A 1/8 of the nodes sends half of the edges, as n v^3 says.
	half := func(g *graph) (sum int64) {
		for _, d := range g.out[:1<<11] {
			sum += int64(d)
		}
		return sum
	}
	if part := float64(half(sorted)) / float64(sorted.edges); part < 0.48 || part > 0.52 {
		t.Errorf("the first eighth sends %.3f of the edges", part)
	}
	if part := float64(half(scattered)) / float64(scattered.edges); part > 0.2 {
		t.Errorf("scattered, the first eighth sends %.3f of the edges", part)
	}
}

// TestRelaxedAhead: the parts of a share that a round of shortest paths relaxes are all of it,
// each from an even unit on, and the first holds the next block.
func TestRelaxedAhead(t *testing.T) {
	for units := int64(1); units < 70; units++ {
		for next := range units {
			cuts := cutsOf(next, units)
			if cuts[0].Lo > next || cuts[0].Hi <= next {
				t.Fatalf("%d of %d: %v does not hold it", next, units, cuts)
			}
			times := make([]int, units)
			for _, c := range cuts {
				if c.Lo%2 != 0 && c.Len() > 0 {
					t.Fatalf("%d of %d: %v", next, units, cuts)
				}
				for u := c.Lo; u < c.Hi; u++ {
					times[u]++
				}
			}
			if slices.ContainsFunc(times, func(n int) bool { return n != 1 }) {
				t.Fatalf("%d of %d: %v", next, units, cuts)
			}
		}
	}
}
