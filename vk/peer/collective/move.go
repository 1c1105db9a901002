package collective

// AllGather brings slice r of Out from rank r to all others, directly and in rounds:
// one hand-over. With apart the slice lies at the start of In instead, and the rank
// itself needs it in Out too.
func AllGather(slices []Span, apart bool) *Schedule {
	n := len(slices)
	s := &Schedule{Ranks: n}
	if apart {
		settle(s, slices)
	}
	for h := 1; h < n; h++ {
		spread(&s.stage(0).Late, n, h, func(from int) Span { return slices[from] })
		if list := s.stage(0).Late; apart {
			for i := len(list) - n; i < len(list); i++ {
				list[i].Src = Place{In, 0}
			}
		}
	}
	return s.finish()
}

// settle copies every rank's slice from In to its place in Out.
func settle(s *Schedule, slices []Span) {
	for rank, p := range slices {
		s.stage(0).Sums = append(s.stage(0).Sums, Sum{Rank: rank, Terms: []Place{{In, 0}}, Into: Place{Out, p.Lo}, N: p.Len()})
	}
}

// RingAllGather is AllGather round a ring: ranks-1 hand-overs, and every rank sends to
// one other only.
func RingAllGather(slices []Span, apart bool) *Schedule {
	s := &Schedule{Ranks: len(slices)}
	if apart {
		settle(s, slices)
	}
	if s.Ranks > 1 {
		around(s, slices, 0)
	}
	return s.finish()
}

// Broadcast sends n elements of Out from the root to all others: one hand-over, and
// the root sends n(ranks-1).
func Broadcast(n int64, ranks, root int) *Schedule {
	s := &Schedule{Ranks: ranks}
	for h := 1; h < ranks; h++ {
		s.stage(0).Late = append(s.stage(0).Late, Copy{From: root, To: (root + h) % ranks, Src: Place{Out, 0}, Dst: Place{Out, 0}, N: n})
	}
	return s.finish()
}

// Multicast sends every rank a part of Out from the root: one hand-over. The root's own
// part does not count.
func Multicast(parts []Span, root int) *Schedule {
	s := &Schedule{Ranks: len(parts)}
	for h := 1; h < s.Ranks; h++ {
		to := (root + h) % s.Ranks
		if p := parts[to]; p.Len() > 0 {
			s.stage(0).Late = append(s.stage(0).Late, Copy{From: root, To: to, Src: Place{Out, p.Lo}, Dst: Place{Out, p.Lo}, N: p.Len()})
		}
	}
	return s.finish()
}

// ScatterGather is Broadcast in two hand-overs: the root sends every rank a slice,
// then all exchange their slices. The root sends less than 2n.
func ScatterGather(n int64, ranks, root int, o Options) *Schedule {
	s := &Schedule{Ranks: ranks}
	if ranks == 1 {
		return s
	}
	slices := Slices(n, ranks, o.granule())
	for h := 1; h < ranks; h++ {
		to := (root + h) % ranks
		s.stage(0).Late = append(s.stage(0).Late, Copy{From: root, To: to, Src: Place{Out, slices[to].Lo}, Dst: Place{Out, slices[to].Lo}, N: slices[to].Len()})
	}
	for h := 1; h < ranks; h++ {
		for from := range ranks {
			if to := Peer(from, h, ranks); to != root {
				p := slices[from]
				s.stage(1).Late = append(s.stage(1).Late, Copy{From: from, To: to, Src: Place{Out, p.Lo}, Dst: Place{Out, p.Lo}, N: p.Len()})
			}
		}
	}
	return s.finish()
}

// AllToAll sends block j of In on rank i to block i of Out on rank j; blocks have
// block elements. One hand-over, in rounds.
func AllToAll(block int64, ranks int) *Schedule {
	s := &Schedule{Ranks: ranks}
	for rank := range ranks {
		own := int64(rank) * block
		s.stage(0).Sums = append(s.stage(0).Sums, Sum{Rank: rank, Terms: []Place{{In, own}}, Into: Place{Out, own}, N: block})
	}
	for h := 1; h < ranks; h++ {
		for from := range ranks {
			to := Peer(from, h, ranks)
			s.stage(0).Late = append(s.stage(0).Late, Copy{From: from, To: to, Src: Place{In, int64(to) * block}, Dst: Place{Out, int64(from) * block}, N: block})
		}
	}
	return s.finish()
}

// Pair is a sender and its receiver, and the N elements they hand over: those of In from
// At on, which go to Out from Into on.
type Pair struct {
	From, To    int
	At, Into, N int64
}

// Send copies elements of In to Out over every pair at once; a pair of one rank is a copy
// on it.
func Send(ranks int, pairs []Pair) *Schedule {
	s := &Schedule{Ranks: ranks}
	for _, p := range pairs {
		src, dst := Place{In, p.At}, Place{Out, p.Into}
		if p.From == p.To {
			s.stage(0).Sums = append(s.stage(0).Sums, Sum{Rank: p.To, Terms: []Place{src}, Into: dst, N: p.N})
			continue
		}
		s.stage(0).Late = append(s.stage(0).Late, Copy{From: p.From, To: p.To, Src: src, Dst: dst, N: p.N})
	}
	return s.finish()
}
