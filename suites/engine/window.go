package engine

import (
	"github.com/amgpu/amgpu/suites/program"
)

// maxGroups is the least number of work-groups per dimension every Vulkan
// device offers.
const maxGroups = 65535

// grid folds a linear number of work-groups into two dimensions; kernels take
// the linear index and check their bounds, so a few surplus groups do no harm.
func grid(groups int64) [3]uint32 {
	if groups <= maxGroups {
		return [3]uint32{uint32(groups), 1, 1}
	}
	y := (groups + maxGroups - 1) / maxGroups
	return [3]uint32{uint32((groups + y - 1) / y), uint32(y), 1}
}

// boundArray is what window needs to know of one binding: where the array lies
// on the device and what part of it a launch of u units touches.
type boundArray struct {
	bind   program.Binding
	ext    extent
	pieces []piece
}

// at returns the local units [lo,hi) a launch of units [first,first+u) binds.
func (b boundArray) at(first, u int64) (lo, hi int64) {
	switch b.bind.Window {
	case program.Whole:
		return 0, b.ext.units
	case program.Fixed:
		return b.bind.First, b.bind.First + b.bind.Units
	default:
		l := b.ext.local(first)
		return l - b.bind.Before, l + u + b.bind.After
	}
}

// pieceOf returns the index of the piece that holds local units [lo,hi), or -1.
func (b boundArray) pieceOf(lo, hi int64) int {
	for i, p := range b.pieces {
		if lo >= p.first && hi <= p.first+p.units {
			return i
		}
	}
	return -1
}

// fits says whether a launch of u units from first binds everything within one
// buffer and the range limit, counting the bytes an aligned-down offset adds.
func (b boundArray) fits(first, u, rangeLimit int64) bool {
	lo, hi := b.at(first, u)
	if hi <= lo {
		return true
	}
	p := b.pieceOf(lo, hi)
	if p < 0 {
		return false
	}
	slack := (lo - b.pieces[p].first) * b.ext.unitBytes % offsetAlign
	return (hi-lo)*b.ext.unitBytes+slack <= rangeLimit
}

// offsetAlign is a storage-buffer offset alignment that suits every device
// (SwiftShader asks for 256, the most Vulkan allows).
const offsetAlign = program.OffsetAlign

// cut splits the units [first,first+units) into launches that fit all bindings
// and at most most units each, at multiples of align. ok is false, with the
// array's name, when not even one aligned step fits.
func cut(bound []boundArray, first, units, align, most, rangeLimit int64) (at []program.Share, blocked string, ok bool) {
	align = max(align, 1)
	for pos := first; pos < first+units; {
		left := first + units - pos
		u := left
		if most > 0 {
			u = min(u, max(most/align*align, align))
		}
		u = min(u, 1<<31) // the count is one word
		for {
			name, fine := allFit(bound, pos, u, rangeLimit)
			if fine {
				break
			}
			if u <= align {
				return nil, name, false
			}
			// Shrink to the next smaller aligned size; halving finds it fast and
			// piece borders are themselves aligned, so little is lost.
			u = max((shrink(bound, pos, u, rangeLimit))/align*align, align)
		}
		at = append(at, program.Share{Lo: pos, Hi: pos + u})
		pos += u
	}
	return at, "", true
}

func allFit(bound []boundArray, first, u, rangeLimit int64) (string, bool) {
	for _, b := range bound {
		if !b.fits(first, u, rangeLimit) {
			return b.bind.Array, false
		}
	}
	return "", true
}

// shrink proposes a smaller number of units: up to the nearest piece border or
// range limit of the binding that fails, and always less than u.
func shrink(bound []boundArray, first, u, rangeLimit int64) int64 {
	best := u - 1
	for _, b := range bound {
		if b.bind.Window != program.ByUnit || b.fits(first, u, rangeLimit) {
			continue
		}
		lo, _ := b.at(first, u)
		reach := b.bind.Before + b.bind.After
		best = min(best, (rangeLimit-offsetAlign)/b.ext.unitBytes-reach)
		for _, p := range b.pieces {
			if lo >= p.first && lo < p.first+p.units {
				best = min(best, p.first+p.units-lo-reach)
			}
		}
	}
	return max(best, 0)
}
