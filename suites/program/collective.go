package program

// Algorithms of the collectives. Empty stands for Auto.
const (
	// Auto: the fastest of those that keep the order promised, measured on the
	// devices before anything is timed.
	Auto = "auto"
	// OneShot sends everything straight to whoever needs it: one hand-over.
	OneShot = "one-shot"
	// TwoShot goes through slices: reduce-scatter or scatter, then all-gather.
	TwoShot = "two-shot"
	// Ring sends slices to the next rank only. Its sums are in an order of their own:
	// slice r is ((x[r+1]+x[r+2])+...)+x[r].
	Ring = "ring"
	// RecursiveDoubling exchanges sums between the halves of groups.
	RecursiveDoubling = "recursive-doubling"
	// Hierarchical is TwoShot within the devices of each process and, in slices, between
	// processes: the least crosses from one to another. In one process it is TwoShot, and so it
	// is where processes have no equal power of two of devices.
	Hierarchical = "hierarchical"
	// Tree goes up a binomial tree to rank 0 and down again.
	Tree = "tree"
)

// RankSlices cuts n elements into the slices of Ring and TwoShot, one for each rank:
// equal ones of whole multiples of 64 elements, the last ones shorter or empty.
func RankSlices(n int64, ranks int) []Share {
	each := ((n+int64(ranks)-1)/int64(ranks) + SliceGranule - 1) / SliceGranule * SliceGranule
	out := make([]Share, ranks)
	for r := range out {
		out[r] = Share{min(int64(r)*each, n), min(int64(r+1)*each, n)}
	}
	return out
}

// SliceGranule is the number of elements of which slices and chunks are multiples:
// 256 bytes.
const SliceGranule = 64

// Op is the operator of a reduction.
type Op uint8

// Operators. Sum, Min and Max act on the array's element type.
const (
	Sum Op = iota
	Min
	Max
)

// Order fixes in which order a reduction combines.
type Order uint8

const (
	// ByRank combines the devices' Local arrays element by element in rank
	// order, as the tree ((x0+x1)+(x2+x3)): identical on all devices of a run,
	// not between counts. Ring has an order of its own.
	ByRank Order = iota
	// ByChunk combines the units (canonical chunks) of a Split array along the
	// canonical tree: level by level unit i absorbs unit i+s for s = 1, 2, 4...
	// Bit-identical for every count and division.
	ByChunk
)

// AllReduce combines Array into Into on every device. ByRank: both Local with
// equal shape (Into may equal Array). ByChunk: Array is Split with Stride
// elements a unit, Into is Local or Replicated with one unit of that Stride.
type AllReduce struct {
	Array, Into string
	Op          Op
	Order       Order
	Double      bool   // ByChunk Sum only: the words are float64 in pairs, which the kernels need too
	Average     bool   // ByRank Sum only: divide by the number of devices at the end
	Algorithm   string // ByRank only
	Chunks      int    // of TwoShot, 1 to 4; 0: whatever is fastest
}

// ReduceScatter combines the devices' Array, Local with Program.Units units, in rank
// order and leaves each device its share of the result in Into, Split with the same
// Stride. Algorithms: OneShot, Ring.
type ReduceScatter struct {
	Array, Into string
	Op          Op
	Average     bool // Sum only
	Algorithm   string
	Chunks      int // of OneShot, 1 to 4; 0: whatever is fastest
}

// AllGather makes Replicated arrays whole: each device contributes the units of
// its share and receives all others. From, when set, names for each of them a Split
// array of the same Stride that holds the shares instead. Algorithms: OneShot, Ring.
type AllGather struct {
	Arrays, From []string
	Algorithm    string
}

// Broadcast copies Replicated or Local arrays from device Root to all others.
// Algorithms: OneShot, TwoShot.
type Broadcast struct {
	Arrays    []string
	Root      int
	Algorithm string
	// Parts, when set, are the units of each array that each device receives, by array and
	// device, such as the rows of a panel that its part of a matrix needs; OneShot only.
	// The rest of its copy stays what it was.
	Parts [][]Share
}

// AllToAll transposes blocks: Array and Into are Local with equal shape, cut into as
// many equal blocks as there are devices; block j of Array on device i becomes block
// i of Into on device j.
type AllToAll struct{ Array, Into string }

// Send copies Array on the sender to Into on the receiver, over all pairs at once.
// Both are Local or Replicated with equal length; no device receives twice.
type Send struct {
	Array, Into string
	Pairs       []Pair
}

// Pair is a sender and its receiver; they may be one device. With Units above 0 they hand
// over that many units only, of equal stride then: from unit At of Array to unit Into.
type Pair struct {
	From, To        int
	At, Into, Units int64
}

func (AllReduce) step()     {}
func (ReduceScatter) step() {}
func (AllGather) step()     {}
func (Broadcast) step()     {}
func (AllToAll) step()      {}
func (Send) step()          {}
