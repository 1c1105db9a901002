package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// lanes are the four sums of engine/digest: sums over elements of a mix of the
// word and its global index, so they do not depend on how the array is divided.
type lanes [4]uint32

func (l *lanes) add(o lanes) {
	for i := range l {
		l[i] += o[i]
	}
}

// digest makes the digest of all outputs on the devices. differ names the first
// output of which two devices hold different copies.
func (s *Session) digest(ctx context.Context) (hexDigest, differ string, err error) {
	h := sha256.New()
	for j := range s.prog.Arrays {
		a := &s.prog.Arrays[j]
		if !a.Output {
			continue
		}
		parts, err := s.allLanes(ctx, a)
		if err != nil {
			return "", "", fmt.Errorf("digest of array %s: %w", a.Name, err)
		}
		sum := parts[0]
		for i := 1; i < len(parts); i++ {
			if a.Layout == program.Split || a.Distinct {
				sum.add(parts[i])
			} else if parts[i] != parts[0] && differ == "" {
				differ = fmt.Sprintf("array %s differs between %s and %s", a.Name, s.label(0), s.label(i))
			}
		}
		h.Write([]byte(a.Name))
		for _, w := range sum {
			h.Write(binary.LittleEndian.AppendUint32(nil, w))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), differ, nil
}

// allLanes digests what every device of the team answers for of an array.
func (s *Session) allLanes(ctx context.Context, a *program.Array) ([]lanes, error) {
	parts := make([]lanes, len(s.workers))
	err := s.each(func(i int, d *vk.Device) (err error) {
		parts[i], err = s.deviceLanes(ctx, i, d, a)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.joinLanes(ctx, parts)
}

// joinLanes brings together what each process knows of its own devices.
func (s *Session) joinLanes(ctx context.Context, parts []lanes) ([]lanes, error) {
	lists, err := gather(ctx, s, parts)
	if err != nil {
		return nil, err
	}
	for _, list := range lists[min(1, len(lists)):] {
		for i := range parts {
			parts[i].add(list[i]) // what is not a process's own is zero
		}
	}
	return share(ctx, s, parts)
}

// label names a device of the team in messages.
func (s *Session) label(i int) string {
	info := s.team[i].Info()
	return fmt.Sprintf("device %d (%s)", info.Index, info.Name)
}

// digestPerInvocation is how many elements one invocation of engine/digest takes.
const digestPerInvocation = 16

// deviceLanes digests the part of an array that a device answers for: its share
// of a divided array, all of any other.
func (s *Session) deviceLanes(ctx context.Context, i int, d *vk.Device, a *program.Array) (sum lanes, err error) {
	p := s.arrays[i][a.Name]
	acc, err := s.accumulator(i, d)
	if err != nil {
		return lanes{}, err
	}
	limit := min(d.Info().Limits.MaxStorageBufferRange-offsetAlign, 1<<31) / wordBytes * wordBytes
	ops := []vk.Op{
		peer.Barrier(vk.StageCompute|vk.StageTransfer, vk.StageCompute|vk.StageTransfer),
		{Kind: vk.OpFill, Dst: acc.device, Size: 4 * wordBytes},
		peer.Barrier(vk.StageTransfer, vk.StageCompute),
	}
	add := func(lo, units int64, index uint64) error { // of local units
		for _, r := range p.regions(lo, lo+units) {
			for at := uint64(0); at < r.size; at += limit {
				n := min(limit, r.size-at)
				bind, slack := rangeAt(r.buffer, r.offset+at, n)
				count := n / wordBytes
				push := []uint32{uint32(count), uint32(slack / wordBytes), uint32(index), uint32(index >> 32)}
				k, err := s.engineKernel(i, d, "engine/digest", 2, len(push))
				if err != nil {
					return err
				}
				set, err := s.set(i, d, "engine/digest", k, []vk.BufferRange{bind, {Buffer: acc.device, Size: 4 * wordBytes}})
				if err != nil {
					return err
				}
				groups := int64((count + localSize*digestPerInvocation - 1) / (localSize * digestPerInvocation))
				ops = append(ops, vk.Op{Kind: vk.OpDispatch, Kernel: k, Set: set, Push: push, Groups: grid(groups)})
				index += count
			}
		}
		return nil
	}
	if a.Layout != program.Split {
		err = add(0, p.ext.units, uint64(s.firstIndex(i, a)))
	} else {
		for _, run := range s.held(i) {
			if err == nil && run.Len() > 0 {
				err = add(a.Halo+run.Lo-s.prog.Shares[i].Lo, run.Len(), uint64(run.Lo*a.Stride))
			}
		}
	}
	if err != nil {
		return lanes{}, err
	}
	ops = append(ops,
		peer.Barrier(vk.StageCompute, vk.StageTransfer),
		vk.Op{Kind: vk.OpCopy, Src: acc.device, Dst: acc.host, Size: 4 * wordBytes},
		peer.Barrier(vk.StageTransfer, vk.StageHost))
	if err := run(ctx, d, ops); err != nil {
		return lanes{}, err
	}
	for l := range sum {
		sum[l] = binary.LittleEndian.Uint32(acc.host.Bytes()[l*wordBytes:])
	}
	return sum, nil
}

// firstIndex is the index in a digest of the first element that device i answers for.
func (s *Session) firstIndex(i int, a *program.Array) int64 {
	switch {
	case a.Layout == program.Split:
		return s.prog.Shares[i].Lo * a.Stride
	case a.Distinct:
		return int64(i) * a.Units * a.Stride
	}
	return 0
}

// accumulators hold a digest's sums on one device and on the host.
type accumulators struct{ device, host *vk.Buffer }

func (s *Session) accumulator(i int, d *vk.Device) (*accumulators, error) {
	if s.accs[i] != nil {
		return s.accs[i], nil
	}
	dev, err := d.NewBuffer(offsetAlign, vk.DeviceLocal)
	if err != nil {
		return nil, err
	}
	host, err := d.NewBuffer(offsetAlign, vk.HostRead)
	if err != nil {
		return nil, err
	}
	s.accs[i] = &accumulators{dev, host}
	return s.accs[i], nil
}
