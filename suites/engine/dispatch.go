package engine

import (
	"fmt"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
)

// dispatch appends one dispatch on every device that has units to do, cut where
// bindings or the submission length ask for it.
func (b *builder) dispatch(st program.Dispatch) error {
	for i := range b.s.workers {
		l := st.On[i]
		if l.Units == 0 {
			continue
		}
		if err := b.launch(i, st, l); err != nil {
			return fmt.Errorf("step %s on %s: %w", st.Label, b.s.team[i].Info().Name, err)
		}
	}
	return nil
}

// bindingLimit is the largest binding of device i in bytes.
func (s *Session) bindingLimit(i int) int64 {
	limit := int64(s.team[i].Info().Limits.MaxStorageBufferRange)
	if t := s.spec.testOnlyBindingLimit; t > 0 {
		limit = min(limit, t)
	}
	return limit
}

func (b *builder) launch(i int, st program.Dispatch, l program.Launch) error {
	bound := make([]boundArray, len(st.Bind))
	for j, bind := range st.Bind {
		p := b.s.arrays[i][bind.Array]
		if p == nil {
			return fmt.Errorf("binds unknown array %q", bind.Array)
		}
		bound[j] = boundArray{bind: bind, ext: p.ext, pieces: p.pieces}
	}
	var most int64
	limit := b.limit
	if !b.s.watched[i] {
		limit = 0
	}
	if limit > 0 && b.unitCost > 0 {
		most = max(int64(limit/b.unitCost), 1)
	}
	rangeLimit := b.s.bindingLimit(i)
	parts, blocked, ok := cut(bound, l.First, l.Units, st.Align, most, rangeLimit)
	if !ok {
		return unsupported("array %s does not fit one binding of %d bytes: choose a smaller --size", blocked, rangeLimit)
	}
	lane := &b.now().lanes[i]
	for n, part := range parts {
		op, err := b.s.launchOp(i, st, l, bound, part)
		if err != nil {
			return err
		}
		cost := b.unitCost * float64(part.Len())
		if limit > 0 && lane.cost > 0 && lane.cost+cost > limit {
			lane.cuts = append(lane.cuts, len(lane.compute))
			lane.cost = 0
		}
		lane.cost += cost
		lane.run(op, vk.StageCompute, st.Independent || n > 0)
	}
	return nil
}

// launchOp makes the dispatch of units [part.Lo,part.Hi) of the share.
func (s *Session) launchOp(i int, st program.Dispatch, l program.Launch, bound []boundArray, part program.Share) (vk.Op, error) {
	first := uint64(s.prog.Shares[i].Lo + part.Lo)
	push := make([]uint32, 0, headerWords+len(bound)+len(l.Push))
	push = append(push, uint32(part.Len()), uint32(first), uint32(first>>32))
	ranges := make([]vk.BufferRange, len(bound))
	for j, ba := range bound {
		lo, hi := ba.at(part.Lo, part.Len())
		buffers := s.arrays[i][ba.bind.Array].buffers
		if hi <= lo { // nothing to see, but something must be bound
			ranges[j] = vk.BufferRange{Buffer: buffers[0], Size: offsetAlign}
			push = append(push, 0)
			continue
		}
		p := ba.pieceOf(lo, hi)
		start := (lo - ba.pieces[p].first) * ba.ext.unitBytes
		slack := start % offsetAlign
		ranges[j] = vk.BufferRange{
			Buffer: buffers[p],
			Offset: uint64(start - slack),
			Size:   uint64((hi-lo)*ba.ext.unitBytes + slack),
		}
		push = append(push, uint32(slack/wordBytes))
	}
	push = append(push, l.Push...)
	var op vk.Op
	err := s.workers[i].do(func(d *vk.Device) error {
		k := s.sets[i].kernels[st.Kernel]
		if k == nil {
			return fmt.Errorf("unknown kernel %q", st.Kernel)
		}
		set, err := s.set(i, d, st.Kernel, k, ranges)
		if err != nil {
			return err
		}
		op = vk.Op{Kind: vk.OpDispatch, Kernel: k, Set: set, Push: push, Groups: grid(l.Groups(part.Len()))}
		return nil
	})
	return op, err
}
