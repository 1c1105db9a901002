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
	c := combination{rank: x.Rank, op: o.op, terms: len(x.Terms), own: -1}
	if in, _ := s.prog.Array(o.in); in != nil {
		c.elem = elemWord(in)
	}
	if o.average && x.Final && o.op == program.Sum {
		c.divisor = uint32(len(s.team))
	}
	at := make([]int64, len(x.Terms)) // of slots
	for t, p := range x.Terms {
		if p.Space != collective.Slot {
			c.own = t
			continue
		}
		if o.inPlace {
			found := o.arrivals[arrival{x.Rank, p.At}]
			c.buffer, at[t] = found.Buffer, int64(found.Offset/wordBytes)
			continue
		}
		c.buffer, at[t] = slots[x.Rank], o.slots+p.At
	}
	if !c.distances(at) {
		return fmt.Errorf("a sum of slots at uneven distances on device %d: %v", x.Rank, at)
	}
	var err error
	pair(s.at(o, x.Rank, x.Terms[c.own], x.N, slots), dst, func(own, dst region) {
		for _, part := range c.parts(own, dst) {
			// A binding begins at an aligned offset: it may show what the sum before
			// it in memory wrote, and the two count as dependent then.
			aligned := (part.own.offset|part.dst.offset)%offsetAlign == 0
			if err == nil {
				err = b.combine(c, part, independent && aligned)
			}
			independent = true
		}
		c.slots += int64(own.size / wordBytes)
	})
	return err
}

// combination is a sum over one run of elements: where its slots are, in elements of
// one buffer.
type combination struct {
	rank, terms, own int
	op               program.Op
	elem, divisor    uint32
	buffer           *vk.Buffer
	slots, stride    int64
	skip             int64 // besides, where the operand of its own comes in rank order
}

// distances finds the distance between the slots of the terms, which lie at these
// elements; false where there is not one, or no operand outside the slots.
func (c *combination) distances(at []int64) bool {
	if c.own < 0 || len(at) < 2 {
		return false
	}
	var list []int64
	for t, a := range at {
		if t != c.own {
			list = append(list, a)
		}
	}
	c.slots = list[0]
	even := func(skip int64) bool {
		want := list[0]
		for k := range list {
			if k == c.own && k > 0 { // the own operand comes before this slot
				want += skip
			}
			if list[k] != want {
				return false
			}
			want += c.stride
		}
		return true
	}
	for k := 1; k < len(list); k++ {
		d := list[k] - list[k-1]
		if c.stride == 0 || d < c.stride {
			c.stride = d
		}
	}
	if len(list) > 1 && c.stride <= 0 { // not in the order of the ranks
		return false
	}
	if even(0) {
		return true
	}
	c.skip = c.stride // the rank's own slot is there, unused
	return even(c.skip)
}

// combinePart is what one dispatch combines, in words of width elements.
type combinePart struct {
	own, dst region
	slots    int64
	width    int64
}

// parts cuts a run into what goes four elements at a time and the rest.
func (c combination) parts(own, dst region) []combinePart {
	wide := (own.offset|dst.offset)%16 == 0 && (c.slots|c.stride|c.skip)%4 == 0
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
func (b *builder) combine(c combination, p combinePart, independent bool) error {
	count := int64(p.own.size) / wordBytes
	own, ownSlack := rangeAt(p.own.buffer, p.own.offset, p.own.size)
	dst, dstSlack := rangeAt(p.dst.buffer, p.dst.offset, p.dst.size)
	slots, slotSlack := rangeAt(c.buffer, uint64(p.slots)*wordBytes, uint64(int64(c.terms-2)*c.stride+c.skip+count)*wordBytes)
	unit := uint64(p.width) * wordBytes
	groups := (count/p.width + localSize - 1) / localSize
	shader := "engine/combine"
	if p.width == 4 {
		shader = "engine/combine4"
	}
	op, err := b.s.engineOp(c.rank, shader, []vk.BufferRange{own, slots, dst}, []uint32{
		uint32(count / p.width), uint32(ownSlack / unit), uint32(slotSlack / unit), uint32(dstSlack / unit),
		uint32(c.stride / p.width), uint32(c.own), uint32(c.skip / p.width), c.divisor,
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
