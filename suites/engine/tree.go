package engine

import (
	"encoding/binary"
	"fmt"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// reduceChunks combines the units of a divided array along the canonical tree:
// every device first reduces the subtrees that lie wholly in its share, sends
// their roots to all others, and everyone combines the rest in tree order.
func (b *builder) reduceChunks(st program.AllReduce) error {
	in, ok := b.s.prog.Array(st.Array)
	out, ok2 := b.s.prog.Array(st.Into)
	if !ok || !ok2 || in.Layout != program.Split || out.Layout == program.Split || out.Stride < in.Stride {
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
	if err := b.move(b.s.byDistance(roots)); err != nil {
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
