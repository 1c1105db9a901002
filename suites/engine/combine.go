package engine

import (
	"fmt"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer/collective"
)

// sum appends one sum of an operation to the phase being built.
func (b *builder) sum(o *operation, x collective.Sum, slots []*vk.Buffer, independent bool) error {
	s := b.s
	dst := s.at(o, x.Rank, x.Into, x.N, slots)
	if len(x.Terms) == 1 {
		for _, m := range appendMoves(nil, x.Rank, x.Rank, s.at(o, x.Rank, x.Terms[0], x.N, slots), dst) {
			if m.Src == m.Dst && m.SrcOff == m.DstOff {
				continue // in place
			}
			op, at, err := s.localCopy(m)
			if err != nil {
				return err
			}
			b.now().lanes[x.Rank].run(op, at, independent)
			independent = true
		}
		return nil
	}
	c := combination{rank: x.Rank, op: o.op, terms: len(x.Terms), own: -1, slots: -1}
	if in, _ := s.prog.Array(o.in); in != nil {
		c.elem = elemWord(in)
	}
	if o.average && x.Final && o.op == program.Sum {
		c.divisor = uint32(len(s.team))
	}
	for t, p := range x.Terms {
		switch {
		case p.Space != collective.Slot:
			c.own = t
		case c.slots < 0:
			c.slots = o.slots + p.At
		case c.stride == 0:
			c.stride = o.slots + p.At - c.slots
		}
	}
	if c.own < 0 || c.slots < 0 {
		return fmt.Errorf("a sum of %d slots on device %d without an operand of its own", len(x.Terms), x.Rank)
	}
	var err error
	pair(s.at(o, x.Rank, x.Terms[c.own], x.N, slots), dst, func(own, dst region) {
		for _, part := range c.parts(own, dst) {
			// A binding begins at an aligned offset: it may show what the sum before
			// it in memory wrote, and the two count as dependent then.
			aligned := (part.own.offset|part.dst.offset)%offsetAlign == 0
			if err == nil {
				err = b.combine(c, part, slots[x.Rank], independent && aligned)
			}
			independent = true
		}
		c.slots += int64(own.size / wordBytes)
	})
	return err
}

// combination is a sum over one run of elements: where its slots are, in elements.
type combination struct {
	rank, terms, own int
	op               program.Op
	elem, divisor    uint32
	slots, stride    int64
}

// combinePart is what one dispatch combines, in words of width elements.
type combinePart struct {
	own, dst region
	slots    int64
	width    int64
}

// parts cuts a run into what goes four elements at a time and the rest.
func (c combination) parts(own, dst region) []combinePart {
	wide := (own.offset|dst.offset)%16 == 0 && (c.slots|c.stride)%4 == 0
	n := own.size / 16 * 16
	if !wide || n == 0 {
		return []combinePart{{own, dst, c.slots, 1}}
	}
	out := []combinePart{{region{own.buffer, own.offset, n}, region{dst.buffer, dst.offset, n}, c.slots, 4}}
	if rest := own.size - n; rest > 0 {
		out = append(out, combinePart{region{own.buffer, own.offset + n, rest}, region{dst.buffer, dst.offset + n, rest}, c.slots + int64(n/wordBytes), 1})
	}
	return out
}

// combine appends one dispatch of engine/combine.
func (b *builder) combine(c combination, p combinePart, scratch *vk.Buffer, independent bool) error {
	count := int64(p.own.size) / wordBytes
	own, ownSlack := rangeAt(p.own.buffer, p.own.offset, p.own.size)
	dst, dstSlack := rangeAt(p.dst.buffer, p.dst.offset, p.dst.size)
	slots, slotSlack := rangeAt(scratch, uint64(p.slots)*wordBytes, uint64(int64(c.terms-2)*c.stride+count)*wordBytes)
	unit := uint64(p.width) * wordBytes
	groups := (count/p.width + localSize - 1) / localSize
	shader := "engine/combine"
	if p.width == 4 {
		shader = "engine/combine4"
	}
	op, err := b.s.engineOp(c.rank, shader, []vk.BufferRange{own, slots, dst}, []uint32{
		uint32(count / p.width), uint32(ownSlack / unit), uint32(slotSlack / unit), uint32(dstSlack / unit),
		uint32(c.stride / p.width), uint32(c.own), c.divisor,
	}, groups, vk.SpecConst{ID: 1, Value: uint32(c.terms)}, vk.SpecConst{ID: 2, Value: uint32(c.op)}, vk.SpecConst{ID: 3, Value: c.elem})
	if err != nil {
		return err
	}
	b.now().lanes[c.rank].run(op, vk.StageCompute, independent)
	return nil
}

func elemWord(a *program.Array) uint32 {
	if a.Elem == program.U32 {
		return 1
	}
	return 0
}
