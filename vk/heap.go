package vk

import "slices"

// heap hands out ranges of one block of memory: plain data, no Vulkan.
type heap struct {
	size uint64
	free []span // sorted, never adjacent
}

type span struct{ at, size uint64 }

func newHeap(size uint64) *heap { return &heap{size: size, free: []span{{0, size}}} }

// take returns the offset of size bytes at a multiple of align: the smallest
// free range that fits, so that large ones last.
func (h *heap) take(size, align uint64) (uint64, bool) {
	best := -1
	for i, f := range h.free {
		at := (f.at + align - 1) / align * align
		if at+size <= f.at+f.size && (best < 0 || f.size < h.free[best].size) {
			best = i
		}
	}
	if best < 0 {
		return 0, false
	}
	f := h.free[best]
	at := (f.at + align - 1) / align * align
	var rest []span
	if at > f.at {
		rest = append(rest, span{f.at, at - f.at})
	}
	if end := f.at + f.size; at+size < end {
		rest = append(rest, span{at + size, end - at - size})
	}
	h.free = slices.Replace(h.free, best, best+1, rest...)
	return at, true
}

// give returns a range, merging it with its free neighbours.
func (h *heap) give(at, size uint64) {
	i, _ := slices.BinarySearchFunc(h.free, at, func(f span, at uint64) int {
		switch {
		case f.at < at:
			return -1
		case f.at > at:
			return 1
		}
		return 0
	})
	h.free = slices.Insert(h.free, i, span{at, size})
	if i+1 < len(h.free) && h.free[i].at+h.free[i].size == h.free[i+1].at {
		h.free[i].size += h.free[i+1].size
		h.free = slices.Delete(h.free, i+1, i+2)
	}
	if i > 0 && h.free[i-1].at+h.free[i-1].size == h.free[i].at {
		h.free[i-1].size += h.free[i].size
		h.free = slices.Delete(h.free, i, i+1)
	}
}

// empty says whether everything is free.
func (h *heap) empty() bool { return len(h.free) == 1 && h.free[0].size == h.size }
