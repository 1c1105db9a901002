package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// Residencies: where an iteration's inputs and outputs are.
const (
	// Resident: inputs are on the devices before, outputs stay there.
	Resident = "resident"
	// EndToEnd: an iteration uploads its inputs from host memory, runs the setup
	// and the steps, and downloads its outputs.
	EndToEnd = "end-to-end"
)

// hostImage is the host's copy of one run of bytes of a device's array.
type hostImage struct {
	array  string
	device int
	first  int64 // element index of the array's own numbering, for digests
	region region
	stage  *vk.Buffer
}

// images are the inputs and outputs of an end-to-end iteration on the host, late the inputs
// that arrive for the next one; zero are the device's arrays that start as zeros.
type images struct{ in, late, out, zero []hostImage }

// makeImages allocates the host's copies. Replicated arrays that the setup
// broadcasts are uploaded to the root only; outputs that every device holds
// are downloaded from device 0.
func (s *Session) makeImages() error {
	s.host = &images{}
	roots := map[string]int{}
	walk(s.prog.Setup, func(st program.Step) {
		if b, ok := st.(program.Broadcast); ok {
			for _, name := range b.Arrays {
				roots[name] = b.Root
			}
		}
	})
	for _, i := range s.own() {
		for j := range s.prog.Arrays {
			a := &s.prog.Arrays[j]
			root, broadcast := roots[a.Name]
			if a.Source.Kind != program.None && a.Source.Kind != program.Zero && (!broadcast || root == i) {
				list := &s.host.in
				if a.Late {
					list = &s.host.late
				}
				if err := s.addImages(list, i, a, vk.HostWrite); err != nil {
					return err
				}
			}
			if a.Source.Kind == program.Zero {
				p := s.arrays[i][a.Name]
				for _, r := range p.regions(0, p.ext.units) {
					s.host.zero = append(s.host.zero, hostImage{array: a.Name, device: i, region: r})
				}
			}
			if a.Output && (a.Layout == program.Split || a.Distinct || i == 0) {
				if err := s.addImages(&s.host.out, i, a, vk.HostRead); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *Session) addImages(list *[]hostImage, i int, a *program.Array, kind vk.MemKind) error {
	p := s.arrays[i][a.Name]
	lo, hi, first := int64(0), p.ext.units, s.firstIndex(i, a)
	if a.Layout == program.Split {
		share := s.prog.Shares[i]
		lo, hi = a.Halo, a.Halo+share.Len()
		if kind == vk.HostWrite { // halos are inputs too
			lo, hi, first = 0, p.ext.units, (share.Lo-a.Halo)*a.Stride
		}
	}
	for _, r := range p.regions(lo, hi) {
		var stage *vk.Buffer
		err := s.workers[i].do(func(d *vk.Device) (err error) {
			stage, err = d.NewBuffer(r.size, kind)
			return err
		})
		if err != nil {
			return fmt.Errorf("host copy of array %s, %d bytes: %w", a.Name, r.size, err)
		}
		*list = append(*list, hostImage{array: a.Name, device: i, first: first, region: r, stage: stage})
		first += int64(r.size / wordBytes)
	}
	return nil
}

// capture copies the freshly filled inputs into the host's copies. Upload
// memory cannot be read by the device in place, so it goes by a download.
func (s *Session) capture(ctx context.Context) error {
	return s.each(func(i int, d *vk.Device) error {
		for _, im := range slices.Concat(s.host.in, s.host.late) {
			if im.device != i {
				continue
			}
			if err := download(ctx, d, im.region, im.stage.Bytes()); err != nil {
				return err
			}
		}
		return nil
	})
}

// download copies a region of a device's memory to host memory.
func download(ctx context.Context, d *vk.Device, r region, to []byte) (err error) {
	stage, err := d.NewBuffer(min(r.size, uploadBytes), vk.HostRead)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.Close()) }()
	for at := uint64(0); at < r.size; at += uploadBytes {
		n := min(uploadBytes, r.size-at)
		ops := []vk.Op{
			peer.Barrier(vk.StageCompute|vk.StageTransfer, vk.StageTransfer),
			{Kind: vk.OpCopy, Src: r.buffer, SrcOff: r.offset + at, Dst: stage, Size: n},
			peer.Barrier(vk.StageTransfer, vk.StageHost),
		}
		if err := run(ctx, d, ops); err != nil {
			return err
		}
		copy(to[at:], stage.Bytes()[:n])
	}
	return nil
}

// iteration appends one iteration as it is timed.
func (b *builder) iteration(again bool) error {
	s := b.s
	if s.host == nil {
		return b.steps(s.prog.Steps)
	}
	if again {
		b.advance()
	}
	upload := func(im hostImage) vk.Op {
		return vk.Op{Kind: vk.OpCopy, Src: im.stage, Dst: im.region.buffer, DstOff: im.region.offset, Size: im.region.size}
	}
	for _, im := range s.host.in {
		l := &b.now().lanes[im.device]
		l.in = append(l.in, upload(im))
	}
	for _, im := range s.host.zero {
		l := &b.now().lanes[im.device]
		l.in = append(l.in, vk.Op{Kind: vk.OpFill, Dst: im.region.buffer, DstOff: im.region.offset, Size: im.region.size})
	}
	if err := b.steps(s.prog.Setup); err != nil {
		return err
	}
	if err := b.steps(s.prog.Steps); err != nil {
		return err
	}
	if len(s.host.late) > 0 {
		b.advance() // behind what read them in this iteration
	}
	for _, im := range s.host.late {
		l := &b.now().lanes[im.device]
		l.beside = append(l.beside, upload(im))
	}
	for _, im := range s.host.out {
		l := &b.now().lanes[im.device]
		l.out = append(l.out, vk.Op{Kind: vk.OpCopy, Src: im.region.buffer, SrcOff: im.region.offset, Dst: im.stage, Size: im.region.size})
	}
	return nil
}

// arrived compares the digest of what an end-to-end iteration brought to the
// host with the devices' own; it names the first array that differs.
func (s *Session) arrived(ctx context.Context) (wrong string, err error) {
	for j := range s.prog.Arrays {
		a := &s.prog.Arrays[j]
		if !a.Output {
			continue
		}
		var host, device lanes
		mine := make([]lanes, len(s.workers))
		for _, im := range s.host.out {
			if im.array == a.Name {
				mine[im.device].add(suites.Digest(words(im.stage.Bytes()), im.first))
			}
		}
		if mine, err = s.joinLanes(ctx, mine); err != nil {
			return "", err
		}
		for _, part := range mine {
			host.add(part)
		}
		parts, err := s.allLanes(ctx, a)
		if err != nil {
			return "", err
		}
		device = parts[0]
		if a.Layout == program.Split || a.Distinct {
			for _, p := range parts[1:] {
				device.add(p)
			}
		}
		if host != device {
			return fmt.Sprintf("array %s arrived on the host with other contents than the devices hold", a.Name), nil
		}
	}
	return "", nil
}

// words reads little-endian words.
func words(b []byte) []uint32 {
	out := make([]uint32, len(b)/wordBytes)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[i*wordBytes:])
	}
	return out
}
