package peer

import (
	"errors"

	"github.com/amgpu/amgpu/shaders"
	"github.com/amgpu/amgpu/vk"
)

// prober tries the links of a team. What it needs on a device is made when a link
// of the device is tried first, and kept for the others.
type prober struct {
	team []*vk.Device
	ends []*probeEnd
}

// probeEnd is what one device needs as a sender and as a receiver.
type probeEnd struct {
	pattern, compare          *vk.Kernel
	src, dst, result          *vk.Buffer
	report                    *vk.Buffer // result, for the host
	srcSet, dstSet, resultSet *vk.Set
}

func newProber(team []*vk.Device) *prober {
	return &prober{team: team, ends: make([]*probeEnd, len(team))}
}

// end returns what device i needs.
func (p *prober) end(i int) (*probeEnd, error) {
	if p.ends[i] == nil {
		p.ends[i] = &probeEnd{}
	}
	e := p.ends[i]
	if err := e.kernels(p.team[i]); err != nil {
		return nil, err
	}
	return e, e.buffers(p.team[i])
}

func (e *probeEnd) kernels(d *vk.Device) (err error) {
	if e.pattern != nil && e.compare != nil {
		return nil
	}
	load := func(name string, bindings, push int) (*vk.Kernel, error) {
		spirv, hash, err := shaders.Load(name)
		if err != nil {
			return nil, err
		}
		return d.NewKernel(spirv, vk.KernelOptions{Name: name, Bindings: bindings, PushBytes: 4 * push, Spec: []vk.SpecConst{{ID: 0, Value: probeGroup}}, Hash: hash})
	}
	if e.pattern, err = load("peer/pattern", 1, 3); err != nil {
		return err
	}
	e.compare, err = load("peer/compare", 2, 7)
	return err
}

// buffers makes what release freed: a transport decides where memory comes from.
func (e *probeEnd) buffers(d *vk.Device) error {
	if e.report != nil {
		return nil
	}
	size := 4 * uint64(probeLength())
	for _, b := range []struct {
		at   **vk.Buffer
		size uint64
		kind vk.MemKind
	}{{&e.src, size, vk.DeviceLocal}, {&e.dst, size, vk.DeviceLocal}, {&e.result, 256, vk.DeviceLocal}, {&e.report, 256, vk.HostRead}} {
		made, err := d.NewBuffer(b.size, b.kind)
		if err != nil {
			return errors.Join(err, e.release())
		}
		*b.at = made
	}
	all := func(b *vk.Buffer) vk.BufferRange { return vk.BufferRange{Buffer: b, Size: b.Size()} }
	var errs [3]error
	e.srcSet, errs[0] = d.NewSet(e.pattern, []vk.BufferRange{all(e.src)})
	e.dstSet, errs[1] = d.NewSet(e.pattern, []vk.BufferRange{all(e.dst)})
	e.resultSet, errs[2] = d.NewSet(e.compare, []vk.BufferRange{all(e.dst), all(e.result)})
	return errors.Join(errs[:]...)
}

const probeGroup = 256

// grid folds n invocations into two dimensions.
func grid(n uint32) [3]uint32 {
	const most = 65535 // what every device allows
	groups := (n + probeGroup - 1) / probeGroup
	y := max((groups+most-1)/most, 1)
	return [3]uint32{(groups + y - 1) / y, y, 1}
}

// fills is the dispatch that writes the pattern of a seed, or one word everywhere.
func (e *probeEnd) fills(set *vk.Set, seed uint32, fixed bool) vk.Op {
	n, word := probeLength(), uint32(0)
	if fixed {
		word = 1
	}
	return vk.Op{Kind: vk.OpDispatch, Kernel: e.pattern, Set: set, Push: []uint32{n, seed, word}, Groups: grid(n)}
}

// compares is the dispatch that checks words [begin,end), of which [lo,hi) were sent.
func (e *probeEnd) compares(begin, end, lo, hi, seed uint32) vk.Op {
	return vk.Op{Kind: vk.OpDispatch, Kernel: e.compare, Set: e.resultSet, Push: []uint32{begin, end, lo, hi, probeShift, seed, sentinel}, Groups: grid(end - begin)}
}

// release frees the memory of an end.
func (e *probeEnd) release() error {
	errs := []error{e.src.Close(), e.dst.Close(), e.result.Close(), e.report.Close()}
	e.src, e.dst, e.result, e.report = nil, nil, nil, nil
	return errors.Join(errs...)
}

// release frees all memory, before a transport that made it is closed or another
// one is tried.
func (p *prober) release() error {
	var errs []error
	for _, e := range p.ends {
		if e != nil {
			errs = append(errs, e.release())
		}
	}
	return errors.Join(errs...)
}

// close frees everything.
func (p *prober) close() error {
	errs := []error{p.release()}
	for _, e := range p.ends {
		if e != nil {
			errs = append(errs, e.pattern.Close(), e.compare.Close())
		}
	}
	clear(p.ends)
	return errors.Join(errs...)
}
