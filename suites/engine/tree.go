package engine

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// chunkSum is a reduction of canonical chunks under way.
type chunkSum struct {
	st           program.AllReduce
	in           *program.Array
	work, bounds []*vk.Buffer // by device; bounds: boundsBuffers
	shares       [][]region   // by device: its units of the array, none where it has no share
	results      [][]region   // by device: the elements of the result that it makes
}

// reduceChunks combines the units of a divided array along the canonical tree: every
// device first reduces the subtrees that lie wholly in its share. One-shot, it sends their
// roots to all others, and everyone combines the rest in tree order. Two-shot, it sends
// every device a slice of them, and that one combines it and sends it on: for long
// vectors, as for n devices it is 2/n of the bytes. The bits are the same.
func (b *builder) reduceChunks(st program.AllReduce, w way) error {
	in, ok := b.s.prog.Array(st.Array)
	out, ok2 := b.s.prog.Array(st.Into)
	if !ok || !ok2 || in.Layout != program.Split || out.Layout == program.Split || out.Stride < in.Stride {
		return fmt.Errorf("all-reduce by chunk: %q must be divided and %q not, with units of equal length", st.Array, st.Into)
	}
	if st.Double && (st.Op != program.Sum || in.Stride%2 != 0) {
		return fmt.Errorf("all-reduce by chunk: %q is not summed in pairs of words", st.Array)
	}
	work, err := b.s.scratch("tree "+st.Array, in.Units*in.Stride)
	if err != nil {
		return err
	}
	bounds, err := b.s.boundsBuffers()
	if err != nil {
		return err
	}
	n := len(b.s.workers)
	c := chunkSum{st, in, work, bounds, make([][]region, n), make([][]region, n)}
	whole := make([]program.Share, n) // by device: the elements of a unit that it makes
	for d := range whole {
		whole[d] = program.Share{Lo: 0, Hi: in.Stride}
	}
	slices := whole
	switch w.algorithm {
	case program.TwoShot:
		slices = program.RankSlices(in.Stride, n)
	case program.Hierarchical:
		slices = nearSlices(in.Stride, b.s.near(), n)
	}
	unit := uint64(in.Stride * wordBytes)
	for d, share := range b.s.prog.Shares {
		if share.Len() > 0 {
			p := b.s.arrays[d][st.Array]
			at := p.ext.local(0)
			c.shares[d] = p.regions(at, at+share.Len())
		}
		if slices[d].Len() > 0 {
			c.results[d] = b.s.elements(d, st.Into, slices[d].Lo, slices[d].Len())
		}
	}
	if err := b.together(c.shares, work, func(d int) uint64 { return uint64(b.s.prog.Shares[d].Lo) * unit }); err != nil {
		return err
	}
	if err := b.tree(c, 0, whole); err != nil {
		return err
	}
	if w.algorithm == program.Hierarchical {
		return b.treeOfNear(c, slices)
	}
	if n > 1 {
		if err := b.move(b.s.byDistance(b.s.rootMoves(c, slices))); err != nil {
			return err
		}
		if err := b.tree(c, 1, slices); err != nil {
			return err
		}
	}
	return b.move(b.s.byDistance(b.s.resultMoves(c, slices, w.algorithm == program.TwoShot)))
}

// together copies shares that lie in several pieces, which one binding cannot show, into
// work buffers, and puts the copies in their place.
func (b *builder) together(shares [][]region, work []*vk.Buffer, offset func(d int) uint64) error {
	var moves []peer.Move
	for d, list := range shares {
		if len(list) < 2 {
			continue
		}
		size := uint64(0)
		for _, r := range list {
			size += r.size
		}
		shares[d] = []region{{work[d], offset(d), size}}
		moves = appendMoves(moves, d, d, list, shares[d])
	}
	return b.move(moves)
}

// rootMoves sends every device its elements of the roots of all subtrees.
func (s *Session) rootMoves(c chunkSum, slices []program.Share) []peer.Move {
	var moves []peer.Move
	for d, share := range s.prog.Shares {
		for _, r := range subtrees(share.Lo, share.Hi, c.in.Units) {
			for to, slice := range slices {
				if to != d && slice.Len() > 0 {
					at := uint64(r*c.in.Stride+slice.Lo) * wordBytes
					moves = append(moves, peer.Move{From: d, To: to, Src: c.work[d], SrcOff: at, Dst: c.work[to], DstOff: at, Size: uint64(slice.Len()) * wordBytes})
				}
			}
		}
	}
	return moves
}

// resultMoves brings what every device made of the result into the arrays of the others,
// with spread, and into its own where the tree could not.
func (s *Session) resultMoves(c chunkSum, slices []program.Share, spread bool) []peer.Move {
	var moves []peer.Move
	for d, slice := range slices {
		if slice.Len() == 0 {
			continue
		}
		from := []region{{c.work[d], uint64(slice.Lo) * wordBytes, uint64(slice.Len()) * wordBytes}}
		for to := range slices {
			if to == d && len(c.results[d]) > 1 || to != d && spread {
				moves = appendMoves(moves, d, to, from, s.elements(to, c.st.Into, slice.Lo, slice.Len()))
			}
		}
	}
	return moves
}

