package engine

import (
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
