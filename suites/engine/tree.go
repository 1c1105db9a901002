package engine

import (
	"fmt"

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

// rootBytes is how many bytes the roots have that one device holds at most.
func (s *Session) rootBytes(in *program.Array) int64 {
	most := 1
	for _, share := range s.prog.Shares {
		most = max(most, len(subtrees(share.Lo, share.Hi, in.Units)))
	}
	return int64(most) * in.Stride * wordBytes
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
