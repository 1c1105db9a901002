package engine

import (
	"github.com/amgpu/amgpu/suites/program"
)

// wordBytes is the size of every element.
const wordBytes = 4

// extent is what one device holds of an array, in local units: Split arrays
// start with Halo units below the share.
type extent struct {
	units     int64
	share     program.Share // of the device
	unitBytes int64
	array     *program.Array
}

// extentOf returns what the device with this share holds of a.
func extentOf(a *program.Array, share program.Share) extent {
	e := extent{share: share, unitBytes: a.Stride * wordBytes, array: a, units: a.Units}
	if a.Layout == program.Split {
		e.units = 0
		if share.Len() > 0 {
			e.units = share.Len() + 2*a.Halo
		}
	}
	return e
}

// local is the local unit at which the share's unit u (counted from the start
// of the share) lies.
func (e extent) local(u int64) int64 {
	switch e.array.Layout {
	case program.Split:
		return e.array.Halo + u
	case program.Replicated:
		return e.share.Lo + u
	default:
		return u
	}
}

// piece is a run of local units in one buffer.
type piece struct{ first, units int64 }

// pieces cuts an extent into buffers of at most limit bytes, at multiples of
// the array's CutAt. ok is false when even one cut is too large.
func (e extent) pieces(limit int64) (out []piece, ok bool) {
	if e.units*e.unitBytes <= limit {
		return []piece{{0, e.units}}, true
	}
	cut := max(e.array.CutAt, 1)
	step := min(limit, pieceBytes) / e.unitBytes / cut * cut
	if step == 0 {
		step = limit / e.unitBytes / cut * cut
	}
	if step == 0 {
		return nil, false
	}
	for at := int64(0); at < e.units; at += step {
		out = append(out, piece{at, min(step, e.units-at)})
	}
	return out, true
}

// pieceBytes is the preferred buffer size of arrays that need several.
const pieceBytes = 1 << 30

// ownedRun is a contiguous part of an array whose units have one owner.
type ownedRun struct {
	owner int
	first int64 // global unit
	at    int64 // position in the range asked for
	units int64
}

// owners cuts the global units [lo,hi) of a Split array into runs by owner.
// With wrap, units outside [0,total) are taken modulo total; without, they are
// left out.
func owners(shares []program.Share, total, lo, hi int64, wrap bool) []ownedRun {
	var out []ownedRun
	from, to := lo, hi
	if !wrap {
		from, to = max(lo, 0), min(hi, total)
	}
	for at := from; at < to; {
		g := ((at % total) + total) % total
		d := ownerOf(shares, g)
		n := min(to-at, shares[d].Hi-g)
		out = append(out, ownedRun{owner: d, first: g, at: at - lo, units: n})
		at += n
	}
	return out
}

// ownerOf returns the device whose share holds unit g.
func ownerOf(shares []program.Share, g int64) int {
	for d, s := range shares {
		if g >= s.Lo && g < s.Hi {
			return d
		}
	}
	return len(shares) - 1
}
