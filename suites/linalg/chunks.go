// Package linalg holds the workloads of dense linear algebra: linalg/matmul and
// linalg/reduction.
package linalg

// chunking is how linalg/reduction cuts n elements into canonical chunks. It depends on
// n alone, so partial results and their tree are the same for every division.
type chunking struct {
	n      int64 // elements
	count  int64 // chunks, at least leastChunks; trailing ones may be empty
	stride int64 // elements of a chunk, a multiple of 4
}

const (
	// leastChunks lets up to about a hundred devices share evenly.
	leastChunks = 256
	// mostChunks keeps many work-groups in flight and the tree short.
	mostChunks = 8192
	// pattern is the number of elements a work-group takes in one turn: 256
	// invocations with four vec4 each. Chunks are whole patterns where n allows.
	pattern = 256 * 4 * 4
)

func chunk(n int64) chunking {
	stride := roundUp(ceilDiv(n, mostChunks), pattern)
	if n < leastChunks*pattern {
		stride = roundUp(ceilDiv(n, leastChunks), 4)
	}
	return chunking{n: n, count: max(leastChunks, ceilDiv(n, stride)), stride: stride}
}

// last is the last chunk that holds elements, and tail how many.
func (c chunking) last() (chunk, tail int64) {
	chunk = (c.n - 1) / c.stride
	return chunk, c.n - chunk*c.stride
}

// bounds is the range of elements of one chunk.
func (c chunking) bounds(chunk int64) (lo, hi int64) {
	return min(chunk*c.stride, c.n), min((chunk+1)*c.stride, c.n)
}

// chain is the longest chain of additions inside a chunk: one per turn, then 2 + 2
// to join the four vectors and their components, and 15 + 15 to join 256 invocations.
func (c chunking) chain() float64 { return float64(ceilDiv(c.stride, pattern)) + 34 }

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

func roundUp(a, b int64) int64 { return ceilDiv(a, b) * b }
