package collective

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"
)

// counts are the element counts to try: 0 to 257 (in tests without the tag long
// those at which something may change), and around powers of two.
func counts(ranks int, granule int64) []int64 {
	seen := map[int64]bool{}
	var out []int64
	add := func(n int64) {
		if n >= 0 && !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	for _, n := range everyCount {
		add(n)
	}
	for _, n := range []int64{int64(ranks), granule, int64(ranks) * granule, 8 * int64(ranks) * granule, 64, 128, 256} {
		for d := int64(-1); d <= 1; d++ {
			add(n + d)
		}
	}
	for _, n := range largeCounts {
		add(n)
	}
	return out
}

// cuts are the ways to cut that are tried with every algorithm.
var cuts = []Options{{}, {Chunks: 2}, {Chunks: 3, Granule: 4}, {Chunks: 4, Granule: 1, Block: 5}, {Granule: 64, Block: 64, Chunks: 2}}

// reductions are the all-reduces; inOrder: along the canonical tree over ranks.
var reductions = []struct {
	name    string
	make    func(n int64, ranks int, o Options) *Schedule
	inOrder bool
}{
	{"one-shot", OneShot, true}, {"two-shot", TwoShot, true}, {"ring", Ring, false},
	{"recursive-doubling", RecursiveDoubling, true}, {"tree", Tree, true},
}

// ringOrder is the number of the sum of slice r round a ring.
func (b *book) ringOrder(r, ranks int) int32 {
	total := int32((r + 1) % ranks)
	for k := 2; k <= ranks; k++ {
		total = b.add(total, int32((r+k)%ranks))
	}
	return b.finish(total)
}

func (b *book) rankOrder(ranks int) int32 {
	x := make([]int32, ranks)
	for i := range x {
		x[i] = int32(i)
	}
	return b.finish(b.tree(x))
}

// reduces runs an all-reduce of n elements, in place too, and compares what all ranks end
// with; places must lie at multiples of the granule, as devices bind them.
func reduces(b *book, s *Schedule, n int64, o Options, want func(at int64) int32) error {
	if err := aligned(s, o.granule()); err != nil {
		return err
	}
	for _, inPlace := range inPlaces(n) {
		m := newMachine(b, s.Ranks, n, n, s.Slots, inPlace)
		if err := m.run(s); err != nil {
			return fmt.Errorf("in place %v: %w", inPlace, err)
		}
		for rank := range s.Ranks {
			for at, c := range m.mem[rank][Out] {
				if x := want(int64(at)); c != (cell{x, int32(at)}) {
					return fmt.Errorf("in place %v, rank %d, element %d: %+v, want sum %d", inPlace, rank, at, c, x)
				}
			}
		}
	}
	return nil
}

// aligned says which place of a schedule lies at no multiple of the granule.
func aligned(s *Schedule, granule int64) error {
	for k, st := range s.Stages {
		var places []Place
		for _, c := range slices.Concat(st.Early, st.Late) {
			places = append(places, c.Src, c.Dst)
		}
		for _, x := range st.Sums {
			places = append(append(places, x.Into), x.Terms...)
		}
		for _, p := range places {
			if p.At%granule != 0 {
				return fmt.Errorf("stage %d: element %d of space %d is no multiple of %d", k, p.At, p.Space, granule)
			}
		}
	}
	return nil
}

// Every algorithm, for 1 to 16 ranks: all ranks end with the sum of all operands in
// the order promised, and nothing is overwritten before it is read; also in place.
func TestAllReduce(t *testing.T) {
	for ranks := 1; ranks <= 16; ranks++ {
		b := newBook()
		tree := b.rankOrder(ranks)
		for _, r := range reductions {
			for i, o := range cuts {
				if i > 0 && r.name != "two-shot" && o.Block == 0 && o.Granule < 2 {
					continue // chunks are for it alone
				}
				for _, n := range counts(ranks, o.granule()) {
					s := r.make(n, ranks, o)
					want := func(at int64) int32 {
						if r.inOrder {
							return tree
						}
						return b.ringOrder(sliceOf(at, n, ranks, o), ranks)
					}
					if err := reduces(b, s, n, o, want); err != nil {
						t.Fatalf("%s of %d elements on %d ranks, %+v: %v", r.name, n, ranks, o, err)
					}
				}
			}
		}
	}
}

// TestHierarchical: for groups of a power of two all ranks end with the sum in rank order,
// whatever the number of groups, nothing is overwritten before it is read, also in place, and
// what leaves a group is no more than promised.
func TestHierarchical(t *testing.T) {
	for ranks := 2; ranks <= 16; ranks++ {
		for _, size := range []int{1, 2, 4, 8} {
			if ranks%size != 0 {
				continue
			}
			b := newBook()
			want := b.rankOrder(ranks)
			for _, o := range cuts {
				o.Group = size
				for _, n := range counts(ranks, o.granule()) {
					if err := reduces(b, Hierarchical(n, ranks, o), n, o, func(int64) int32 { return want }); err != nil {
						t.Fatalf("%d elements on %d ranks in groups of %d, %+v: %v", n, ranks, size, o, err)
					}
				}
			}
		}
	}
	const n = 1 << 10
	for _, c := range []struct {
		ranks, size int
		leaves      int64 // a group
		handOvers   int
	}{{8, 4, n, 3}, {4, 2, n, 3}, {16, 4, 2 * n * 3 / 4, 4}, {8, 2, 2 * n * 3 / 4, 4}} {
		s := Hierarchical(n, c.ranks, Options{Group: c.size})
		var leaves int64
		for _, st := range s.Stages {
			for _, x := range append(st.Early, st.Late...) {
				if x.From < c.size && x.To >= c.size {
					leaves += x.N
				}
			}
		}
		if leaves != c.leaves || s.HandOvers() != c.handOvers {
			t.Errorf("%d ranks in groups of %d: %d elements leave the first one in %d hand-overs, want %d in %d", c.ranks, c.size, leaves, s.HandOvers(), c.leaves, c.handOvers)
		}
	}
}

func sliceOf(at, n int64, ranks int, o Options) int {
	for r, s := range Slices(n, ranks, o.granule()) {
		if at >= s.Lo && at < s.Hi {
			return r
		}
	}
	return -1
}

// divisions are ways to divide n elements over ranks: equal, and all over the place.
func divisions(n int64, ranks int) [][]Span {
	uneven := make([]Span, ranks)
	var at int64
	for r := range uneven {
		size := (n - at) * int64(r%3) / 3
		if r == ranks-1 {
			size = n - at
		}
		uneven[r] = Span{at, at + size}
		at += size
	}
	return [][]Span{Slices(n, ranks, 1), uneven}
}

func TestReduceScatter(t *testing.T) {
	for ranks := 1; ranks <= 16; ranks++ {
		b := newBook()
		for _, o := range cuts {
			for _, n := range counts(ranks, o.granule()) {
				for _, slices := range divisions(n, ranks) {
					for _, direct := range []bool{true, false} {
						s := RingReduceScatter(slices, o)
						if direct {
							s = ReduceScatter(slices, o)
						}
						m := newMachine(b, ranks, n, longest(slices), s.Slots, false)
						if err := m.run(s); err != nil {
							t.Fatalf("%v on %d ranks, %+v, direct %v: %v", slices, ranks, o, direct, err)
						}
						for rank, part := range slices {
							want := b.rankOrder(ranks)
							if !direct {
								want = b.ringOrder(rank, ranks)
							}
							for e := range part.Len() {
								if c := m.mem[rank][Out][e]; c != (cell{want, int32(part.Lo + e)}) {
									t.Fatalf("%v on %d ranks, direct %v: rank %d element %d is %+v", slices, ranks, direct, rank, e, c)
								}
							}
						}
					}
				}
			}
		}
	}
}

// The collectives that only move: everything arrives where it belongs.
func TestMoves(t *testing.T) {
	for ranks := 1; ranks <= 16; ranks++ {
		for _, n := range counts(ranks, 1) {
			for _, slices := range divisions(n, ranks) {
				for i, s := range []*Schedule{AllGather(slices, false), RingAllGather(slices, false), AllGather(slices, true), RingAllGather(slices, true)} {
					m := newMachine(newBook(), ranks, longest(slices), n, 0, false)
					for r, part := range slices {
						for e := part.Lo; e < part.Hi; e++ {
							at := &m.mem[r][Out][e]
							if i > 1 {
								at = &m.mem[r][In][e-part.Lo]
							}
							*at = cell{int32(r), int32(e)}
						}
					}
					run(t, m, s)
					for rank := range ranks {
						for r, part := range slices {
							for e := part.Lo; e < part.Hi; e++ {
								same(t, "all-gather", m.mem[rank][Out][e], cell{int32(r), int32(e)})
							}
						}
					}
				}
			}
			root := int(n) % ranks
			for _, s := range []*Schedule{Broadcast(n, ranks, root), ScatterGather(n, ranks, root, Options{Granule: n%5 + 1})} {
				m := newMachine(newBook(), ranks, 0, n, 0, false)
				for e := range m.mem[root][Out] {
					m.mem[root][Out][e] = cell{0, int32(e)}
				}
				run(t, m, s)
				for rank := range ranks {
					for e, c := range m.mem[rank][Out] {
						same(t, "broadcast", c, cell{0, int32(e)})
					}
				}
			}
			for _, parts := range divisions(n, ranks) {
				m := newMachine(newBook(), ranks, 0, n, 0, false)
				for rank := range ranks {
					for e := range m.mem[rank][Out] {
						m.mem[rank][Out][e] = cell{int32(rank), int32(e)}
					}
				}
				run(t, m, Multicast(parts, root))
				for rank, part := range parts {
					for e, c := range m.mem[rank][Out] {
						from := rank
						if int64(e) >= part.Lo && int64(e) < part.Hi {
							from = root
						}
						same(t, "multicast", c, cell{int32(from), int32(e)})
					}
				}
			}
			for shift := range ranks { // round the team, by every distance
				m := newMachine(newBook(), ranks, n, n, 0, false)
				pairs := make([]Pair, ranks)
				for rank := range pairs {
					pairs[rank] = Pair{From: rank, To: (rank + shift) % ranks, N: n}
				}
				run(t, m, Send(ranks, pairs))
				for rank := range ranks {
					for e, c := range m.mem[rank][Out] {
						same(t, "send", c, cell{int32((rank - shift + ranks) % ranks), int32(e)})
					}
				}
			}
			if n > mostBlock { // blocks: the whole is as many times longer as there are ranks
				continue
			}
			m := newMachine(newBook(), ranks, n*int64(ranks), n*int64(ranks), 0, false)
			run(t, m, AllToAll(n, ranks))
			for rank := range ranks {
				for e, c := range m.mem[rank][Out] {
					same(t, "all-to-all", c, cell{int32(int64(e) / n), int32(int64(rank)*n + int64(e)%n)})
				}
			}
		}
	}
}

func TestSend(t *testing.T) {
	m := newMachine(newBook(), 3, 7, 7, 0, false)
	run(t, m, Send(3, []Pair{{From: 0, To: 2, N: 7}, {From: 2, To: 0, N: 7}, {From: 1, To: 1, N: 7}}))
	for rank, from := range []int32{2, 1, 0} {
		for e, c := range m.mem[rank][Out] {
			same(t, "send", c, cell{from, int32(e)})
		}
	}
	run(t, m, Send(3, []Pair{{From: 1, To: 0, At: 2, Into: 4, N: 3}}))
	for e, c := range m.mem[0][Out] {
		want := cell{2, int32(e)}
		if e >= 4 {
			want = cell{1, int32(e - 2)}
		}
		same(t, "send of a part", c, want)
	}
}

func run(t *testing.T, m *machine, s *Schedule) {
	t.Helper()
	if err := m.run(s); err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, what string, got, want cell) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: %+v, want %+v", what, got, want)
	}
}

