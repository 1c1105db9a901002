package engine

import (
	"errors"
	"fmt"

	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// slots are the batches that one device can have in flight. Each is a command buffer that
// is recorded when it is known which chunks it holds: one dispatch of the pool over all of
// them, whatever their number, so that a batch costs a device no more than a launch.
type slots struct {
	device *vk.Device
	bound  [][]boundArray // by dispatch of the pool
	list   [partition.Depth]slot
	ops    []vk.Op // of the batch being recorded
}

// slot is a command buffer with descriptor sets of its own.
type slot struct {
	commands *vk.Commands
	sets     [][]*vk.Set // by dispatch of the pool and part of it
	lo, hi   int64       // units that it holds
	number   int         // of the batch
	after    bool        // it begins behind all before it
}

// newSlots makes the slots of device i, holding nothing.
func (s *Session) newSlots(i int, d *vk.Device, pool []program.Dispatch) (*slots, error) {
	out := &slots{device: d}
	for _, st := range pool {
		bound, err := s.boundArrays(i, st)
		if err != nil {
			return nil, doing(stepName(st), err)
		}
		out.bound = append(out.bound, bound)
	}
	for k := range out.list {
		c, err := d.Record(nil)
		if err != nil {
			return out, err
		}
		out.list[k] = slot{commands: c, sets: make([][]*vk.Set, len(pool))}
	}
	return out, nil
}

// close frees the command buffers; nil is fine.
func (t *slots) close() error {
	if t == nil {
		return nil
	}
	var errs []error
	for k := range t.list {
		errs = append(errs, t.list[k].commands.Close())
	}
	return errors.Join(errs...)
}

// record makes batch number k of device i hold the units [lo,hi), with timestamps at the
// query k*2 and the one after it, as far as there are queries; after: it begins behind all
// before it. It runs on the device's thread; the batch Depth before it must be done.
func (g *dealing) record(s *Session, i, k int, lo, hi int64, after bool) (*vk.Commands, error) {
	t := g.slots[i]
	b := &t.list[k%partition.Depth]
	if b.hi == hi && b.lo == lo && b.number == k && b.after == after && hi > lo { // as in the sample before
		return b.commands, nil
	}
	b.hi = b.lo
	ops := t.ops[:0]
	if after {
		ops = append(ops, peer.Barrier(vk.StageCompute, vk.StageCompute))
	}
	timed := g.rec.queries != nil && k < g.timed
	if timed {
		ops = append(ops, vk.Op{Kind: vk.OpTimestamp, Queries: g.rec.queries[i], Query: 2 * k})
	}
	for j, st := range g.what.pool {
		l := st.On[0]
		l.First, l.Units = lo, hi-lo
		parts, err := s.parts(i, st, l, t.bound[j], 0)
		if err != nil {
			return nil, doing(stepName(st), err)
		}
		if j > 0 && !st.Independent {
			ops = append(ops, peer.Barrier(vk.StageCompute, vk.StageCompute))
		}
		for n, part := range parts {
			x, err := s.describe(i, st, l, t.bound[j], part)
			if err != nil {
				return nil, doing(stepName(st), err)
			}
			if ops, err = b.dispatch(ops, s, i, t.device, j, n, st.Kernel, x); err != nil {
				return nil, doing(stepName(st), err)
			}
		}
	}
	if timed {
		ops = append(ops, vk.Op{Kind: vk.OpTimestamp, Queries: g.rec.queries[i], Query: 2*k + 1})
	}
	t.ops = ops
	if err := b.commands.Rerecord(ops); err != nil {
		return nil, err
	}
	b.lo, b.hi, b.number, b.after = lo, hi, k, after
	return b.commands, nil
}

// dispatch appends part n of dispatch j of the pool, with its descriptor set.
func (b *slot) dispatch(ops []vk.Op, s *Session, i int, d *vk.Device, j, n int, kernel string, x described) ([]vk.Op, error) {
	k := s.sets[i].kernels[kernel]
	if k == nil {
		return ops, fmt.Errorf("unknown kernel %q", kernel)
	}
	if n < len(b.sets[j]) {
		if err := d.UpdateSet(b.sets[j][n], k, x.ranges); err != nil {
			return ops, err
		}
	} else {
		set, err := d.NewSet(k, x.ranges)
		if err != nil {
			return ops, err
		}
		b.sets[j] = append(b.sets[j], set)
	}
	return append(ops, vk.Op{Kind: vk.OpDispatch, Kernel: k, Set: b.sets[j][n], Push: x.push, Groups: x.groups}), nil
}
