package engine

import (
	"encoding/binary"
	"slices"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
)

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
