package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
)

// Kinds of engine/fill.
const (
	fillConst = iota
	fillPhiloxRaw
	fillPhiloxF32
	fillPhiloxMod
	fillIota
	fillPhiloxBits
)

// poison is written to outputs before a checked iteration: as a float it is a
// NaN, as an integer an unlikely value, so what is not written is seen.
const poison = 0x7fc0dead

// stretch is a run of local units with the global units that fill it; global
// -1 means units outside the array, which are zero.
type stretch struct{ local, units, global int64 }

// stretches lists what a device holds of an array, halos included.
func stretches(a *program.Array, share program.Share, all []program.Share) []stretch {
	switch {
	case a.Layout != program.Split:
		return []stretch{{0, a.Units, 0}}
	case share.Len() == 0:
		return nil
	}
	out := []stretch{{a.Halo, share.Len(), share.Lo}}
	for _, side := range []struct{ lo, local int64 }{{share.Lo - a.Halo, 0}, {share.Hi, a.Halo + share.Len()}} {
		covered := int64(0)
		for _, r := range owners(all, a.Units, side.lo, side.lo+a.Halo, a.Wrap) {
			out = append(out, stretch{side.local + r.at, r.units, r.first})
			covered += r.units
		}
		if covered < a.Halo { // beyond the ends of an array that does not wrap
			for at := int64(0); at < a.Halo; at++ {
				if g := side.lo + at; g < 0 || g >= a.Units {
					out = append(out, stretch{side.local + at, 1, -1})
				}
			}
		}
	}
	return out
}

// fill gives every array its first contents, on all devices at once.
func (s *Session) fill(ctx context.Context) error {
	return s.each(func(i int, d *vk.Device) error {
		var ops []vk.Op
		for j := range s.prog.Arrays {
			a := &s.prog.Arrays[j]
			if a.Source.Kind == program.File || a.Source.Kind == program.Made {
				if err := s.upload(ctx, i, d, a); err != nil {
					return err
				}
				continue
			}
			for _, st := range stretches(a, s.prog.Shares[i], s.prog.Shares) {
				more, err := s.fillOps(i, d, a, st)
				if err != nil {
					return err
				}
				ops = append(ops, more...)
			}
		}
		if len(ops) == 0 {
			return nil
		}
		return run(ctx, d, ops)
	})
}

// fillOps makes the dispatches that fill one stretch.
func (s *Session) fillOps(i int, d *vk.Device, a *program.Array, st stretch) ([]vk.Op, error) {
	kind, w := sourceWords(a, st.global < 0)
	index := uint64(0)
	if st.global > 0 {
		index = uint64(st.global * a.Stride)
	}
	id := a.Source.ID
	if a.Layout == program.Local {
		id += uint32(i) << 16
	}
	elem := uint32(0)
	if a.Elem == program.U32 {
		elem = 1
	}
	limit := d.Info().Limits.MaxStorageBufferRange - offsetAlign
	limit = min(limit, 1<<31) / wordBytes * wordBytes
	var ops []vk.Op
	for _, r := range s.arrays[i][a.Name].regions(st.local, st.local+st.units) {
		for at := uint64(0); at < r.size; at += limit {
			n := min(limit, r.size-at)
			bind, slack := rangeAt(r.buffer, r.offset+at, n)
			push := []uint32{
				uint32(n / wordBytes), uint32(slack / wordBytes), uint32(index), uint32(index >> 32), kind, w[0], w[1],
				id, s.info.Number, uint32(s.spec.Build.Seed), uint32(s.spec.Build.Seed >> 32), elem, w[2], w[3],
			}
			k, err := s.engineKernel(i, d, "engine/fill", 1, len(push))
			if err != nil {
				return nil, err
			}
			set, err := s.set(i, d, "engine/fill", k, []vk.BufferRange{bind})
			if err != nil {
				return nil, err
			}
			ops = append(ops, vk.Op{Kind: vk.OpDispatch, Kernel: k, Set: set, Push: push, Groups: grid(int64((n/wordBytes + localSize - 1) / localSize))})
			index += n / wordBytes
		}
	}
	return ops, nil
}

// sourceWords encodes a source for engine/fill: its kind and the words a to d.
func sourceWords(a *program.Array, outside bool) (kind uint32, w [4]uint32) {
	if outside {
		return fillConst, w
	}
	switch src := a.Source; src.Kind {
	case program.PhiloxRaw:
		return fillPhiloxRaw, w
	case program.PhiloxF32:
		return fillPhiloxF32, [4]uint32{math.Float32bits(src.A), math.Float32bits(src.B)}
	case program.PhiloxMod:
		return fillPhiloxMod, [4]uint32{src.Mod}
	case program.PhiloxBits:
		return fillPhiloxBits, [4]uint32{src.Keep[0], src.Set[0], src.Keep[1], src.Set[1]}
	case program.Iota:
		return fillIota, w
	case program.Const:
		return fillConst, [4]uint32{src.Word}
	case program.None:
		return fillConst, [4]uint32{poison}
	default:
		return fillConst, w
	}
}

// run records operations, runs them once and frees them.
func run(ctx context.Context, d *vk.Device, ops []vk.Op) error {
	c, err := d.Record(ops)
	if err != nil {
		return err
	}
	if err := d.Do(ctx, c); err != nil {
		_ = c.Close()
		return fmt.Errorf("%s: %w", d.Info().Name, err)
	}
	return c.Close()
}
