package engine

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
)

// uploadBytes is the size of the staging buffer of uploads and downloads.
const uploadBytes = 32 << 20

// upload fills an array on one device from its mapped file. The file is read
// only where the device needs it, so any device can take any part; elements
// beyond its end are zero.
func (s *Session) upload(ctx context.Context, i int, d *vk.Device, a *program.Array) (err error) {
	f, err := os.Open(a.Source.Path)
	if err != nil {
		return fmt.Errorf("input of array %s: %w", a.Name, err)
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if st.Size() <= a.Source.Offset {
		return fmt.Errorf("input %s ends after %d bytes, before the first element: give a longer file", a.Source.Path, st.Size())
	}
	mem, err := unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("map %s: %w", a.Source.Path, err)
	}
	defer func() { err = joinErr(err, unix.Munmap(mem)) }()
	stage, err := d.NewBuffer(uploadBytes, vk.HostWrite)
	if err != nil {
		return err
	}
	defer func() { err = joinErr(err, stage.Close()) }()
	for _, st := range stretches(a, s.prog.Shares[i], s.prog.Shares) {
		if st.global < 0 {
			ops, err := s.fillOps(i, d, a, st)
			if err != nil {
				return err
			}
			if err := run(ctx, d, ops); err != nil {
				return err
			}
			continue
		}
		from := a.Source.Offset + st.global*a.Stride*wordBytes
		for _, r := range s.arrays[i][a.Name].regions(st.local, st.local+st.units) {
			for at := uint64(0); at < r.size; at += uploadBytes {
				n := min(uploadBytes, r.size-at)
				there := copy(stage.Bytes()[:n], mem[min(from, int64(len(mem))):])
				clear(stage.Bytes()[there:n])
				from += int64(n)
				if err := run(ctx, d, []vk.Op{{Kind: vk.OpCopy, Src: stage, Dst: r.buffer, DstOff: r.offset + at, Size: n}}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