// tree runs engine/tree on every device over its elements of a unit: mode 0 the pairs
// inside its share, mode 1 the pairs inside no share.
func (b *builder) tree(c chunkSum, mode uint32, elements []program.Share) error {
	n := len(b.s.workers)
	_, words := treeOf(c.st)
	for d := range n {
		if elements[d].Len() == 0 {
			continue
		}
		push := []uint32{uint32(elements[d].Lo / words), mode, uint32(d), uint32(n), uint32(elements[d].Len() / words)}
		op, err := b.s.treeOp(d, c.st, c.in, c.in.Units, c.work[d], vk.BufferRange{Buffer: c.bounds[d], Size: uint64(n+1) * wordBytes}, c.shares[d], c.results[d], push)
		if err != nil {
			return err
		}
		b.now().lanes[d].tree(op, c.st)
	}
	return nil
}

// tree appends a tree, which needs not wait for trees of other arrays directly before it.
func (l *lane) tree(op vk.Op, st program.AllReduce) {
	independent := l.trees > 0 && l.trees == len(l.compute) && !slices.Contains(l.treed, st.Array) && !slices.Contains(l.treed, st.Into)
	if !independent {
		l.treed = l.treed[:0]
	}
	l.run(op, vk.StageCompute, independent)
	l.trees, l.treed = len(l.compute), append(l.treed, st.Array, st.Into)
}

// treeOp is engine/tree on device d over some chunks; push: off, mode, d, n, count. What lies
// in no or in several regions is replaced by the work buffer, where it does no harm.
func (s *Session) treeOp(d int, st program.AllReduce, in *program.Array, chunks int64, work *vk.Buffer, bounds vk.BufferRange, share, result []region, push []uint32) (vk.Op, error) {
	shader, words := treeOf(st)
	all := vk.BufferRange{Buffer: work, Size: uint64(in.Units*in.Stride) * wordBytes}
	ranges := []vk.BufferRange{all, bounds, all, all}
	bytes := uint64(words) * wordBytes
	from, to := uint64(0), uint64(push[0])*bytes
	if len(share) == 1 {
		ranges[2], from = rangeAt(share[0].buffer, share[0].offset, share[0].size)
	}
	if len(result) == 1 {
		ranges[3], to = rangeAt(result[0].buffer, result[0].offset, result[0].size)
	}
	stride, count := in.Stride/words, int64(push[4])
	return s.engineOp(d, shader, ranges, []uint32{
		uint32(chunks), uint32(stride), push[0], uint32(st.Op), elemWord(in), push[1], push[2], push[3], push[4],
		uint32(from / bytes), uint32(to / bytes),
	}, treeGroups(chunks, stride, count))
}

// rootBytes is how many bytes the roots have that one device holds at most.
func (s *Session) rootBytes(in *program.Array) int64 {
	most := 1
	for _, share := range s.prog.Shares {
		most = max(most, len(subtrees(share.Lo, share.Hi, in.Units)))
	}
	return int64(most) * in.Stride * wordBytes
}

// treeOf is the kernel of a tree, and the words of an element.
func treeOf(st program.AllReduce) (shader string, words int64) {
	if st.Double {
		return "engine/tree_f64", 2
	}
	return "engine/tree", 1
}

// treeGroups is the work-groups of engine/tree over some elements of chunks of stride.
func treeGroups(chunks, stride, elements int64) int64 {
	columns := int64(32)
	switch {
	case stride < columns:
		columns = 1
	case stride >= 16384 && chunks <= 16: // few steps for an invocation
		columns = localSize
	}
	return (elements + columns - 1) / columns
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
	return s.borders("shares", func(int) []uint32 {
		out := make([]uint32, len(s.workers)+1)
		for i, share := range s.prog.Shares {
			out[i], out[i+1] = uint32(share.Lo), uint32(share.Hi)
		}
		return out
	})
}

// borders holds chunk numbers, of each device its own, for engine/tree; they are made once for a
// name.
func (s *Session) borders(name string, of func(d int) []uint32) ([]*vk.Buffer, error) {
	if have := s.bounds[name]; have != nil {
		return have, nil
	}
	out := make([]*vk.Buffer, len(s.workers))
	err := s.everywhere(func(i int, d *vk.Device) (err error) {
		list := of(i)
		if out[i], err = d.NewBuffer(uint64(max(len(list)*wordBytes, offsetAlign)), vk.HostWrite); err != nil || d.Absent() {
			return err
		}
		mem := out[i].Bytes()
		for j, v := range list {
			binary.LittleEndian.PutUint32(mem[j*wordBytes:], v)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.bounds[name] = out
	return out, nil
}

// scratch returns a named buffer of the engine's own on every device.
func (s *Session) scratch(name string, words int64) ([]*vk.Buffer, error) {
	if have := s.scratches[name]; have != nil && have[0].Size() >= uint64(words*wordBytes) {
		return have, nil
	}
	out := make([]*vk.Buffer, len(s.workers))
	err := s.everywhere(func(i int, d *vk.Device) (err error) {
		out[i], err = d.NewBuffer(uint64(max(words*wordBytes, offsetAlign)), vk.DeviceLocal)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("scratch memory of %d bytes for %s: %w", words*wordBytes, name, err)
	}
	s.scratches[name] = out
	return out, nil
}
