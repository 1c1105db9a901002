package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

func joinErr(a, b error) error { return errors.Join(a, b) }

// cacheWords is what one small read fetches: samples drawn near each other then
// cost one transfer.
const cacheWords = 16 << 10

// reader reads arrays back for a check. It implements suites.Reader.
type reader struct {
	s     *Session
	ctx   context.Context
	cache map[readKey]cached
}

type readKey struct {
	device int
	array  string
}

type cached struct {
	first int64 // local element
	words []uint32
}

// Words reads elements [first,first+n) by global index.
func (r *reader) Words(array string, first, n int64) ([]uint32, error) {
	a, ok := r.s.prog.Array(array)
	if !ok {
		return nil, fmt.Errorf("read: unknown array %q", array)
	}
	if a.Layout != program.Split {
		return r.LocalWords(array, 0, first, n)
	}
	if first < 0 || n < 0 || first+n > a.Units*a.Stride {
		return nil, fmt.Errorf("read: elements %d to %d of array %s with %d", first, first+n, array, a.Units*a.Stride)
	}
	out := make([]uint32, 0, n)
	for at := first; at < first+n; {
		unit := at / a.Stride
		d, _, hi := r.s.holder(unit)
		m := min(first+n, hi*a.Stride) - at
		local := at + (a.Halo-r.s.prog.Shares[d].Lo)*a.Stride
		words, err := r.LocalWords(array, d, local, m)
		if err != nil {
			return nil, err
		}
		out = append(out, words...)
		at += m
	}
	return out, nil
}

// LocalWords reads elements [first,first+n) of what one device holds.
func (r *reader) LocalWords(array string, device int, first, n int64) ([]uint32, error) {
	if device < 0 || device >= len(r.s.workers) || r.s.arrays[device][array] == nil {
		return nil, fmt.Errorf("read: no array %q on device %d", array, device)
	}
	p := r.s.arrays[device][array]
	have := p.ext.units * p.ext.array.Stride
	if first < 0 || n < 0 || first+n > have {
		return nil, fmt.Errorf("read: elements %d to %d of array %s, device %d holds %d", first, first+n, array, device, have)
	}
	if n == 0 {
		return nil, nil
	}
	key := readKey{device, array}
	if c := r.cache[key]; first >= c.first && first+n <= c.first+int64(len(c.words)) {
		return c.words[first-c.first : first-c.first+n], nil
	}
	lo, hi := first, first+n
	if n < cacheWords {
		lo = first / cacheWords * cacheWords
		hi = min(max(lo+cacheWords, hi), have)
	}
	words, err := r.ask(device, array, lo, hi-lo)
	if err != nil {
		return nil, err
	}
	if n < cacheWords {
		r.cache[key] = cached{lo, words}
	}
	return words[first-lo : first-lo+n], nil
}

// fetch copies elements from the device through host-visible memory.
func (r *reader) fetch(device int, array string, first, n int64) ([]uint32, error) {
	out := make([]uint32, 0, n)
	err := r.s.workers[device].do(func(d *vk.Device) (err error) {
		stage, err := d.NewBuffer(uint64(min(n*wordBytes, uploadBytes)), vk.HostRead)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stage.Close()) }()
		for _, reg := range r.s.elements(device, array, first, n) {
			for at := uint64(0); at < reg.size; at += uploadBytes {
				m := min(uploadBytes, reg.size-at)
				ops := []vk.Op{
					peer.Barrier(vk.StageCompute|vk.StageTransfer, vk.StageTransfer),
					{Kind: vk.OpCopy, Src: reg.buffer, SrcOff: reg.offset + at, Dst: stage, Size: m},
					peer.Barrier(vk.StageTransfer, vk.StageHost),
				}
				if err := run(r.ctx, d, ops); err != nil {
					return err
				}
				mem := stage.Bytes()
				for i := uint64(0); i < m; i += wordBytes {
					out = append(out, binary.LittleEndian.Uint32(mem[i:]))
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read array %s: %w", array, err)
	}
	return out, nil
}
