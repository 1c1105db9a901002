package vk

import (
	"fmt"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// SpecConst sets one 32-bit specialization constant.
type SpecConst struct{ ID, Value uint32 }

// KernelOptions describe a compute pipeline.
type KernelOptions struct {
	Name      string
	Bindings  int // storage buffers, set 0, bindings 0..Bindings-1
	PushBytes int
	Spec      []SpecConst
	Hash      string // of the SPIR-V; with it the pipeline cache on disk is used
	Entry     string // name of the entry point; empty: main
	Subgroup  int    // size of the subgroups, all of them full; 0: whatever the driver takes
}

// Kernel is a compute pipeline.
type Kernel struct {
	device *Device
	raw    *raw.Kernel
	name   string
	push   int
	binds  int
}

// NewKernel builds a pipeline from SPIR-V.
func (d *Device) NewKernel(spirv []uint32, o KernelOptions) (*Kernel, error) {
	if o.Entry == "" {
		o.Entry = "main"
	}
	if err := checkSPIRV(spirv, o.Entry); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", o.Name, err)
	}
	if o.PushBytes < 0 || o.PushBytes%4 != 0 || o.Bindings < 0 {
		return nil, fmt.Errorf("kernel %s: %d bytes of push constants, %d bindings", o.Name, o.PushBytes, o.Bindings)
	}
	if o.Bindings > raw.MaxBindings || len(o.Spec) > raw.MaxSpec {
		return nil, fmt.Errorf("kernel %s: %w: %d bindings and %d specialization constants, at most %d and %d are", o.Name, ErrUnsupported, o.Bindings, len(o.Spec), raw.MaxBindings, raw.MaxSpec)
	}
	if most := int(d.Info().Limits.PushConstants); o.PushBytes > most {
		return nil, fmt.Errorf("kernel %s: %w: %d bytes of push constants, %s allows %d", o.Name, ErrUnsupported, o.PushBytes, d.name, most)
	}
	if err := d.checkSubgroup(o); err != nil {
		return nil, err
	}
	spec := make([]uint32, 0, 2*len(o.Spec))
	for _, s := range o.Spec {
		spec = append(spec, s.ID, s.Value)
	}
	cached := d.loadCache(o)
	k, data, code := d.raw.NewKernel(spirv, o.Entry, o.Bindings, o.PushBytes, spec, uint32(o.Subgroup), cached)
	if code != 0 && len(cached) > 0 && Result(code) != DeviceLost { // the data may be to blame
		d.dropCache(o)
		k, data, code = d.raw.NewKernel(spirv, o.Entry, o.Bindings, o.PushBytes, spec, uint32(o.Subgroup), nil)
	}
	if err := d.call(code, "vkCreateComputePipelines (%s)", o.Name); err != nil {
		return nil, err
	}
	d.storeCache(o, data)
	out := &Kernel{device: d, raw: k, name: o.Name, push: o.PushBytes, binds: o.Bindings}
	d.kernels[out] = struct{}{}
	return out, nil
}

// checkSubgroup refuses a size of subgroups that the device cannot be held to.
func (d *Device) checkSubgroup(o KernelOptions) error {
	i := d.Info()
	l, f, size := i.Limits, i.Features, uint32(o.Subgroup)
	switch {
	case size == 0:
		return nil
	case !f.SubgroupSizeControl || !f.FullSubgroups || !l.RequiredSubgroup:
		return fmt.Errorf("kernel %s: %w: it needs full subgroups of %d, and %s lets no kernel choose", o.Name, ErrUnsupported, size, d.name)
	case size < l.MinSubgroup || size > l.MaxSubgroup || size&(size-1) != 0:
		return fmt.Errorf("kernel %s: %w: it needs subgroups of %d, %s has %d to %d", o.Name, ErrUnsupported, size, d.name, l.MinSubgroup, l.MaxSubgroup)
	}
	return nil
}

// Close destroys the pipeline. Safe on nil and twice.
func (k *Kernel) Close() error {
	if k == nil || k.device == nil || k.device.untouchable() {
		return nil
	}
	delete(k.device.kernels, k)
	k.device.raw.FreeKernel(k.raw)
	k.device = nil
	return nil
}

