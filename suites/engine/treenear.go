package engine

import (
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// nearRange is the range of chunks that the devices have which are near device d.
func (s *Session) nearRange(d, near int) program.Share {
	first := d / near * near
	return program.Share{Lo: s.prog.Shares[first].Lo, Hi: s.prog.Shares[first+near-1].Hi}
}

// nearTree says whether the chunks of each process are one subtree of the canonical tree, so that
// it can be combined there, before anything goes to another process.
func (s *Session) nearTree(in *program.Array) bool {
	near := s.near()
	for d := 0; near > 0 && d < len(s.team); d += near {
		if r := s.nearRange(d, near); r.Len() == 0 || len(subtrees(r.Lo, r.Hi, in.Units)) != 1 {
			return false
		}
	}
	return near > 0
}

// nearSlices are the elements of a unit that each device makes when every process makes all of it.
func nearSlices(stride int64, near, devices int) []program.Share {
	one, out := program.RankSlices(stride, near), make([]program.Share, devices)
	for d := range out {
		out[d] = one[d%near]
	}
	return out
}

// treeOfNear goes on where every device has combined its share: the devices of a process send
// each other slices of their roots and combine what lies inside the process; each sends the root
// of its slice to the device of every other process that has the same one, and all combine the
// rest of the tree; then the slices of the result are exchanged inside each process.
func (b *builder) treeOfNear(c chunkSum, slices []program.Share) error {
	s, near := b.s, b.s.near()
	n := len(slices)
	members, err := s.borders("near", func(d int) []uint32 {
		first, lo := d/near*near, s.nearRange(d, near).Lo
		out := make([]uint32, near+1)
		for i, share := range s.prog.Shares[first : first+near] {
			out[i], out[i+1] = uint32(share.Lo-lo), uint32(share.Hi-lo)
		}
		return out
	})
	if err != nil {
		return err
	}
	processes, err := s.borders("processes", func(int) []uint32 {
		out := make([]uint32, n/near+1)
		for q := range n / near {
			r := s.nearRange(q*near, near)
			out[q], out[q+1] = uint32(r.Lo), uint32(r.Hi)
		}
		return out
	})
	if err != nil {
		return err
	}
	together := func(a, b int) bool { return a/near == b/near }
	var moves []peer.Move
	for _, m := range s.rootMoves(c, slices) {
		if together(m.From, m.To) {
			moves = append(moves, m)
		}
	}
	if err := b.move(s.byDistance(moves)); err != nil {
		return err
	}
	if err := b.subtree(c, slices, members); err != nil {
		return err
	}
	if err := b.move(s.byDistance(s.nearRoots(c, slices))); err != nil {
		return err
	}
	_, words := treeOf(c.st)
	for d, slice := range slices {
		if slice.Len() == 0 {
			continue
		}
		push := []uint32{uint32(slice.Lo / words), 1, uint32(d / near), uint32(n / near), uint32(slice.Len() / words)}
		op, err := s.treeOp(d, c.st, c.in, c.in.Units, c.work[d], vk.BufferRange{Buffer: processes[d], Size: uint64(n/near+1) * wordBytes}, nil, c.results[d], push)
		if err != nil {
			return err
		}
		b.now().lanes[d].run(op, vk.StageCompute, false)
	}
	moves = nil
	for _, m := range s.resultMoves(c, slices, true) {
		if together(m.From, m.To) {
			moves = append(moves, m)
		}
	}
	return b.move(s.byDistance(moves))
}

// subtree combines what lies inside a process and in no share of one device: the chunks of the
// process are a tree of their own.
func (b *builder) subtree(c chunkSum, slices []program.Share, members []*vk.Buffer) error {
	near := b.s.near()
	_, words := treeOf(c.st)
	for d, slice := range slices {
		if slice.Len() == 0 {
			continue
		}
		r := b.s.nearRange(d, near)
		off := uint32((r.Lo*c.in.Stride + slice.Lo) / words)
		push := []uint32{off, 1, uint32(d % near), uint32(near), uint32(slice.Len() / words)}
		op, err := b.s.treeOp(d, c.st, c.in, r.Len(), c.work[d], vk.BufferRange{Buffer: members[d], Size: uint64(near+1) * wordBytes}, nil, nil, push)
		if err != nil {
			return err
		}
		b.now().lanes[d].run(op, vk.StageCompute, false)
	}
	return nil
}

// nearRoots sends the roots of all processes, slice by slice, to the devices of the others that
// have the same slice.
func (s *Session) nearRoots(c chunkSum, slices []program.Share) []peer.Move {
	near := s.near()
	var moves []peer.Move
	for d, slice := range slices {
		if slice.Len() == 0 {
			continue
		}
		at := uint64(s.nearRange(d, near).Lo*c.in.Stride+slice.Lo) * wordBytes
		for to := d % near; to < len(slices); to += near {
			if to != d {
				moves = append(moves, peer.Move{From: d, To: to, Src: c.work[d], SrcOff: at, Dst: c.work[to], DstOff: at, Size: uint64(slice.Len()) * wordBytes})
			}
		}
	}
	return moves
}