// Rounds: while all ranks go through their copies side by side, no two send to one.
func TestRoundsArePermutations(t *testing.T) {
	for ranks := 2; ranks <= 16; ranks++ {
		n := int64(ranks * 64)
		for name, s := range map[string]*Schedule{
			"two-shot": TwoShot(n, ranks, Options{Chunks: 4}), "one-shot": OneShot(n, ranks, Options{}),
			"gather": AllGather(Slices(n, ranks, 1), false), "all-to-all": AllToAll(8, ranks), "ring": Ring(n, ranks, Options{}),
			"in groups of 2": Hierarchical(n, ranks, Options{Group: 2}), "in groups of 4": Hierarchical(n, ranks, Options{Group: 4}),
		} {
			for k, st := range s.Stages {
				for _, list := range [][]Copy{st.Early, st.Late} {
					place := make([]int, ranks)
					taken := map[[2]int]bool{}
					for _, c := range list {
						at := [2]int{place[c.From], c.To}
						if taken[at] {
							t.Fatalf("%s on %d ranks, stage %d: two ranks send to %d in one round", name, ranks, k, c.To)
						}
						taken[at] = true
						place[c.From]++
					}
				}
			}
		}
	}
}

// What the doc comments say of hand-overs and volumes.
func TestCosts(t *testing.T) {
	const n = 960
	for ranks := 2; ranks <= 16; ranks++ {
		levels := bits.Len(uint(ranks - 1))
		for _, c := range []struct {
			name  string
			s     *Schedule
			hands int
			total int64
		}{
			{"one-shot", OneShot(n, ranks, Options{}), 1, int64(n * ranks * (ranks - 1))},
			{"two-shot", TwoShot(n, ranks, Options{}), 2, int64(2 * n * (ranks - 1))},
			{"two-shot in chunks", TwoShot(n, ranks, Options{Chunks: 2}), 3, int64(2 * n * (ranks - 1))},
			{"ring", Ring(n, ranks, Options{}), 2 * (ranks - 1), int64(2 * n * (ranks - 1))},
			{"tree", Tree(n, ranks, Options{}), 2 * levels, int64(2 * n * (ranks - 1))},
			{"broadcast", Broadcast(n, ranks, 0), 1, int64(n * (ranks - 1))},
			{"broadcast in two hand-overs", ScatterGather(n, ranks, ranks-1, Options{}), 2, int64(n * (ranks - 1))},
			{"all-to-all", AllToAll(n, ranks), 1, int64(n * ranks * (ranks - 1))},
			{"reduce-scatter", ReduceScatter(Slices(n, ranks, 1), Options{}), 1, int64(n * (ranks - 1))},
			{"reduce-scatter round a ring", RingReduceScatter(Slices(n, ranks, 1), Options{}), ranks - 1, int64(n * (ranks - 1))},
			{"gather round a ring", RingAllGather(Slices(n, ranks, 1), false), ranks - 1, int64(n * (ranks - 1))},
			{"gather", AllGather(Slices(n, ranks, 1), false), 1, int64(n * (ranks - 1))},
		} {
			var total int64
			for _, st := range c.s.Stages {
				for _, x := range append(append([]Copy(nil), st.Early...), st.Late...) {
					total += x.N
				}
			}
			if c.s.HandOvers() != c.hands || total != c.total {
				t.Errorf("%s on %d ranks: %d hand-overs and %d elements, want %d and %d", c.name, ranks, c.s.HandOvers(), total, c.hands, c.total)
			}
		}
		if got := RecursiveDoubling(n, ranks, Options{}).HandOvers(); got != levels {
			t.Errorf("recursive doubling on %d ranks: %d hand-overs, want %d", ranks, got, levels)
		}
	}
}

