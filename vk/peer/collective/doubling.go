package collective

// group is a node of the canonical tree over ranks: the aligned group [lo,hi), made
// of the whole group [lo,mid) and of [mid,hi), which the last rank may cut short.
type group struct{ lo, mid, hi int }

// level lists the groups that level k of the tree over n ranks makes.
func level(k, n int) []group {
	var out []group
	for lo := 0; lo+1<<k < n; lo += 2 << k {
		out = append(out, group{lo, lo + 1<<k, min(lo+2<<k, n)})
	}
	return out
}

// value is where a rank's partial sum is before level k.
func value(rank, k, n int) Place {
	for j := range k {
		for _, g := range level(j, n) {
			if rank >= g.lo && rank < g.hi {
				return Place{Out, 0}
			}
		}
	}
	return Place{In, 0}
}

// RecursiveDoubling is an all-reduce of n elements in ceil(log2 ranks) hand-overs: at
// each level the two halves of a group exchange their sums. Every rank adds along the
// canonical tree over ranks, also where their number is no power of two. Each sends
// about n log2(ranks). InPlace.
func RecursiveDoubling(n int64, ranks int, o Options) *Schedule {
	if ranks == 1 {
		return alone(n)
	}
	s := &Schedule{Ranks: ranks, Slots: roundUp(n, o.granule())}
	for k := 0; 1<<k < ranks; k++ {
		for _, g := range level(k, ranks) {
			low, high := g.mid-g.lo, g.hi-g.mid
			for rank := g.lo; rank < g.hi; rank++ {
				own := value(rank, k, ranks)
				from, terms := g.mid+(rank-g.lo)%high, []Place{own, {Slot, 0}}
				if rank >= g.mid {
					from, terms = g.lo+(rank-g.mid)%low, []Place{{Slot, 0}, own}
				}
				s.stage(k).Late = append(s.stage(k).Late, Copy{From: from, To: rank, Src: value(from, k, ranks), Dst: Place{Slot, 0}, N: n})
				s.stage(k + 1).Sums = append(s.stage(k+1).Sums, Sum{Rank: rank, Terms: terms, Into: Place{Out, 0}, N: n, Final: g.hi-g.lo == ranks})
			}
		}
	}
	return s.finish()
}

// Tree is an all-reduce of n elements up a binomial tree to rank 0 and down again:
// 2 ceil(log2 ranks) hand-overs, the fewest bytes on the wires (2n(ranks-1) in all),
// of which most ranks send n. It adds along the canonical tree over ranks. InPlace.
func Tree(n int64, ranks int, o Options) *Schedule {
	if ranks == 1 {
		return alone(n)
	}
	s := &Schedule{Ranks: ranks, Slots: roundUp(n, o.granule())}
	levels := 0
	for ; 1<<levels < ranks; levels++ {
		for _, g := range level(levels, ranks) {
			s.stage(levels).Late = append(s.stage(levels).Late, Copy{From: g.mid, To: g.lo, Src: value(g.mid, levels, ranks), Dst: Place{Slot, 0}, N: n})
			s.stage(levels + 1).Sums = append(s.stage(levels+1).Sums, Sum{
				Rank: g.lo, Terms: []Place{value(g.lo, levels, ranks), {Slot, 0}}, Into: Place{Out, 0}, N: n, Final: g.hi-g.lo == ranks,
			})
		}
	}
	for down := range levels {
		for _, g := range level(levels-1-down, ranks) {
			s.stage(levels + down).Late = append(s.stage(levels+down).Late, Copy{From: g.lo, To: g.mid, Src: Place{Out, 0}, Dst: Place{Out, 0}, N: n})
		}
	}
	return s.finish()
}
