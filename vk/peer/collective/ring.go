package collective

// ring appends a reduce-scatter round a ring in ranks-1 hand-overs, which leaves the
// sum of slice r on rank r. Slice r starts on rank r+1, and each rank on its way adds
// its own: (((x[r+1]+x[r+2])+x[r+3])+...)+x[r], an order that depends on the slice.
func ring(s *Schedule, slices []Span, o Options, into func(rank int) Place) {
	n := s.Ranks
	each := roundUp(longest(slices), o.granule())
	s.Slots = max(s.Slots, 2*each)
	slot := func(step int) Place { return Place{Slot, int64(step%2) * each} } // a slot is sent on while the next one is received
	for step := range n - 1 {
		for rank := range n {
			part := slices[(rank-step-1+n)%n]
			src := Place{In, part.Lo}
			if step > 0 {
				src = slot(step - 1)
			}
			to := (rank + 1) % n
			s.stage(step).Late = append(s.stage(step).Late, Copy{From: rank, To: to, Src: src, Dst: slot(step), N: part.Len()})
			sum := Sum{Rank: to, Terms: []Place{slot(step), {In, part.Lo}}, Into: slot(step), N: part.Len()}
			if step == n-2 {
				sum.Into, sum.Final = into(to), true
			}
			s.stage(step + 1).Sums = append(s.stage(step+1).Sums, sum)
		}
	}
}

// around appends an all-gather of slices in Out round a ring, from stage first on.
func around(s *Schedule, slices []Span, first int) {
	n := s.Ranks
	for step := range n - 1 {
		for rank := range n {
			part := slices[(rank-step+n)%n]
			s.stage(first + step).Late = append(s.stage(first+step).Late,
				Copy{From: rank, To: (rank + 1) % n, Src: Place{Out, part.Lo}, Dst: Place{Out, part.Lo}, N: part.Len()})
		}
	}
}

// Ring is an all-reduce of n elements round a ring: 2(ranks-1) hand-overs, each with
// one slice a rank. Not in rank order: see ring.
func Ring(n int64, ranks int, o Options) *Schedule {
	if ranks == 1 {
		return alone(n)
	}
	s := &Schedule{Ranks: ranks}
	slices := Slices(n, ranks, o.granule())
	ring(s, slices, o, func(rank int) Place { return Place{Out, slices[rank].Lo} })
	around(s, slices, ranks-1)
	return s.finish()
}

// RingReduceScatter is ReduceScatter round a ring, in the order of Ring.
func RingReduceScatter(slices []Span, o Options) *Schedule {
	if len(slices) == 1 {
		return alone(slices[0].Len())
	}
	s := &Schedule{Ranks: len(slices)}
	ring(s, slices, o, func(int) Place { return Place{Out, 0} })
	return s.finish()
}
