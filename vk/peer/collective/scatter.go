package collective

// scatter appends the stages of a reduce-scatter by direct copies: every rank
// receives its slice of In from all others and sums it in rank order. Rounds 1 to
// ranks-2 carry whole slices; the last one goes in chunks, so that the sum of a chunk
// overlaps the copy of the next. The last stage holds the last sum; its copies are
// the caller's. into is where the result of a rank's slice, from its element e on,
// goes.
func scatter(s *Schedule, slices []Span, o Options, into func(rank int, e int64) Place) {
	n := s.Ranks
	chunks := max(o.Chunks, 1)
	sl := newSlots(longest(slices), n, o)
	s.Slots = max(s.Slots, sl.elements())
	send := func(list *[]Copy, h int, part func(to int) Span) {
		for from := range n {
			to := Peer(from, h, n)
			p := part(to)
			for _, x := range sl.pieces(p.Lo-slices[to].Lo, p.Hi-slices[to].Lo) {
				*list = append(*list, Copy{From: from, To: to, Src: Place{In, slices[to].Lo + x.Lo}, Dst: sl.at(other(from, to), x.Lo), N: x.Len()})
			}
		}
	}
	for h := 1; h < n-1; h++ {
		send(&s.stage(0).Late, h, func(to int) Span { return slices[to] })
	}
	for c := range chunks {
		chunk := func(rank int) Span { return slices[rank].chunks(chunks, o.granule())[c] }
		list := &s.stage(c).Early
		if c == 0 {
			list = &s.stage(0).Late
		}
		send(list, n-1, chunk)
		for rank := range n {
			p := chunk(rank)
			for _, x := range sl.pieces(p.Lo-slices[rank].Lo, p.Hi-slices[rank].Lo) {
				sum := Sum{Rank: rank, Into: into(rank, x.Lo), N: x.Len(), Final: true}
				for from := range n {
					t := Place{In, slices[rank].Lo + x.Lo}
					if from != rank {
						t = sl.at(other(from, rank), x.Lo)
					}
					sum.Terms = append(sum.Terms, t)
				}
				s.stage(c + 1).Sums = append(s.stage(c+1).Sums, sum)
			}
		}
	}
}

// alone is the schedule of one rank: a copy.
func alone(n int64) *Schedule {
	s := &Schedule{Ranks: 1}
	s.stage(0).Sums = []Sum{{Terms: []Place{{In, 0}}, Into: Place{Out, 0}, N: n, Final: true}}
	return s.finish()
}

// ReduceScatter leaves the sum of slice r of In, in rank order, at the start of Out
// on rank r. Each rank sends and receives all slices but one.
func ReduceScatter(slices []Span, o Options) *Schedule {
	if len(slices) == 1 {
		return alone(slices[0].Len())
	}
	s := &Schedule{Ranks: len(slices)}
	scatter(s, slices, o, func(_ int, e int64) Place { return Place{Out, e} })
	return s.finish()
}

// TwoShot is an all-reduce of n elements: a reduce-scatter, then an all-gather, in
// rounds that all ranks go through together. The first round of the all-gather goes
// in the chunks of the reduce-scatter, each behind its sum. Every rank sends and
// receives 2n(ranks-1)/ranks. InPlace.
func TwoShot(n int64, ranks int, o Options) *Schedule {
	if ranks == 1 {
		return alone(n)
	}
	s := &Schedule{Ranks: ranks}
	slices := Slices(n, ranks, o.granule())
	scatter(s, slices, o, func(rank int, e int64) Place { return Place{Out, slices[rank].Lo + e} })
	last := s.stage(max(o.Chunks, 1))
	chunks := max(o.Chunks, 1)
	for c := range chunks {
		list := &last.Early
		if c == chunks-1 {
			list = &last.Late
		}
		spread(list, ranks, 1, func(from int) Span { return slices[from].chunks(chunks, o.granule())[c] })
	}
	for h := 2; h < ranks; h++ {
		spread(&last.Late, ranks, h, func(from int) Span { return slices[from] })
	}
	return s.finish()
}

// spread appends round h of an all-gather in Out.
func spread(list *[]Copy, ranks, h int, part func(from int) Span) {
	for from := range ranks {
		p := part(from)
		*list = append(*list, Copy{From: from, To: Peer(from, h, ranks), Src: Place{Out, p.Lo}, Dst: Place{Out, p.Lo}, N: p.Len()})
	}
}
