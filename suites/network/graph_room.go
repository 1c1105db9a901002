package network

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// What a file may take, found out before it is allocated.

const (
	// edgeBytes bounds the memory that reading takes, per byte of the file: a line of an edge
	// list has four bytes at least and becomes two words, which are sorted into two more.
	edgeBytes = 5
	// nodeBytes is the memory that a node takes while a graph is made.
	nodeBytes = 32
	// leastEntry is the fewest bytes of an entry and its end of line.
	leastEntry = 4
	// A graph of more than smallNodes has at most nodesPerEdge nodes an edge: what has more is
	// numbered with gaps, by names of nodes or by mistake, and would be mostly nothing.
	smallNodes   = 1 << 20
	nodesPerEdge = 16
)

// freeMemory is how much the system has free, and 1 GiB at least, since it gives up caches;
// false where it does not say.
func freeMemory() (int64, bool) {
	var m unix.Sysinfo_t
	if err := unix.Sysinfo(&m); err != nil {
		return 0, false
	}
	return max(int64((m.Freeram+m.Bufferram)*uint64(m.Unit)), 1<<30), true
}

// stampOf tells versions of a file apart and refuses one that is too large to read.
func stampOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, fmt.Errorf("input: %w", err)
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("input %s is no file: give an edge list or a Matrix Market file", path)
	}
	if free, ok := freeMemory(); ok && info.Size() > free/edgeBytes {
		return 0, fmt.Errorf("input %s has %d bytes and may take %d in memory, of which %d are free: give a smaller graph",
			path, info.Size(), info.Size()*edgeBytes, free)
	}
	return info.ModTime().UnixNano() ^ info.Size(), nil
}

// dense refuses more nodes than so many edges can be meant to have.
func (l *list) dense(edges int64) error {
	if most := max(smallNodes, nodesPerEdge*edges); l.n > most {
		return fmt.Errorf("%d nodes and %d edges: a graph of more than %d nodes has at most %d an edge; number its nodes without gaps",
			l.n, edges, smallNodes, nodesPerEdge)
	}
	return nil
}

// fits refuses a graph whose nodes take more memory than is free.
func (l *list) fits(path string, free int64) error {
	if l.n > free/nodeBytes {
		return fmt.Errorf("input %s has %d nodes, which take %d bytes of memory, of which %d are free: give a smaller graph",
			filepath.Base(path), l.n, l.n*nodeBytes, free)
	}
	return nil
}