// Chunks are there for what goes on beside a sum: the copies of all but the first chunk of the
// last round of a reduce-scatter, and of all but the last one of the all-gather's first round.
func TestChunksOverlap(t *testing.T) {
	const each = 64
	for ranks := 2; ranks <= 16; ranks++ {
		for chunks := 1; chunks <= 4; chunks++ {
			s := TwoShot(int64(each*ranks), ranks, Options{Chunks: chunks})
			if len(s.Stages) != chunks+1 {
				t.Fatalf("%d ranks, %d chunks: %d stages", ranks, chunks, len(s.Stages))
			}
			for k, st := range s.Stages {
				early := ranks // of one chunk
				switch {
				case k == chunks:
					early = ranks * (chunks - 1)
				case k == 0:
					early = 0
				}
				if len(st.Early) != early || (k > 0) != (len(st.Sums) > 0) {
					t.Errorf("%d ranks, %d chunks, stage %d: %d copies beside %d sums, want %d", ranks, chunks, k, len(st.Early), len(st.Sums), early)
				}
			}
		}
	}
}

// The simulation sees what it is there for.
func TestSimulationFindsFaults(t *testing.T) {
	fresh := func(s *Schedule) error {
		b := newBook()
		s.Slots = max(s.Slots, 8)
		want := b.rankOrder(2)
		return reduces(b, s, 8, Options{}, func(int64) int32 { return want })
	}
	for name, damage := range map[string]func(s *Schedule){
		"a copy left out":      func(s *Schedule) { s.Stages[0].Late = s.Stages[0].Late[1:] },
		"a copy too far":       func(s *Schedule) { s.Stages[0].Late[0].Dst.At++ },
		"an early copy":        func(s *Schedule) { s.Stages[1].Early, s.Stages[1].Late = s.Stages[1].Late, nil },
		"sums one stage early": func(s *Schedule) { s.Stages[0].Sums, s.Stages[1].Sums = s.Stages[1].Sums, nil },
		"a sum not finished":   func(s *Schedule) { s.Stages[1].Sums[0].Final = false },
		"one slot for two":     func(s *Schedule) { s.Stages[0].Late = append(s.Stages[0].Late, s.Stages[0].Late[0]) },
	} {
		s := TwoShot(8, 2, Options{})
		if err := fresh(s); err != nil {
			t.Fatal(err)
		}
		damage(s)
		if fresh(s) == nil {
			t.Errorf("%s goes unnoticed", name)
		}
	}
}
