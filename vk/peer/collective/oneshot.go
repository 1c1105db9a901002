package collective

// OneShot is an all-reduce of n elements with one hand-over: every rank sends its
// whole operand to all others and sums for itself. Each sends and receives
// n(ranks-1). InPlace.
func OneShot(n int64, ranks int, o Options) *Schedule {
	if ranks == 1 {
		return alone(n)
	}
	s := &Schedule{Ranks: ranks}
	sl := newSlots(n, ranks, o)
	s.Slots = sl.elements()
	for h := 1; h < ranks; h++ {
		for from := range ranks {
			to := Peer(from, h, ranks)
			for _, x := range sl.pieces(0, n) {
				s.stage(0).Late = append(s.stage(0).Late, Copy{From: from, To: to, Src: Place{In, x.Lo}, Dst: sl.at(other(from, to), x.Lo), N: x.Len()})
			}
		}
	}
	for rank := range ranks {
		for _, x := range sl.pieces(0, n) {
			sum := Sum{Rank: rank, Into: Place{Out, x.Lo}, N: x.Len(), Final: true}
			for from := range ranks {
				t := Place{In, x.Lo}
				if from != rank {
					t = sl.at(other(from, rank), x.Lo)
				}
				sum.Terms = append(sum.Terms, t)
			}
			s.stage(1).Sums = append(s.stage(1).Sums, sum)
		}
	}
	return s.finish()
}
