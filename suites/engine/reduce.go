package engine

import (
	"encoding/binary"
	"fmt"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// Algorithms of the all-reduce in rank order.
const (
	// TwoShot reduces one slice on each device (reduce-scatter), then gathers.
	TwoShot = "two-shot"
	// OneShot sends everything to everyone and reduces everywhere.
	OneShot = "one-shot"
)

// blockWords is the slice length up to which one combine dispatch works: its
// slots, one per device, must fit one binding everywhere (64 devices x 512 KiB).
const blockWords = 1 << 17

func (b *builder) allReduce(st program.AllReduce) error {
	in, ok := b.s.prog.Array(st.Array)
	out, ok2 := b.s.prog.Array(st.Into)
	if !ok || !ok2 {
		return fmt.Errorf("all-reduce: unknown array %q or %q", st.Array, st.Into)
	}
	if st.Order == program.ByChunk {
		return b.reduceChunks(st, in, out)
	}
	if in.Layout != program.Local || out.Layout != program.Local || in.Units*in.Stride != out.Units*out.Stride {
		return fmt.Errorf("all-reduce by rank: %q and %q must be local arrays of equal length", st.Array, st.Into)
	}
	switch st.Algorithm {
	case TwoShot, "":
		return b.twoShot(st, in)
	case OneShot:
		return b.oneShot(st, in)
	}
	return fmt.Errorf("all-reduce algorithm %q is unknown: use %s or %s", st.Algorithm, TwoShot, OneShot)
}

// block is a run of elements reduced together, with its place among the slots.
type block struct {
	first, n int64 // elements
	slots    int64 // element offset of its first slot in the scratch buffer
}

// blocks cuts elements [lo,hi) into blocks whose slots for ranks devices follow
// each other in scratch memory from element *next on.
func blocks(lo, hi int64, ranks int, next *int64) []block {
	var out []block
	for at := lo; at < hi; at += blockWords {
		n := min(blockWords, hi-at)
		out = append(out, block{at, n, *next})
		*next += slotWords(n) * int64(ranks)
	}
	return out
}

// slotWords is the distance between slots: whole 256-byte lines.
func slotWords(n int64) int64 { return (n + 63) &^ 63 }

func (b *builder) oneShot(st program.AllReduce, in *program.Array) error {
	n := len(b.s.workers)
	var words int64
	all := blocks(0, in.Units*in.Stride, n, &words)
	scratch, err := b.s.scratch("slots", words)
	if err != nil {
		return err
	}
	var moves []peer.Move
	for to := range n {
		for from := range n {
			moves = b.s.slotMoves(moves, st.Array, from, to, all, scratch[to])
		}
	}
	if err := b.move(moves); err != nil {
		return err
	}
	for d := range n {
		if err := b.combine(st, d, all, scratch[d]); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) twoShot(st program.AllReduce, in *program.Array) error {
	n := len(b.s.workers)
	total := in.Units * in.Stride
	slice := (total/int64(n) + 63) &^ 63
	slices := make([][]block, n)
	var words int64
	for d := range n {
		var w int64
		lo, hi := min(int64(d)*slice, total), min(int64(d+1)*slice, total)
		if d == n-1 {
			hi = total
		}
		slices[d] = blocks(lo, hi, n, &w)
		words = max(words, w)
	}
	scratch, err := b.s.scratch("slots", words)
	if err != nil {
		return err
	}
	var moves []peer.Move
	for to := range n {
		for from := range n {
			moves = b.s.slotMoves(moves, st.Array, from, to, slices[to], scratch[to])
		}
	}
	if err := b.move(moves); err != nil {
		return err
	}
	moves = nil
	for d := range n {
		if err := b.combine(st, d, slices[d], scratch[d]); err != nil {
			return err
		}
		for to := range n {
			if to == d {
				continue
			}
			for _, bl := range slices[d] {
				moves = appendMoves(moves, d, to,
					b.s.elements(d, st.Into, bl.first, bl.n), b.s.elements(to, st.Into, bl.first, bl.n))
			}
		}
	}
	return b.move(moves)
}

// slotMoves brings rank from's part of every block to its slot on device to.
func (s *Session) slotMoves(moves []peer.Move, array string, from, to int, list []block, scratch *vk.Buffer) []peer.Move {
	for _, bl := range list {
		at := bl.slots + int64(from)*slotWords(bl.n)
		moves = appendMoves(moves, from, to, s.elements(from, array, bl.first, bl.n),
			[]region{{scratch, uint64(at) * wordBytes, uint64(bl.n) * wordBytes}})
	}
	return moves
}

// elements is where elements [first,first+n) of a local array lie on device i.
// Blocks may start inside a unit.
func (s *Session) elements(i int, array string, first, n int64) []region {
	p := s.arrays[i][array]
	stride := p.ext.array.Stride
	out := p.regions(first/stride, (first+n+stride-1)/stride)
	skip := uint64(first%stride) * wordBytes
	out[0].offset += skip
	out[0].size -= skip
	var have uint64
	for i := range out {
		out[i].size = min(out[i].size, uint64(n)*wordBytes-have)
		have += out[i].size
	}
	return out
}

// combine reduces the slots of every block into the output on device d.
func (b *builder) combine(st program.AllReduce, d int, list []block, scratch *vk.Buffer) error {
	n := len(b.s.workers)
	a, _ := b.s.prog.Array(st.Array)
	for i, bl := range list {
		src, srcSlack := rangeAt(scratch, uint64(bl.slots)*wordBytes, uint64(slotWords(bl.n)*int64(n))*wordBytes)
		done := int64(0)
		for _, r := range b.s.elements(d, st.Into, bl.first, bl.n) {
			dst, dstSlack := rangeAt(r.buffer, r.offset, r.size)
			count := int64(r.size / wordBytes)
			average := uint32(0)
			if st.Average {
				average = 1
			}
			push := []uint32{
				uint32(count), uint32(srcSlack/wordBytes) + uint32(done), uint32(slotWords(bl.n)), uint32(dstSlack / wordBytes),
				uint32(n), uint32(st.Op), elemWord(a), average,
			}
			op, err := b.s.engineOp(d, "engine/combine", []vk.BufferRange{src, dst}, push, (count+localSize-1)/localSize)
			if err != nil {
				return err
			}
			b.now().lanes[d].run(op, vk.StageCompute, i > 0 || done > 0)
			done += count
		}
	}
	return nil
}

func elemWord(a *program.Array) uint32 {
	if a.Elem == program.U32 {
		return 1
	}
	return 0
}

// reduceChunks combines the units of a divided array along the canonical tree:
// every device first reduces the subtrees that lie wholly in its share, sends
// their roots to all others, and everyone combines the rest in tree order.
func (b *builder) reduceChunks(st program.AllReduce, in, out *program.Array) error {
	if in.Layout != program.Split || out.Layout == program.Split || out.Stride < in.Stride {
		return fmt.Errorf("all-reduce by chunk: %q must be divided and %q not, with units of equal length", st.Array, st.Into)
	}
	n := len(b.s.workers)
	work, err := b.s.scratch("tree "+st.Array, in.Units*in.Stride)
	if err != nil {
		return err
	}
	bounds, err := b.s.boundsBuffers()
	if err != nil {
		return err
	}
	unit := in.Stride * wordBytes
	var own, roots, final []peer.Move
	for d, share := range b.s.prog.Shares {
		if share.Len() > 0 {
			p := b.s.arrays[d][st.Array]
			at := p.ext.local(0)
			own = appendMoves(own, d, d, p.regions(at, at+share.Len()),
				[]region{{work[d], uint64(share.Lo * unit), uint64(share.Len() * unit)}})
		}
		for _, r := range subtrees(share.Lo, share.Hi, in.Units) {
			for to := range n {
				if to != d {
					roots = append(roots, peer.Move{From: d, To: to, Src: work[d], SrcOff: uint64(r * unit), Dst: work[to], DstOff: uint64(r * unit), Size: uint64(unit)})
				}
			}
		}
		final = appendMoves(final, d, d, []region{{work[d], 0, uint64(unit)}}, b.s.elements(d, st.Into, 0, in.Stride))
	}
	if err := b.move(own); err != nil {
		return err
	}
	if err := b.tree(st, in, work, bounds, 0); err != nil {
		return err
	}
	if err := b.move(roots); err != nil {
		return err
	}
	if err := b.tree(st, in, work, bounds, 1); err != nil {
		return err
	}
	return b.move(final)
}

// tree runs engine/tree on every device: mode 0 the pairs inside its share,
// mode 1 the pairs inside no share.
func (b *builder) tree(st program.AllReduce, in *program.Array, work, bounds []*vk.Buffer, mode uint32) error {
	n := len(b.s.workers)
	for d := range n {
		ranges := []vk.BufferRange{
			{Buffer: work[d], Size: uint64(in.Units * in.Stride * wordBytes)},
			{Buffer: bounds[d], Size: uint64(n+1) * wordBytes},
		}
		push := []uint32{uint32(in.Units), uint32(in.Stride), 0, uint32(st.Op), elemWord(in), mode, uint32(d), uint32(n)}
		op, err := b.s.engineOp(d, "engine/tree", ranges, push, in.Stride)
		if err != nil {
			return err
		}
		b.now().lanes[d].run(op, vk.StageCompute, false)
	}
	return nil
}

// subtrees lists the first units of the largest aligned subtrees that lie
// wholly in [lo,hi) of a canonical tree over total units. The last subtree of
// the tree is cut off at total and counts as whole.
func subtrees(lo, hi, total int64) []int64 {
	var out []int64
	for at := lo; at < hi; {
		size := int64(1)
		for at%(2*size) == 0 && min(at+2*size, total) <= hi && at+size < total {
			size *= 2
		}
		out = append(out, at)
		at = min(at+size, total)
	}
	return out
}

// boundsBuffers holds the share borders on every device for engine/tree.
func (s *Session) boundsBuffers() ([]*vk.Buffer, error) {
	if s.bounds != nil {
		return s.bounds, nil
	}
	n := len(s.workers)
	out := make([]*vk.Buffer, n)
	err := s.each(func(i int, d *vk.Device) (err error) {
		if out[i], err = d.NewBuffer(uint64(max((n+1)*wordBytes, offsetAlign)), vk.HostWrite); err != nil {
			return err
		}
		mem := out[i].Bytes()
		for j, share := range s.prog.Shares {
			binary.LittleEndian.PutUint32(mem[j*wordBytes:], uint32(share.Lo))
			binary.LittleEndian.PutUint32(mem[(j+1)*wordBytes:], uint32(share.Hi))
		}
		return nil
	})
	s.bounds = out
	return out, err
}

// scratch returns a named buffer of the engine's own on every device.
func (s *Session) scratch(name string, words int64) ([]*vk.Buffer, error) {
	if have := s.scratches[name]; have != nil && have[0].Size() >= uint64(words*wordBytes) {
		return have, nil
	}
	out := make([]*vk.Buffer, len(s.workers))
	err := s.each(func(i int, d *vk.Device) (err error) {
		out[i], err = d.NewBuffer(uint64(max(words*wordBytes, offsetAlign)), vk.DeviceLocal)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("scratch memory of %d bytes for %s: %w", words*wordBytes, name, err)
	}
	s.scratches[name] = out
	return out, nil
}
