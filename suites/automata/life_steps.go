package automata

import (
	"slices"

	"github.com/amgpu/amgpu/suites/program"
)

// The board is in the first of two arrays after every even number of passes.
var names = [2]string{"board", "other"}

// passes cuts the steps of a block into passes.
func passes(depth, pass int64) []int64 {
	var out []int64
	for ; depth > 0; depth -= pass {
		out = append(out, min(pass, depth))
	}
	return out
}

// evolution lists the steps of one iteration: blocks of halo steps, each behind an
// exchange, an even number of passes in all.
func (s lifeShape) evolution(halo, overlap int64, shares []program.Share) []program.Step {
	list := passes(halo, s.pass)
	body, period := s.block(0, list, overlap, shares), halo
	if len(list)%2 != 0 { // two blocks bring the board back to the first array
		body, period = append(body, s.block(1, list, overlap, shares)...), 2*halo
	}
	var out []program.Step
	if times := s.steps / period; times > 0 {
		out = append(out, program.Repeat{Times: int(times), Body: body})
	}
	cur := 0
	for left := s.steps % period; left > 0; {
		list := passes(min(halo, left), s.pass)
		left -= min(halo, left)
		if left == 0 && (cur+len(list))%2 != 0 {
			at := slices.IndexFunc(list, func(n int64) bool { return n > 1 })
			if at < 0 { // a single step, after passes of several
				s.pass = 1
				return s.evolution(halo, overlap, shares)
			}
			list = slices.Replace(list, at, at+1, list[at]-list[at]/2, list[at]/2)
		}
		out = append(out, s.block(cur, list, overlap, shares)...)
		cur = (cur + len(list)) % 2
	}
	return out
}

// block is one exchange and the passes that it serves, from array cur on. Each leaves as
// many rows around the share right as steps are to come, so halo rows are computed again
// instead of being fetched. The first passes, overlap steps of them, are made in two parts:
// the interior while the halo travels, the edges when it is there. Of passes of several
// steps that is the first alone.
func (s lifeShape) block(cur int, list []int64, overlap int64, shares []program.Share) []program.Step {
	depth := int64(0)
	for _, n := range list {
		depth += n
	}
	overlap = min(overlapOf(overlap, s.board, shares), depth)
	if single := slices.IndexFunc(append(list, 2), func(n int64) bool { return n > 1 }); single > 0 {
		overlap = min(overlap, overlapFits(depth, shares), int64(single))
	} else if overlap > 0 {
		overlap = 0
		if n := overlapFits(depth, shares); n > 0 && leastShare(shares) > 2*list[0] {
			overlap = 1
		}
	}
	exchange := program.Exchange{Arrays: []string{names[cur]}, Depth: depth}
	var inner []program.Dispatch
	var outer []program.Step
	reach := depth
	for j, steps := range list {
		from := (cur + j) % 2
		reach -= steps
		if int64(j) >= overlap {
			outer = append(outer, s.step(from, steps, shares, func(n int64) (lo, hi int64) { return -reach, n + reach }))
			continue
		}
		m := steps
		if j > 0 {
			m = margin(int64(j), depth)
		}
		inner = append(inner, s.step(from, steps, shares, func(n int64) (lo, hi int64) { return m, n - m }))
		below := s.step(from, steps, shares, func(n int64) (lo, hi int64) { return n - m, n + reach })
		below.Independent = true
		outer = append(outer, s.step(from, steps, shares, func(int64) (lo, hi int64) { return -reach, m }), below)
	}
	if overlap == 0 {
		return append([]program.Step{exchange}, outer...)
	}
	return append([]program.Step{program.Overlap{Comm: exchange, Body: inner}}, outer...)
}

// leastShare is the smallest share that is not empty; 0: all are.
func leastShare(shares []program.Share) int64 {
	least := int64(0)
	for _, s := range shares {
		if n := s.Len(); n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// step is one pass over the rows that part gives for a share of n rows, from array from to
// the other one.
func (s lifeShape) step(from int, steps int64, shares []program.Share, part func(n int64) (lo, hi int64)) program.Dispatch {
	d := program.Dispatch{
		Label: "step", Kernel: passName(steps),
		Bind: []program.Binding{
			{Array: names[from], Access: program.Read, Before: steps, After: steps},
			{Array: names[1-from], Access: program.Write},
		},
	}
	for _, share := range shares {
		l := program.Launch{}
		if share.Len() > 0 {
			l = s.launch(steps)
			lo, hi := part(share.Len())
			l.First, l.Units = lo, hi-lo
		}
		d.On = append(d.On, l)
	}
	return d
}
