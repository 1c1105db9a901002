package pinn

import (
	"math"

	"github.com/amgpu/amgpu/suites/program"
)

// passes cuts depth steps into passes of at most pass steps.
func passes(depth, pass int64) (out []int64) {
	for depth > 0 {
		k := min(pass, depth)
		out, depth = append(out, k), depth-k
	}
	return out
}

// evolution lists the steps of one iteration: blocks of halo steps, each behind an
// exchange. Every pass changes the pair of arrays, so their number is made even.
func (w wave) evolution(halo, pass int64, shares []program.Share) []program.Step {
	body, period := [][]int64{passes(halo, pass)}, halo
	if len(body[0])%2 != 0 { // two blocks bring the grid back to the first pair
		body, period = append(body, body[0]), 2*halo
	}
	times := w.steps / period
	tail := w.tail(w.steps-times*period, halo, pass)
	if tail == nil && times*period < w.steps { // all passes of an odd number are of one step: one period more
		times--
		tail = w.tail(w.steps-times*period, halo, pass)
	}
	var list []program.Step
	cur := 0
	add := func(blocks [][]int64) (out []program.Step) {
		for _, ks := range blocks {
			out = append(out, w.block(cur, ks, shares)...)
			cur = (cur + len(ks)) % 2
		}
		return out
	}
	if times > 0 {
		list = append(list, program.Repeat{Times: int(times), Body: add(body)})
	}
	return append(list, add(tail)...)
}

// tail are the blocks of that many steps, with an even number of passes; nil where there
// are none.
func (w wave) tail(steps, halo, pass int64) (out [][]int64) {
	count := 0
	for steps > 0 {
		ks := passes(min(halo, steps), pass)
		out, count = append(out, ks), count+len(ks)
		steps -= min(halo, steps)
	}
	if count%2 == 0 {
		return out
	}
	for i, ks := range out {
		if k := ks[0]; k > 1 {
			out[i] = append([]int64{k / 2, k - k/2}, ks[1:]...)
			return out
		}
	}
	return nil
}

// block is one exchange and the passes that it serves, from pair cur on. A pass leaves as
// many rows around the share right as the later ones need, so halo rows are computed again
// instead of being fetched. With overlap the first pass is made in two parts: the interior
// while the halo travels, the edges when it is there.
func (w wave) block(cur int, ks []int64, shares []program.Share) []program.Step {
	depth := int64(0)
	for _, k := range ks {
		depth += k
	}
	names := sets[cur][:]
	if depth == 1 {
		names = names[:1] // of the older level a step needs no neighbour
	}
	exchange := program.Exchange{Arrays: names, Depth: depth}
	list := []program.Step{exchange}
	for i, k := range ks {
		reach := depth - k
		if i == 0 && w.overlaps(k, shares) {
			inner := w.advance(cur, k, shares, func(n int64) (lo, hi int64) { return k, n - k })
			above := w.advance(cur, k, shares, func(int64) (lo, hi int64) { return -reach, k })
			below := w.advance(cur, k, shares, func(n int64) (lo, hi int64) { return n - k, n + reach })
			below.Independent = true
			list = []program.Step{program.Overlap{Comm: exchange, Body: []program.Dispatch{inner}}, above, below}
		} else {
			list = append(list, w.advance(cur, k, shares, func(n int64) (lo, hi int64) { return -reach, n + reach }))
		}
		depth, cur = reach, 1-cur
	}
	return list
}

// overlaps tells whether a pass of k steps is made in two parts: it was asked for, and every
// share has an interior that needs no row of another.
func (w wave) overlaps(k int64, shares []program.Share) bool {
	for _, s := range shares {
		if n := s.Len(); n > 0 && n <= 2*k {
			return false
		}
	}
	return w.overlap
}

// advance is one pass of k steps over the rows [lo,hi) of every share, counted from its
// first; rows of the share's neighbours may be among them. Strips are about equal and as
// wide as a work-group allows.
func (w wave) advance(cur int, k int64, shares []program.Share, rowsOf func(n int64) (lo, hi int64)) program.Dispatch {
	from, to := sets[cur], sets[1-cur]
	d := program.Dispatch{
		Label: "advance", Kernel: kernelOf(k),
		Bind: []program.Binding{
			{Array: from[0], Access: program.Read, Before: k, After: k},
			{Array: from[1], Access: program.Read, Before: k, After: k},
			{Array: to[0], Access: program.Write},
			{Array: to[1], Access: program.Write},
		},
	}
	vectors := w.pitch / 4
	side := (k + 3) / 4
	most := fdtdLanes - 2*side
	across := (vectors + most - 1) / most
	strip := (vectors + across - 1) / across
	for _, s := range shares {
		l := program.Launch{}
		if s.Len() > 0 {
			// Beyond the grid all stays zero.
			lo, hi := rowsOf(s.Len())
			lo, hi = max(lo, -s.Lo), min(hi, w.height-s.Lo)
			bands := max(fdtdGroups/across, 1)
			rows := max((hi-lo+bands-1)/bands, leastRows)
			l = program.Launch{First: lo, Units: hi - lo, Div: rows, Across: across, Push: []uint32{
				uint32(w.pitch), uint32(w.width), uint32(w.height), math.Float32bits(w.l2), uint32(rows), uint32(across), uint32(strip),
			}}
		}
		d.On = append(d.On, l)
	}
	return d
}
