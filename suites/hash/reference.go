package hash

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/amgpu/amgpu/suites"
)

// node is a leaf or a hash, as bytes.
type node = [sha256.Size]byte

// leafHash is what the tree is built on: H(0x00|x), or x itself in raw mode.
func leafHash(x node, raw bool) node {
	if raw {
		return x
	}
	var m [1 + sha256.Size]byte
	copy(m[1:], x[:])
	return sha256.Sum256(m[:])
}

// parent is H(0x01|l|r), or H(l|r) in raw mode.
func parent(l, r node, raw bool) node {
	var m [1 + 2*sha256.Size]byte
	m[0] = 1
	copy(m[1:], l[:])
	copy(m[1+sha256.Size:], r[:])
	if raw {
		return sha256.Sum256(m[1:])
	}
	return sha256.Sum256(m[:])
}

// above makes one level from the one below, in place. An odd last node is promoted,
// in raw mode paired with itself.
func above(level []node, raw bool) []node {
	n := len(level)
	for i := 0; i < n/2; i++ {
		level[i] = parent(level[2*i], level[2*i+1], raw)
	}
	if n%2 == 1 {
		level[n/2] = level[n-1]
		if raw {
			level[n/2] = parent(level[n-1], level[n-1], raw)
		}
	}
	return level[:(n+1)/2]
}

// rootOf is the root of a tree over leaf hashes; it overwrites them.
func rootOf(level []node, raw bool) node {
	for len(level) > 1 {
		level = above(level, raw)
	}
	return level[0]
}

// leaf returns leaf i of the sources.
func leaf(s suites.Stream, i int64) node {
	var x node
	for k := range int64(hashWords) {
		binary.BigEndian.PutUint32(x[4*k:], s.Word(i*hashWords+k))
	}
	return x
}

// subtree is the root of unit u, as the device must find it. A ragged last subtree
// rises by as many levels as the others (a lone node is promoted, or paired with
// itself in raw mode).
func (t tree) subtree(s suites.Stream, u int64) node {
	first := u << t.shift
	level := make([]node, min(int64(1)<<t.shift, t.leaves-first))
	for i := range level {
		level[i] = leafHash(leaf(s, first+int64(i)), t.raw)
	}
	for range t.shift {
		level = above(level, t.raw)
	}
	return level[0]
}

// toNode joins eight words as the device stores them.
func toNode(words []uint32) node {
	var x node
	for k := range hashWords {
		binary.BigEndian.PutUint32(x[4*k:], words[k])
	}
	return x
}

// word is word k of a node.
func word(x node, k int) uint32 { return binary.BigEndian.Uint32(x[4*k:]) }
