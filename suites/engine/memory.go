package engine

import (
	"fmt"

	"github.com/amgpu/amgpu/suites/input"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
)

// placed is an array on one device.
type placed struct {
	ext     extent
	pieces  []piece
	buffers []*vk.Buffer
}

// place allocates every array of the program on every device, after checking
// that the device has room for all of them and, where units have fixed owners, that its
// bindings can show them.
func (s *Session) place(owned bool) error {
	s.arrays = make([]map[string]*placed, len(s.workers))
	for i := range s.workers {
		s.arrays[i] = map[string]*placed{}
		var need int64
		for j := range s.prog.Arrays {
			a := &s.prog.Arrays[j]
			p, err := s.plan(i, a)
			if err != nil {
				return err
			}
			s.arrays[i][a.Name] = p
			need += p.ext.units * p.ext.unitBytes
		}
		if s.here(i) {
			if err := s.room(i, need); err != nil {
				return err
			}
		}
	}
	if owned {
		if err := s.shows(); err != nil {
			return err
		}
	}
	return s.everywhere(func(i int, d *vk.Device) error {
		for j := range s.prog.Arrays {
			p := s.arrays[i][s.prog.Arrays[j].Name]
			for _, part := range p.pieces {
				// An empty share still needs something to bind.
				size := max(part.units*p.ext.unitBytes, offsetAlign)
				b, err := d.NewBuffer(uint64(size), vk.DeviceLocal)
				if err != nil {
					return fmt.Errorf("array %s, %d bytes: %w", s.prog.Arrays[j].Name, size, err)
				}
				p.buffers = append(p.buffers, b)
			}
		}
		return nil
	})
}

// plan decides how array a lies on device i.
func (s *Session) plan(i int, a *program.Array) (*placed, error) {
	info := s.team[i].Info()
	p := &placed{ext: extentOf(a, s.prog.Shares[i])}
	limit := int64(min(info.Limits.MaxAllocation, info.Limits.MaxBufferSize, 1<<62))
	if t := s.spec.testOnlyBufferLimit; t > 0 {
		limit = t
	}
	var ok bool
	p.pieces, ok = p.ext.pieces(limit)
	if !ok {
		return nil, unsupported("%s allows buffers of %d bytes and one unit of array %s takes %d: %s", info.Name, limit, a.Name, p.ext.unitBytes, s.smaller())
	}
	return p, nil
}

// smaller says how to ask for less: a file has one size.
func (s *Session) smaller() string {
	if s.spec.Build.Input != "" {
		return "give a smaller input"
	}
	return "choose a smaller --size"
}

// room compares what is needed with the device's memory budget.
func (s *Session) room(i int, need int64) error {
	info := s.team[i].Info()
	if pool := s.spec.MemoryBudget; pool > 0 && uint64(need) > pool {
		return unsupported("the arrays need %s on %s and its memory pool is %s: %s, more GPUs or a larger --memory-pool", mebibytes(uint64(need)), info.Name, mebibytes(pool), s.smaller())
	}
	if info.Type == "cpu" {
		// Software heaps are nominal: what counts is the host's free memory, which all share.
		have, ok := input.Free()
		n := len(s.own())
		if all := need * int64(n); ok && all > have/10*9 {
			return unsupported("the arrays need %d MiB of host memory on %d software devices and %d MiB are free: %s", all>>20, n, have>>20, s.smaller())
		}
		return nil
	}
	have := freeOn(info)
	if have > 0 && uint64(need) > have/100*95 {
		return unsupported("the arrays need %.1f GiB on %s and its memory budget is %.1f GiB: %s or more GPUs", float64(need)/(1<<30), info.Name, float64(have)/(1<<30), s.smaller())
	}
	return nil
}

// mebibytes is a size for people; below one MiB its bytes.
func mebibytes(n uint64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// region is a run of bytes in one buffer.
type region struct {
	buffer *vk.Buffer
	offset uint64
	size   uint64
}

// regions returns where local units [lo,hi) of the array lie, cut at buffer
// borders.
func (p *placed) regions(lo, hi int64) []region {
	var out []region
	for i, part := range p.pieces {
		a, b := max(lo, part.first), min(hi, part.first+part.units)
		if a >= b {
			continue
		}
		out = append(out, region{p.buffers[i], uint64((a - part.first) * p.ext.unitBytes), uint64((b - a) * p.ext.unitBytes)})
	}
	return out
}

// pair walks two lists of regions of equal total size together, cutting both at
// either's borders.
func pair(src, dst []region, f func(src, dst region)) {
	for len(src) > 0 && len(dst) > 0 {
		n := min(src[0].size, dst[0].size)
		f(region{src[0].buffer, src[0].offset, n}, region{dst[0].buffer, dst[0].offset, n})
		src, dst = advance(src, n), advance(dst, n)
	}
}

func advance(r []region, n uint64) []region {
	if r[0].size == n {
		return r[1:]
	}
	rest := append([]region{{r[0].buffer, r[0].offset + n, r[0].size - n}}, r[1:]...)
	return rest
}

// shows refuses a program with a launch that no cut makes fit bindings and buffers.
func (s *Session) shows() (err error) {
	try := func(st program.Step) {
		d, ok := st.(program.Dispatch)
		for i := range s.workers {
			if !ok || err != nil || d.On[i].Units == 0 {
				continue
			}
			var bound []boundArray
			if bound, err = s.boundArrays(i, d); err == nil {
				_, err = s.parts(i, d, d.On[i], bound, 0)
			}
			if err != nil {
				err = fmt.Errorf("step %s on %s: %w", d.Label, s.team[i].Info().Name, err)
			}
		}
	}
	walk(s.prog.Setup, try)
	walk(s.prog.Steps, try)
	return err
}