// BufferRange is a range of a buffer bound to a kernel; Offset is a multiple of
// Limits.StorageAlign.
type BufferRange struct {
	Buffer       *Buffer
	Offset, Size uint64
}

// Set is a descriptor set: the buffers of one dispatch.
type Set struct{ raw raw.Set }

// setPool is one descriptor pool; they grow as sets are made.
type setPool struct {
	raw           raw.Pool
	sets, buffers int // left
}

const (
	poolSets    = 256
	poolBuffers = 1024
)

// NewSet binds ranges to a kernel's bindings. Sets live until ResetSets or Close.
func (d *Device) NewSet(k *Kernel, ranges []BufferRange) (*Set, error) {
	flat, err := d.bindable(k, ranges)
	if err != nil {
		return nil, err
	}
	pool, err := d.poolFor(len(ranges))
	if err != nil {
		return nil, err
	}
	s, code := d.raw.NewSet(pool.raw, k.raw, flat)
	if err := d.call(code, "vkAllocateDescriptorSets (%s)", k.name); err != nil {
		return nil, err
	}
	pool.sets--
	pool.buffers -= len(ranges)
	return &Set{s}, nil
}

// UpdateSet binds other ranges to a set made for the same kernel. Nothing under way may
// use it, and commands that hold it must be recorded again.
func (d *Device) UpdateSet(s *Set, k *Kernel, ranges []BufferRange) error {
	flat, err := d.bindable(k, ranges)
	if err != nil {
		return err
	}
	return d.call(d.raw.UpdateSet(s.raw, flat), "vkUpdateDescriptorSets (%s)", k.name)
}

// bindable checks ranges for a kernel and lists them: handle, offset, size.
func (d *Device) bindable(k *Kernel, ranges []BufferRange) ([]uint64, error) {
	if len(ranges) != k.binds {
		return nil, fmt.Errorf("kernel %s has %d bindings, %d ranges were given", k.name, k.binds, len(ranges))
	}
	limits := &d.Info().Limits
	flat := make([]uint64, 0, 3*len(ranges))
	for i, r := range ranges {
		switch {
		case r.Buffer == nil || r.Buffer.device != d:
			return nil, fmt.Errorf("kernel %s binding %d: not a buffer of %s", k.name, i, d.name)
		case r.Size == 0 || !r.Buffer.holds(r.Offset, r.Size):
			return nil, fmt.Errorf("kernel %s binding %d: bytes %d to %d of a buffer of %d", k.name, i, r.Offset, r.Offset+r.Size, r.Buffer.size)
		case r.Size > limits.MaxStorageBufferRange:
			return nil, fmt.Errorf("kernel %s binding %d: %w: %d bytes, %s binds at most %d", k.name, i, ErrUnsupported, r.Size, d.name, limits.MaxStorageBufferRange)
		case limits.StorageAlign > 0 && r.Offset%limits.StorageAlign != 0:
			return nil, fmt.Errorf("kernel %s binding %d: offset %d is not a multiple of %d", k.name, i, r.Offset, limits.StorageAlign)
		}
		flat = append(flat, uint64(r.Buffer.raw), r.Offset, r.Size)
	}
	return flat, nil
}

func (d *Device) poolFor(buffers int) (*setPool, error) {
	if n := len(d.pools); n > 0 && d.pools[n-1].sets > 0 && d.pools[n-1].buffers >= buffers {
		return d.pools[n-1], nil
	}
	p, code := d.raw.NewPool(poolSets, max(poolBuffers, buffers))
	if err := d.call(code, "vkCreateDescriptorPool"); err != nil {
		return nil, err
	}
	d.pools = append(d.pools, &setPool{p, poolSets, max(poolBuffers, buffers)})
	return d.pools[len(d.pools)-1], nil
}

// ResetSets frees every descriptor set; no recorded command may use one after.
func (d *Device) ResetSets() {
	if d.Stuck() {
		return
	}
	for _, p := range d.pools {
		d.raw.FreePool(p.raw)
	}
	d.pools = nil
}
