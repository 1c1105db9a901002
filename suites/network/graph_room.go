package network

import (
	"fmt"
	"math"
	"slices"

	"github.com/amgpu/amgpu/suites/input"
)

// What a file may take, found out before it is allocated.

// need is what a workload takes of a file.
type need struct {
	weighted     bool  // weights are read, 1 where a line has none
	least, nodes int64 // nodes, from and to
	edges        int64 // at most, those of both directions counted
}

const (
	// listEdge is the memory of an edge while a graph is made: two words, sorted into one more.
	listEdge = 12
	// wayEdge is that with weights: three words, sorted into two more.
	wayEdge = 20
	// slack is what slices that grow and memory not yet collected take besides.
	slack = 2
	// nodeBytes is the memory that a node takes while a graph is made.
	nodeBytes = 32
	// leastEntry is the fewest bytes of an entry and its end of line.
	leastEntry = 4
	// firstRoom is for how many edges there is room at first.
	firstRoom = 1 << 12
	// A graph of more than smallNodes has at most nodesPerEdge nodes an edge: what has more is
	// numbered with gaps, by names of nodes or by mistake, and would be mostly nothing.
	smallNodes   = 1 << 20
	nodesPerEdge = 16
)

// freeMemory is how much the system has free, bytes; without end where it does not say.
var freeMemory = func() int64 {
	if free, ok := input.Free(); ok {
		return free
	}
	return math.MaxInt64
}

// openGraph opens a file of edges.
func openGraph(path string) (*input.File, error) {
	return input.Open(path, "an edge list or a Matrix Market file", input.Text, input.Market)
}

// stampOf tells versions of a file apart.
func stampOf(path string) (int64, error) {
	f, err := openGraph(path)
	if err != nil {
		return 0, err
	}
	return f.Stamp, f.Close()
}

// small refuses a file that is larger than the memory: its graph is hardly smaller.
func (l *list) small(path string) error {
	if l.bytes > l.free {
		return fmt.Errorf("input %s has %d bytes, and %d of memory are free: give a smaller graph", path, l.bytes, l.free)
	}
	return nil
}

// dense refuses more nodes than so many edges can be meant to have.
func (l *list) dense(edges int64) error {
	if most := max(smallNodes, nodesPerEdge*edges); l.n > most {
		return fmt.Errorf("%d nodes and %d edges: a graph of more than %d nodes has at most %d an edge; number its nodes without gaps",
			l.n, edges, smallNodes, nodesPerEdge)
	}
	return nil
}

// each is the memory of an entry while a graph is made.
func (l *list) each() int64 {
	bytes := int64(listEdge * slack)
	if l.need.weighted {
		bytes = wayEdge * slack
	}
	if l.both {
		bytes *= 2
	}
	return bytes
}

// taken is how many entries the workload takes.
func (l *list) taken() int64 {
	if l.both {
		return l.need.edges / 2
	}
	return l.need.edges
}

// most is how many entries it takes that memory holds, with the nodes seen so far.
func (l *list) most() int64 { return min(l.taken(), max(l.free-l.n*nodeBytes, 0)/l.each()) }

// tooMany refuses so many entries or more.
func (l *list) tooMany(entries int64) error {
	most := l.most()
	if most == l.taken() {
		return fmt.Errorf("%d edges or more: at most %d are possible; give a smaller graph", entries, most)
	}
	return fmt.Errorf("%d nodes and %d edges or more: %d bytes of memory are free, which hold %d edges; give a smaller graph", l.n, entries, l.free, most)
}

// grow makes room for more entries, as long as a graph of them can be held.
func (l *list) grow() error {
	have, most := int64(len(l.from)), l.most()
	if have >= most {
		return l.tooMany(have + 1)
	}
	more := int(min(max(firstRoom, have/2), most-have))
	if l.entries >= 0 {
		more = min(more, int(l.entries-have))
	}
	l.from, l.to = slices.Grow(l.from, more), slices.Grow(l.to, more)
	if l.need.weighted {
		l.weights = slices.Grow(l.weights, more)
	}
	l.room = len(l.from) + more
	return nil
}

// fits refuses a list of which no graph can be held, and one of too few nodes.
func (l *list) fits() error {
	if l.n < l.need.least {
		return fmt.Errorf("%d nodes: give a graph of %d to %d", l.n, l.need.least, l.need.nodes)
	}
	if have, most := int64(len(l.from)), l.most(); have > most {
		return l.tooMany(have)
	}
	return nil
}
