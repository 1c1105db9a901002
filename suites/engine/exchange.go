package engine

import (
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// exchange refreshes halos from the devices that own the units.
func (b *builder) exchange(st program.Exchange) error {
	var moves []peer.Move
	for _, name := range st.Arrays {
		a, ok := b.s.prog.Array(name)
		if !ok || a.Layout != program.Split {
			return fmt.Errorf("exchange: %q is not a divided array of the program", name)
		}
		depth := st.Depth
		if depth == 0 {
			depth = a.Halo
		}
		if depth > a.Halo {
			return fmt.Errorf("exchange: depth %d exceeds the halo %d of %s", depth, a.Halo, name)
		}
		for d, share := range b.s.prog.Shares {
			if share.Len() == 0 {
				continue
			}
			moves = b.s.haloMoves(moves, a, d, share.Lo-depth, share.Lo)
			moves = b.s.haloMoves(moves, a, d, share.Hi, share.Hi+depth)
		}
	}
	return b.move(b.s.byDistance(moves))
}

// byDistance orders moves so that every device serves the others by their distance
// in the team: at any time all devices send to different ones.
func (s *Session) byDistance(moves []peer.Move) []peer.Move {
	n := len(s.team)
	hop := func(m peer.Move) int { return (m.To - m.From + n) % n }
	slices.SortStableFunc(moves, func(a, b peer.Move) int { return hop(a) - hop(b) })
	return moves
}

// haloMoves appends the moves that bring global units [lo,hi) of a to device to.
func (s *Session) haloMoves(moves []peer.Move, a *program.Array, to int, lo, hi int64) []peer.Move {
	dst := s.arrays[to][a.Name]
	for _, r := range owners(s.prog.Shares, a.Units, lo, hi, a.Wrap) {
		src := s.arrays[r.owner][a.Name]
		from := src.ext.local(r.first - s.prog.Shares[r.owner].Lo)
		at := dst.ext.local(lo + r.at - s.prog.Shares[to].Lo)
		moves = appendMoves(moves, r.owner, to, src.regions(from, from+r.units), dst.regions(at, at+r.units))
	}
	return moves
}

// appendMoves pairs the regions of sender and receiver.
func appendMoves(moves []peer.Move, from, to int, src, dst []region) []peer.Move {
	pair(src, dst, func(s, d region) {
		moves = append(moves, peer.Move{From: from, To: to, Src: s.buffer, SrcOff: s.offset, Dst: d.buffer, DstOff: d.offset, Size: s.size})
	})
	return moves
}

// shaderCopyBytes is the size from which a local copy runs as a shader: on
// NVIDIA vkCmdCopyBuffer reaches 0.8 TB/s, a shader 3.0.
const shaderCopyBytes = 64 << 10

// localCopy makes the operation that copies within one device, and its stage.
func (s *Session) localCopy(m peer.Move) (vk.Op, vk.Stage, error) {
	limit := s.team[m.From].Info().Limits.MaxStorageBufferRange
	if m.Size < shaderCopyBytes || m.Size+offsetAlign > limit || m.Size/wordBytes > 1<<31 {
		return vk.Op{Kind: vk.OpCopy, Src: m.Src, SrcOff: m.SrcOff, Dst: m.Dst, DstOff: m.DstOff, Size: m.Size}, vk.StageTransfer, nil
	}
	op, err := s.copyShader(m.From, m.Src, m.SrcOff, m.Dst, m.DstOff, m.Size)
	return op, vk.StageCompute, err
}

// copyShader makes a copy within one device by a shader.
func (s *Session) copyShader(device int, from *vk.Buffer, fromOff uint64, to *vk.Buffer, toOff, size uint64) (vk.Op, error) {
	src, srcSlack := rangeAt(from, fromOff, size)
	dst, dstSlack := rangeAt(to, toOff, size)
	shader, unit := "engine/copy", uint64(wordBytes)
	if (size|srcSlack|dstSlack)%16 == 0 {
		shader, unit = "engine/copy4", 16
	}
	n := size / unit
	return s.engineOp(device, shader, []vk.BufferRange{src, dst},
		[]uint32{uint32(n), uint32(srcSlack / unit), uint32(dstSlack / unit)}, int64((n+localSize-1)/localSize))
}

// byShader replaces the copies of rounds by shaders: for a few bytes these begin sooner
// behind a kernel than a copy does.
func (s *Session) byShader(rounds []peer.Round) ([]peer.Round, error) {
	for _, r := range rounds {
		for _, side := range [][][]vk.Op{r.Out, r.In} {
			for d, ops := range side {
				for i, op := range ops {
					if op.Kind != vk.OpCopy {
						continue
					}
					var err error
					if ops[i], err = s.copyShader(d, op.Src, op.SrcOff, op.Dst, op.DstOff, op.Size); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return rounds, nil
}

// localSize is the work-group size of the engine's kernels.
const localSize = 256

// rangeAt binds [off,off+size) of a buffer at an aligned offset; slack is how
// many bytes into the binding the range starts.
func rangeAt(b *vk.Buffer, off, size uint64) (vk.BufferRange, uint64) {
	slack := off % offsetAlign
	return vk.BufferRange{Buffer: b, Offset: off - slack, Size: size + slack}, slack
}
