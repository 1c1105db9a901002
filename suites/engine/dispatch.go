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
	bound, err := b.s.boundArrays(i, st)
	if err != nil {
		return err
	}
	var most int64
	limit := b.limit
	if !b.s.watched[i] {
		limit = 0
	}
	if limit > 0 && b.unitCost > 0 {
		most = max(int64(limit/b.unitCost), 1)
	}
	parts, err := b.s.parts(i, st, l, bound, most)
	if err != nil {
		return err
	}
	lane := b.lane(i)
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

// boundArrays is where on device i the arrays of a dispatch lie.
func (s *Session) boundArrays(i int, st program.Dispatch) ([]boundArray, error) {
	bound := make([]boundArray, len(st.Bind))
	for j, bind := range st.Bind {
		p := s.arrays[i][bind.Array]
		if p == nil {
			return nil, fmt.Errorf("binds unknown array %q", bind.Array)
		}
		bound[j] = boundArray{bind: bind, ext: p.ext, pieces: p.pieces}
	}
	return bound, nil
}

// parts cuts a launch where bindings, its grid or the most units of one, 0: any number,
// ask for it.
func (s *Session) parts(i int, st program.Dispatch, l program.Launch, bound []boundArray, most int64) ([]program.Share, error) {
	if st.Own != nil {
		u, err := gridUnits(st, l, s.team[i].Info().Limits.GroupCount)
		if err != nil {
			return nil, err
		}
		if u < l.Units && (most == 0 || u < most) {
			most = u
		}
	}
	rangeLimit := s.bindingLimit(i)
	parts, blocked, ok := cut(bound, l.First, l.Units, st.Align, most, rangeLimit)
	if !ok {
		return nil, unsupported("array %s does not fit one binding of %d bytes: %s", blocked, rangeLimit, s.smaller())
	}
	return parts, nil
}

// described is a launch as a kernel sees it.
type described struct {
	ranges []vk.BufferRange
	push   []uint32
	groups [3]uint32
}

// describe makes the launch of units [part.Lo,part.Hi) of the share.
func (s *Session) describe(i int, st program.Dispatch, l program.Launch, bound []boundArray, part program.Share) (described, error) {
	first := uint64(s.prog.Shares[i].Lo + part.Lo)
	var groups [3]uint32
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
		if st.Own != nil && slack != 0 {
			return described{}, fmt.Errorf("step %s: the window of array %s would start %d bytes after a multiple of %d, which its kernel cannot know", st.Label, ba.bind.Array, slack, offsetAlign)
		}
		ranges[j] = vk.BufferRange{
			Buffer: buffers[p],
			Offset: uint64(start - slack),
			Size:   uint64((hi-lo)*ba.ext.unitBytes + slack),
		}
		push = append(push, uint32(slack/wordBytes))
	}
	push = append(push, l.Push...)
	if st.Own != nil {
		push, groups = st.Own(int64(first), part.Len())
	} else {
		groups = grid(l.Groups(part.Len()))
	}
	return described{ranges, push, groups}, nil
}

// launchOp is such a launch as an operation.
func (s *Session) launchOp(i int, st program.Dispatch, l program.Launch, bound []boundArray, part program.Share) (vk.Op, error) {
	x, err := s.describe(i, st, l, bound, part)
	if err != nil {
		return vk.Op{}, err
	}
	var op vk.Op
	err = s.workers[i].do(func(d *vk.Device) error {
		k := s.sets[i].kernels[st.Kernel]
		if k == nil {
			return fmt.Errorf("unknown kernel %q", st.Kernel)
		}
		set, err := s.set(i, d, st.Kernel, k, x.ranges)
		if err != nil {
			return err
		}
		op = vk.Op{Kind: vk.OpDispatch, Kernel: k, Set: set, Push: x.push, Groups: x.groups}
		return nil
	})
	return op, err
}

// gridUnits is the largest number of units, at a multiple of the step's Align, that
// one launch of a kernel with a grid of its own can take on a device.
func gridUnits(st program.Dispatch, l program.Launch, most [3]uint32) (int64, error) {
	align := max(st.Align, 1)
	fits := func(u int64) bool {
		_, groups := st.Own(l.First, u)
		for i, g := range groups {
			if g > most[i] {
				return false
			}
		}
		return true
	}
	if fits(l.Units) {
		return l.Units, nil
	}
	lo, hi := int64(0), (l.Units-1)/align // in multiples of align: lo fits, as far as there is one
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if fits(mid * align) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if lo == 0 {
		_, groups := st.Own(l.First, l.Units)
		return 0, unsupported("%v work-groups, at most %v in each dimension are possible and the launch cannot be divided: choose a smaller --size", groups, most)
	}
	return lo * align, nil
}
