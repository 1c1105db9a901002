package collective

// Span is the half-open range of elements [Lo,Hi).
type Span struct{ Lo, Hi int64 }

// Len is the number of elements.
func (s Span) Len() int64 { return s.Hi - s.Lo }

// Slices cuts n elements into one slice for each rank at multiples of the granule:
// equal ones, the last one shorter, or empty where n is small.
func Slices(n int64, ranks int, granule int64) []Span {
	granule = max(granule, 1)
	each := roundUp((n+int64(ranks)-1)/int64(ranks), granule)
	out := make([]Span, ranks)
	for r := range out {
		out[r] = Span{min(int64(r)*each, n), min(int64(r+1)*each, n)}
	}
	return out
}

// chunks cuts a slice into count parts, the first ones whole multiples of the granule.
func (s Span) chunks(count int, granule int64) []Span {
	out := Slices(s.Len(), count, granule)
	for i := range out {
		out[i] = Span{s.Lo + out[i].Lo, s.Lo + out[i].Hi}
	}
	return out
}

func longest(spans []Span) int64 {
	var n int64
	for _, s := range spans {
		n = max(n, s.Len())
	}
	return n
}

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }

// Peer is the rank to which a rank sends in round h of 1 to ranks-1: every round is a
// permutation, in pairs where the number of ranks is a power of two.
func Peer(rank, h, ranks int) int {
	if ranks&(ranks-1) == 0 {
		return rank ^ h
	}
	return (rank + h) % ranks
}

// slots lays out the receive slots of a slice: one for each other rank, blockwise, so
// that the slots of one block lie close to each other.
type slots struct {
	each, block, granule int64 // elements
	others               int64
}

func newSlots(each int64, ranks int, o Options) slots {
	block := each
	if o.Block > 0 {
		block = min(each, max(o.Block/o.granule(), 1)*o.granule())
	}
	return slots{each: each, block: max(roundUp(block, o.granule()), 1), granule: o.granule(), others: int64(ranks - 1)}
}

// stride is the distance between the slots of the block that begins at element first.
func (s slots) stride(first int64) int64 {
	return roundUp(min(s.block, s.each-first), s.granule)
}

// at is where element e of the slice from the k-th other rank lies.
func (s slots) at(k int, e int64) Place {
	first := e / s.block * s.block
	return Place{Slot, first*s.others + int64(k)*s.stride(first) + e - first}
}

// elements is how much memory all slots take.
func (s slots) elements() int64 { return roundUp(s.each, s.granule) * s.others }

// pieces cuts elements [lo,hi) of a slice where blocks end.
func (s slots) pieces(lo, hi int64) []Span {
	var out []Span
	for lo < hi {
		end := min(hi, lo/s.block*s.block+s.block)
		out = append(out, Span{lo, end})
		lo = end
	}
	return out
}

// other is the number of rank from among those other than rank to.
func other(from, to int) int {
	if from > to {
		return from - 1
	}
	return from
}
