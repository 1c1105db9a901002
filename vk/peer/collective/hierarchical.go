package collective

// Hierarchical is an all-reduce of n elements for ranks in groups of o.Group that follow each
// other, between which links are slow: a reduce-scatter within each group, an all-reduce of
// every slice between the ranks that hold it, one of each group, and an all-gather within each
// group. Between two groups it goes with one hand-over, between more by a reduce-scatter and an
// all-gather. A group sends n, or 2n(groups-1)/groups, to the others; in TwoShot that is
// n(groups-1)/groups for the gather alone and o.Group times as much before it. Every rank adds in
// rank order where o.Group is a power of two and divides ranks. InPlace.
func Hierarchical(n int64, ranks int, o Options) *Schedule {
	size := o.Group
	if size < 2 || size >= ranks || ranks%size != 0 {
		return TwoShot(n, ranks, o)
	}
	groups := ranks / size
	s := &Schedule{Ranks: ranks}
	slices := Slices(n, size, o.granule())
	within := newSlots(longest(slices), size, o)
	between := make([][]Span, size) // by slice: the part of each group's rank
	var most int64
	for i, slice := range slices {
		between[i] = slice.chunks(groups, o.granule())
		if groups == 2 { // both sum all of it
			between[i] = []Span{slice, slice}
		}
		most = max(most, longest(between[i]))
	}
	across := newSlots(most, groups, o)
	s.Slots = max(within.elements(), across.elements())
	for q := range groups {
		s.inGroup(q*size, slices, within)
	}
	for i := range size {
		s.amongGroups(i, size, between[i], across)
	}
	last := 2
	if groups > 2 {
		for h := 1; h < groups; h++ {
			for q := range groups {
				for i := range size {
					p := between[i][q]
					s.stage(2).Late = append(s.stage(2).Late, Copy{From: q*size + i, To: Peer(q, h, groups)*size + i, Src: Place{Out, p.Lo}, Dst: Place{Out, p.Lo}, N: p.Len()})
				}
			}
		}
		last = 3
	}
	for h := 1; h < size; h++ {
		for rank := range ranks {
			i, first := rank%size, rank/size*size
			p := slices[i]
			s.stage(last).Late = append(s.stage(last).Late, Copy{From: rank, To: first + Peer(i, h, size), Src: Place{Out, p.Lo}, Dst: Place{Out, p.Lo}, N: p.Len()})
		}
	}
	return s.finish()
}

// inGroup appends the reduce-scatter of the group of ranks from first on: rank first+i makes
// slice i in Out.
func (s *Schedule) inGroup(first int, slices []Span, sl slots) {
	size := len(slices)
	for h := 1; h < size; h++ {
		for from := range size {
			to := Peer(from, h, size)
			for _, x := range sl.pieces(0, slices[to].Len()) {
				s.stage(0).Late = append(s.stage(0).Late, Copy{From: first + from, To: first + to, Src: Place{In, slices[to].Lo + x.Lo}, Dst: sl.at(other(from, to), x.Lo), N: x.Len()})
			}
		}
	}
	for i, slice := range slices {
		for _, x := range sl.pieces(0, slice.Len()) {
			sum := Sum{Rank: first + i, Into: Place{Out, slice.Lo + x.Lo}, N: x.Len()}
			for from := range size {
				t := Place{In, slice.Lo + x.Lo}
				if from != i {
					t = sl.at(other(from, i), x.Lo)
				}
				sum.Terms = append(sum.Terms, t)
			}
			s.stage(1).Sums = append(s.stage(1).Sums, sum)
		}
	}
}

// amongGroups appends the exchange of slice i between the groups, each of size ranks: the rank
// of group q receives its part of the slice from all others and sums it in Out.
func (s *Schedule) amongGroups(i, size int, parts []Span, sl slots) {
	groups := len(parts)
	for h := 1; h < groups; h++ {
		for from := range groups {
			to := Peer(from, h, groups)
			for _, x := range sl.pieces(0, parts[to].Len()) {
				s.stage(1).Late = append(s.stage(1).Late, Copy{From: from*size + i, To: to*size + i, Src: Place{Out, parts[to].Lo + x.Lo}, Dst: sl.at(other(from, to), x.Lo), N: x.Len()})
			}
		}
	}
	for q, part := range parts {
		for _, x := range sl.pieces(0, part.Len()) {
			sum := Sum{Rank: q*size + i, Into: Place{Out, part.Lo + x.Lo}, N: x.Len(), Final: true}
			for from := range groups {
				t := Place{Out, part.Lo + x.Lo}
				if from != q {
					t = sl.at(other(from, q), x.Lo)
				}
				sum.Terms = append(sum.Terms, t)
			}
			s.stage(2).Sums = append(s.stage(2).Sums, sum)
		}
	}
}
