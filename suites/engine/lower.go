package engine

import (
	"fmt"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
	"github.com/amgpu/amgpu/vk/peer/collective"
)

// lower appends the stages of operations that go on side by side. The sums of the
// first stage join the phase that is being built, those of the last one the phase
// that whatever comes next is added to: a stage costs a hand-over, not a submission
// of its own.
func (b *builder) lower(list []operation) error {
	slots, err := b.s.slotMemory(list)
	if err != nil {
		return err
	}
	stages := 0
	for _, o := range list {
		stages = max(stages, len(o.schedule.Stages))
	}
	for k := range stages {
		var early, late []peer.Move
		started := make([]bool, len(b.s.workers)) // sums of a stage never touch each other
		for i := range list {
			o := &list[i]
			if k >= len(o.schedule.Stages) {
				continue
			}
			st := o.schedule.Stages[k]
			for _, x := range st.Sums {
				if err := b.sum(o, x, slots, started[x.Rank]); err != nil {
					return err
				}
				started[x.Rank] = true
			}
			if o.inPlace && len(st.Late) > 0 {
				if err := b.land(o, st.Late); err != nil {
					return err
				}
				continue
			}
			for _, c := range st.Early {
				early = b.s.copyMoves(early, o, c, slots)
			}
			for _, c := range st.Late {
				late = b.s.copyMoves(late, o, c, slots)
			}
		}
		for i := range early {
			early[i].Early = true
		}
		if err := b.move(append(early, late...)); err != nil {
			return err
		}
	}
	return nil
}

// land hands over copies into slots that the next sums read where they arrive.
func (b *builder) land(o *operation, copies []collective.Copy) error {
	moves := make([]peer.Move, len(copies))
	for i, c := range copies {
		src := b.s.at(o, c.From, c.Src, c.N, nil)
		if len(src) != 1 {
			return fmt.Errorf("array %s lies in several buffers: it cannot be read in place", o.in)
		}
		moves[i] = peer.Move{From: c.From, To: c.To, Src: src[0].buffer, SrcOff: src[0].offset, Size: src[0].size}
	}
	t, ok := b.over.transport.(peer.Lander)
	if !ok {
		return fmt.Errorf("transport %s: receivers cannot read in place", b.over.transport.Name())
	}
	r, ranges, parity, err := t.Land(moves, b.over.parity)
	if err != nil {
		return err
	}
	b.over.parity = parity
	if b.shader {
		if _, err := b.s.byShader([]peer.Round{r}); err != nil { // in place
			return err
		}
	}
	for d := range b.now().lanes {
		b.now().lanes[d].out = append(b.now().lanes[d].out, r.Out[d]...)
	}
	if err := b.handOver(); err != nil {
		return err
	}
	o.arrivals = map[arrival]vk.BufferRange{}
	for i, c := range copies {
		o.arrivals[arrival{c.To, c.Dst.At}] = ranges[i]
		b.now().lanes[c.To].landed = true
	}
	return nil
}

// copyMoves appends the moves of one copy.
func (s *Session) copyMoves(moves []peer.Move, o *operation, c collective.Copy, slots []*vk.Buffer) []peer.Move {
	return appendMoves(moves, c.From, c.To, s.at(o, c.From, c.Src, c.N, slots), s.at(o, c.To, c.Dst, c.N, slots))
}

// at is where n elements from a place of an operation lie on device i.
func (s *Session) at(o *operation, i int, p collective.Place, n int64, slots []*vk.Buffer) []region {
	name := o.out
	switch p.Space {
	case collective.Slot:
		return []region{{slots[i], uint64(o.slots+p.At) * wordBytes, uint64(n) * wordBytes}}
	case collective.In:
		name = o.in
	}
	if a := s.arrays[i][name].ext.array; a.Layout == program.Split { // from the first element of the share
		p.At += a.Halo * a.Stride
	}
	return s.elements(i, name, p.At, n)
}

// elements is where elements [first,first+n) of what device i holds of an array lie.
// They may begin and end inside a unit.
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

// overlap lets communication run beside dispatches: they are queued behind the phase that
// the first hand-over ends, which does not wait for them, so that the device computes
// while copies and host are at it. Without a hand-over they follow.
func (b *builder) overlap(st program.Overlap) error {
	b.body = st.Body
	if err := b.step(st.Comm); err != nil {
		return err
	}
	body := b.body
	b.body = nil
	return b.dispatchAll(body)
}

func (b *builder) dispatchAll(list []program.Dispatch) error {
	for _, d := range list {
		if err := b.dispatch(d); err != nil {
			return err
		}
	}
	return nil
}
