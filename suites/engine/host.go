package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
)

// runHost reads the inputs of a host step from device 0, runs it and writes its
// outputs to every device.
func (s *Session) runHost(ctx context.Context, h *program.Host) error {
	r := &reader{s: s, ctx: ctx, cache: map[readKey]cached{}}
	if !s.leads() {
		return s.helpHost(ctx, h, r)
	}
	in, out := make([][]uint32, len(h.In)), make([][]uint32, len(h.Out))
	for i, name := range h.In {
		p := s.arrays[0][name]
		if p == nil || p.ext.array.Layout == program.Split {
			return fmt.Errorf("%q is not a local or replicated array", name)
		}
		words, err := r.LocalWords(name, 0, 0, p.ext.units*p.ext.array.Stride)
		if err != nil {
			return err
		}
		in[i] = words
	}
	for i, name := range h.Out {
		p := s.arrays[0][name]
		if p == nil || p.ext.array.Layout == program.Split {
			return fmt.Errorf("%q is not a local or replicated array", name)
		}
		out[i] = make([]uint32, p.ext.units*p.ext.array.Stride)
	}
	if err := s.served(ctx); err != nil {
		return err
	}
	if err := h.Do(in, out); err != nil {
		return err
	}
	return s.spreadHost(ctx, h, out)
}

// helpHost is a host step in a process that does not lead: it reads what that one asks for
// and takes the outputs.
func (s *Session) helpHost(ctx context.Context, h *program.Host, r *reader) error {
	if err := s.serve(ctx, r); err != nil {
		return err
	}
	return s.spreadHost(ctx, h, nil)
}

// spreadHost writes the outputs of a host step to every device.
func (s *Session) spreadHost(ctx context.Context, h *program.Host, out [][]uint32) error {
	out, err := share(ctx, s, out)
	if err != nil {
		return err
	}
	return s.each(func(i int, d *vk.Device) error {
		for j, name := range h.Out {
			if err := s.write(ctx, i, d, name, 0, s.arrays[i][name].ext.units, out[j]); err != nil {
				return err
			}
		}
		return nil
	})
}

// write uploads the units [lo,hi) of what one device holds of an array.
func (s *Session) write(ctx context.Context, i int, d *vk.Device, name string, lo, hi int64, words []uint32) (err error) {
	if len(words) == 0 {
		return nil
	}
	stage, err := d.NewBuffer(uint64(len(words)*wordBytes), vk.HostWrite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.Close()) }()
	mem := stage.Bytes()
	for k, w := range words {
		binary.LittleEndian.PutUint32(mem[k*wordBytes:], w)
	}
	var ops []vk.Op
	var at uint64
	for _, r := range s.arrays[i][name].regions(lo, hi) {
		ops = append(ops, vk.Op{Kind: vk.OpCopy, Src: stage, SrcOff: at, Dst: r.buffer, DstOff: r.offset, Size: r.size})
		at += r.size
	}
	return run(ctx, d, ops)
}
