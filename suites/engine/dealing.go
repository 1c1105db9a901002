package engine

import (
	"fmt"
	"sync"

	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// dealing is a recorded program whose chunks are handed out while the devices work.
type dealing struct {
	what   *dealt
	chunks chunking
	// hands decides; it is used under mutex.
	hands  *partition.Deal
	mutex  sync.Mutex
	owners []int32 // by chunk: who computed it last

	slots     []*slots       // by device
	out, tail []*vk.Commands // by device; empty: nothing is gathered
	stages    []gathered
	rec       *recording // queries and their ticks

	timed     int       // batches of a device that have timestamps
	reps      int       // iterations of the last round
	used      []int     // by device: batches of the last round
	iteration []int     // by device: of its last batch
	lag       []float64 // by device: seconds that a fault added to it
	spent     []int64   // by device: nanoseconds spent on handing out in the last round
	before    []float64 // by device: seconds that one iteration of the last round was expected to take
	history   []history // by device, of the last round
}

// gathered is an array that every device holds whole after the pool: what each computed
// goes to the host, and all of it back.
type gathered struct {
	array   *program.Array
	up      []*vk.Buffer // by device, from it
	down    []*vk.Buffer // by device, to it
	unit    int64        // bytes
	regions [][]region   // by device
}

// mostGathered bounds what goes through host memory after a pool.
const mostGathered = 256 << 20

// How many iterations a sample may hold where nothing is gathered, and how many batches
// of a device have timestamps at least: several in each of them. An iteration has no more
// batches than chunks.
const (
	dealtReps  = 64
	leastTimed = 1024
)

// What a batch costs beyond its chunks, in seconds: a submission, and the gap before it.
// On CPU devices the thread that waits for it must be woken, too.
const (
	priceGPU      = 20e-6
	priceSoftware = 100e-6
)

// newDealing prepares the deal and all that is recorded beforehand.
func (s *Session) newDealing(what *dealt) error {
	n := len(s.workers)
	rates := s.spec.Dynamic.Rates
	if len(rates) != n {
		return fmt.Errorf("%d rates for %d devices", len(rates), n)
	}
	c := chunked(s.prog, what.pool, what.granule)
	terms := partition.Terms{Chunks: c.count, Rates: rates, Price: priceGPU}
	if s.software {
		terms.Price = priceSoftware
	}
	if nominal := s.cost() / float64(max(c.count, 1)); nominal > 0 {
		terms.First = int(max(min(firstSubmit/nominal, float64(c.count)), 1))
	}
	hands, err := partition.NewDeal(s.spec.Dynamic.Assign, terms)
	if err != nil {
		return err
	}
	s.deal = &dealing{
		what: what, chunks: c, hands: hands, owners: hands.Owners(), slots: make([]*slots, n),
		timed: max(c.count, leastTimed), reps: 1, used: make([]int, n), iteration: make([]int, n), lag: make([]float64, n), spent: make([]int64, n), before: make([]float64, n), history: make([]history, n),
	}
	if err := s.makeStages(); err != nil {
		return err
	}
	return s.recordDeal()
}

// makeStages allocates host memory for what is gathered.
func (s *Session) makeStages() error {
	g := s.deal
	var bytes int64
	for _, name := range g.what.gather {
		a, ok := s.prog.Array(name)
		if !ok {
			return fmt.Errorf("gather: unknown array %q", name)
		}
		bytes += a.Units * a.Stride * wordBytes
	}
	if bytes > mostGathered {
		return unsupported("--strategy dynamic gathers %d MiB through host memory after each iteration, at most %d: use another --strategy", bytes>>20, int64(mostGathered)>>20)
	}
	for _, name := range g.what.gather {
		a, _ := s.prog.Array(name)
		x := gathered{array: a, unit: a.Stride * wordBytes, up: make([]*vk.Buffer, len(s.workers)), down: make([]*vk.Buffer, len(s.workers))}
		for i := range s.workers {
			x.regions = append(x.regions, s.wholeOf(i, a))
		}
		err := s.each(func(i int, d *vk.Device) (err error) {
			if x.up[i], err = d.NewBuffer(uint64(a.Units*x.unit), vk.HostRead); err != nil {
				return err
			}
			x.down[i], err = d.NewBuffer(uint64(a.Units*x.unit), vk.HostWrite)
			return err
		})
		if err != nil {
			return fmt.Errorf("host memory to gather array %s: %w", name, err)
		}
		g.stages = append(g.stages, x)
	}
	return nil
}

// wholeOf is where all units of an array lie on device i, without halos.
func (s *Session) wholeOf(i int, a *program.Array) []region {
	at := int64(0)
	if a.Layout == program.Split {
		at = a.Halo
	}
	return s.arrays[i][a.Name].regions(at, at+a.Units)
}

// recordDeal makes the slots of all devices, their queries, and records the tail.
func (s *Session) recordDeal() error {
	g := s.deal
	err := s.each(func(i int, d *vk.Device) (err error) {
		g.slots[i], err = s.newSlots(i, d, g.what.pool)
		return err
	})
	if err != nil {
		return err
	}
	g.rec = &recording{reps: 1, stages: (2*g.timed+2*queriesPerPhase)/queriesPerPhase + 1}
	if err := s.makeQueries(g.rec); err != nil {
		return err
	}
	return s.recordTail()
}

// keep records operations on device i and appends them to its list.
func (s *Session) keep(lists *[][]*vk.Commands, i int, ops []vk.Op) error {
	return s.workers[i].do(func(d *vk.Device) error {
		c, err := d.Record(ops)
		if err == nil {
			(*lists)[i] = append((*lists)[i], c)
		}
		return err
	})
}

// query numbers of what follows the batches.
func (g *dealing) outQuery() int  { return 2 * g.timed }
func (g *dealing) tailQuery() int { return 2*g.timed + queriesPerPhase }

// recordTail records what every device sends to the host after the pool, and what it
// does with all that comes back.
func (s *Session) recordTail() error {
	g := s.deal
	if len(g.stages) == 0 {
		return nil
	}
	n := len(s.workers)
	b := s.newBuilder()
	b.limit = 0
	for i := range n {
		for _, x := range g.stages {
			at := uint64(0)
			for _, r := range x.regions[i] {
				b.now().lanes[i].in = append(b.now().lanes[i].in, vk.Op{Kind: vk.OpCopy, Src: x.down[i], SrcOff: at, Dst: r.buffer, DstOff: r.offset, Size: r.size})
				at += r.size
			}
		}
	}
	for _, st := range g.what.tail {
		var err error
		switch st := st.(type) {
		case program.Dispatch:
			err = b.dispatch(onAll(st, n))
		case program.AllReduce:
			err = b.wholeTree(st)
		}
		if err != nil {
			return err
		}
	}
	outs, tails := make([][]*vk.Commands, n), make([][]*vk.Commands, n)
	for i := range n {
		var q *vk.Queries
		if g.rec.queries != nil {
			q = g.rec.queries[i]
		}
		out := lane{dirty: vk.StageCompute}
		for _, x := range g.stages {
			at := uint64(0)
			for _, r := range x.regions[i] {
				out.out = append(out.out, vk.Op{Kind: vk.OpCopy, Src: r.buffer, SrcOff: r.offset, Dst: x.up[i], DstOff: at, Size: r.size})
				at += r.size
			}
		}
		for _, ops := range out.ops(q, g.outQuery()) {
			if err := s.keep(&outs, i, ops); err != nil {
				return err
			}
		}
		for _, ops := range b.now().lanes[i].ops(q, g.tailQuery()) {
			if err := s.keep(&tails, i, ops); err != nil {
				return err
			}
		}
		g.out, g.tail = append(g.out, outs[i][0]), append(g.tail, tails[i][0])
	}
	return nil
}

// wholeTree combines a whole array along the canonical tree, on every device.
func (b *builder) wholeTree(st program.AllReduce) error {
	s := b.s
	in, ok := s.prog.Array(st.Array)
	out, ok2 := s.prog.Array(st.Into)
	if !ok || !ok2 || in.Layout != program.Split || out.Layout == program.Split || out.Stride < in.Stride {
		return fmt.Errorf("all-reduce by chunk: %q must be divided and %q not, with units of equal length", st.Array, st.Into)
	}
	work, err := s.scratch("tree "+st.Array, in.Units*in.Stride)
	if err != nil {
		return err
	}
	bounds, err := s.scratch("tree bounds", 2)
	if err != nil {
		return err
	}
	unit := uint64(in.Stride * wordBytes)
	shares := make([][]region, len(s.workers))
	for d := range s.workers {
		shares[d] = s.wholeOf(d, in)
		// One share, from 0 to all units.
		l := &b.now().lanes[d]
		l.run(vk.Op{Kind: vk.OpFill, Dst: bounds[d], Size: wordBytes}, vk.StageTransfer, false)
		l.run(vk.Op{Kind: vk.OpFill, Dst: bounds[d], DstOff: wordBytes, Size: wordBytes, Value: uint32(in.Units)}, vk.StageTransfer, true)
	}
	if err := b.together(shares, work, func(int) uint64 { return 0 }); err != nil {
		return err
	}
	var first []peer.Move
	for d := range s.workers {
		result := s.elements(d, st.Into, 0, in.Stride)
		if len(result) > 1 {
			first = appendMoves(first, d, d, []region{{work[d], 0, unit}}, result)
		}
		_, words := treeOf(st)
		op, err := s.treeOp(d, st, in, in.Units, work[d], vk.BufferRange{Buffer: bounds[d], Size: 2 * wordBytes}, shares[d], result, []uint32{0, 0, 0, 1, uint32(in.Stride / words)})
		if err != nil {
			return err
		}
		b.now().lanes[d].run(op, vk.StageCompute, false)
	}
	return b.move(first)
}
