package collective

import (
	"fmt"
	"slices"
)

// cell is one element of a rank's memory: a sum of operands, by its number in a
// book, and the element of the operands that it belongs to. sum -1: undefined.
type cell struct{ sum, element int32 }

// book numbers sums: operand r is r, a sum of two is the unordered pair of theirs.
// Two sums have one number only when a device makes the same bits of them.
type book struct {
	pairs map[[2]int32]int32
	next  int32
}

func newBook() *book { return &book{map[[2]int32]int32{}, 1000} }

func (b *book) add(x, y int32) int32 {
	key := [2]int32{min(x, y), max(x, y)}
	id, ok := b.pairs[key]
	if !ok {
		id = b.next
		b.next++
		b.pairs[key] = id
	}
	return id
}

// finished marks a sum as complete: what an average divides, once.
const finished = -2

// finish numbers a complete sum.
func (b *book) finish(x int32) int32 { return b.add(x, finished) }

// tree adds in tree order, level by level: i absorbs i+s for s = 1, 2, 4...
func (b *book) tree(terms []int32) int32 {
	x := slices.Clone(terms)
	for s := 1; s < len(x); s *= 2 {
		for i := 0; i+s < len(x); i += 2 * s {
			x[i] = b.add(x[i], x[i+s])
		}
	}
	return x[0]
}

// What happened to a cell in the stage in progress.
const (
	sumRead = 1 << iota
	sumWritten
	copyRead
	copyWritten
)

// machine is the memory of all ranks.
type machine struct {
	book  *book
	mem   [][3][]cell  // by rank and space
	marks [][3][]uint8 // likewise
}

// newMachine makes memories of these lengths with operands in In; everything else
// is undefined. inPlace: Out is In.
func newMachine(b *book, ranks int, in, out, slots int64, inPlace bool) *machine {
	m := &machine{book: b, mem: make([][3][]cell, ranks), marks: make([][3][]uint8, ranks)}
	for r := range ranks {
		for s, n := range [3]int64{in, out, slots} {
			m.mem[r][s] = slices.Repeat([]cell{{-1, -1}}, int(n))
			m.marks[r][s] = make([]uint8, n)
		}
		for i := range m.mem[r][In] {
			m.mem[r][In][i] = cell{int32(r), int32(i)}
		}
		if inPlace {
			m.mem[r][Out], m.marks[r][Out] = m.mem[r][In], m.marks[r][In]
		}
	}
	return m
}

// at returns a run of cells with its marks.
func (m *machine) at(rank int, p Place, n int64) ([]cell, []uint8, error) {
	if rank < 0 || rank >= len(m.mem) || p.At < 0 || n < 1 || p.At+n > int64(len(m.mem[rank][p.Space])) {
		return nil, nil, fmt.Errorf("rank %d: [%d,%d) of space %d is outside its memory", rank, p.At, p.At+n, p.Space)
	}
	return m.mem[rank][p.Space][p.At : p.At+n], m.marks[rank][p.Space][p.At : p.At+n], nil
}

// run runs a schedule and returns the first thing that is wrong with it.
func (m *machine) run(s *Schedule) error {
	for k := range s.Stages {
		for r := range m.marks {
			for _, marks := range m.marks[r] {
				clear(marks)
			}
		}
		if err := m.stage(&s.Stages[k]); err != nil {
			return fmt.Errorf("stage %d: %w", k, err)
		}
	}
	return nil
}

func (m *machine) stage(st *Stage) error {
	for _, x := range st.Sums {
		if err := m.sum(x); err != nil {
			return err
		}
	}
	// All copies read before any writes: where that makes a difference there is a
	// conflict, which is reported.
	var moved [][]cell
	for i, list := range [][]Copy{st.Early, st.Late} {
		for _, c := range list {
			from, marks, err := m.at(c.From, c.Src, c.N)
			if err != nil {
				return err
			}
			if c.From == c.To {
				return fmt.Errorf("copy on rank %d", c.From)
			}
			for e := range marks {
				if i == 0 && marks[e]&sumWritten != 0 {
					return fmt.Errorf("an early copy reads what a sum of its stage writes: %+v", c)
				}
				if from[e].sum < 0 {
					return fmt.Errorf("a copy reads what nothing wrote: %+v", c)
				}
				marks[e] |= copyRead
			}
			moved = append(moved, slices.Clone(from))
		}
	}
	at := 0
	for i, list := range [][]Copy{st.Early, st.Late} {
		for _, c := range list {
			to, marks, err := m.at(c.To, c.Dst, c.N)
			if err != nil {
				return err
			}
			for e := range marks {
				if i == 0 && marks[e]&(sumRead|sumWritten) != 0 {
					return fmt.Errorf("an early copy writes what a sum of its stage touches: %+v", c)
				}
				if marks[e]&(copyRead|copyWritten) != 0 {
					return fmt.Errorf("a copy writes what another one touches: %+v", c)
				}
				marks[e] |= copyWritten
			}
			copy(to, moved[at])
			at++
		}
	}
	return nil
}

// sum makes one sum and checks its shape.
func (m *machine) sum(x Sum) error {
	into, out, err := m.at(x.Rank, x.Into, x.N)
	if err != nil {
		return err
	}
	terms, marks := make([][]cell, len(x.Terms)), make([][]uint8, len(x.Terms))
	last, distance, outside := int64(-1), int64(-1), 0
	for t, p := range x.Terms {
		if terms[t], marks[t], err = m.at(x.Rank, p, x.N); err != nil {
			return err
		}
		if p.Space != Slot {
			outside++
			continue
		}
		if last >= 0 && distance >= 0 && p.At-last != distance || last >= 0 && p.At-last < x.N {
			return fmt.Errorf("slots at uneven distances: %+v", x)
		}
		if last >= 0 {
			distance = p.At - last
		}
		last = p.At
	}
	if outside > 1 {
		return fmt.Errorf("%d terms outside slots: %+v", outside, x)
	}
	ids, before, total := make([]int32, len(terms)), make([]int32, len(terms)), int32(-1)
	for e := range into {
		for t := range terms {
			v := terms[t][e]
			if v.sum < 0 || v.element != terms[0][e].element {
				return fmt.Errorf("element %d of term %d is undefined or of another element: %+v", e, t, x)
			}
			if marks[t][e]&sumWritten != 0 {
				return fmt.Errorf("a sum reads what another one of its stage wrote: %+v", x)
			}
			ids[t] = v.sum
		}
		if e == 0 || !slices.Equal(ids, before) {
			if total = m.book.tree(ids); x.Final {
				total = m.book.finish(total)
			}
			copy(before, ids)
		}
		if out[e]&(sumWritten|sumRead) != 0 {
			return fmt.Errorf("a sum writes what another one of its stage touched: %+v", x)
		}
		// Terms of this sum may be its target, element by element.
		into[e] = cell{total, terms[0][e].element}
	}
	for t := range marks {
		for e := range marks[t] {
			marks[t][e] |= sumRead
		}
	}
	for e := range out {
		out[e] |= sumWritten
	}
	return nil
}
