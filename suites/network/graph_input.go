package network

import (
	"fmt"
	"path/filepath"
	"sync"
)

// listKey names what was read of a file.
type listKey struct {
	path  string
	stamp int64
	need  need
}

// lastList is the list read last: its size is asked for first, and the graph is made of it
// then, so that a file is read once. Only the number of nodes is kept further on.
var lastList struct {
	sync.Mutex
	key  listKey
	list *list
	n    int64
}

// nodesIn is the number of nodes in a file.
func nodesIn(path string, need need) (int64, error) {
	stamp, err := stampOf(path)
	if err != nil {
		return 0, err
	}
	lastList.Lock()
	defer lastList.Unlock()
	key := listKey{path, stamp, need}
	if lastList.key != key {
		l, err := readList(path, need)
		if err != nil {
			return 0, err
		}
		lastList.key, lastList.list, lastList.n = key, l, l.n
	}
	return lastList.n, nil
}

// takeList is the list of a file, which the caller may change.
func takeList(path string, stamp int64, need need) (*list, error) {
	lastList.Lock()
	defer lastList.Unlock()
	key := listKey{path, stamp, need}
	l := lastList.list
	if lastList.key != key || l == nil {
		var err error
		if l, err = readList(path, need); err != nil {
			return nil, err
		}
	}
	lastList.key, lastList.list, lastList.n = key, nil, l.n
	return l, nil
}

// plainGraph is a graph without weights.
var plainGraph = need{least: 1, nodes: maxNodes, edges: maxGroups * groupEdges}

// inputNodes is the size of a graph without weights.
func inputNodes(path string) (int64, error) { return nodesIn(path, plainGraph) }

// inputGraph is the graph in a file; sorted numbers its nodes by their out-degree.
func inputGraph(path string, stamp int64, sorted bool) (*graph, error) {
	l, err := takeList(path, stamp, plainGraph)
	if err != nil {
		return nil, err
	}
	if sorted {
		l.sort()
	}
	g, err := l.graph()
	if err != nil {
		return nil, fmt.Errorf("input %s: %w", filepath.Base(path), err)
	}
	return g, nil
}
