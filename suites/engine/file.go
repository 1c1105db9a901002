package engine

import (
	"context"
	"encoding/binary"
	"os"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
)

// uploadBytes is the size of the staging buffer of uploads and downloads.
const uploadBytes = 32 << 20

// contents fills into with the words of an array from element first on.
type contents func(first int64, into []byte) error

// upload fills an array on one device with words from the host, each device only with
// what it holds.
func (s *Session) upload(ctx context.Context, i int, d *vk.Device, a *program.Array) (err error) {
	read := s.made(i, a)
	if a.Source.Kind == program.File {
		var f *os.File
		if f, read, err = stored(a); err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // read only: nothing to lose
	}
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
		first := st.global * a.Stride
		for _, r := range s.arrays[i][a.Name].regions(st.local, st.local+st.units) {
			for at := uint64(0); at < r.size; at += uploadBytes {
				n := min(uploadBytes, r.size-at)
				if err := read(first, stage.Bytes()[:n]); err != nil {
					return err
				}
				first += int64(n / wordBytes)
				if err := run(ctx, d, []vk.Op{{Kind: vk.OpCopy, Src: stage, Dst: r.buffer, DstOff: r.offset + at, Size: n}}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// made reads words that the workload computes, in parts on all cores.
func (s *Session) made(rank int, a *program.Array) contents {
	const part = 1 << 16 // words
	return func(first int64, into []byte) error {
		total := int64(len(into) / wordBytes)
		suites.Spread((total+part-1)/part, func(lo, hi int64, _ *suites.Tally) {
			words := make([]uint32, part)
			for at := lo * part; at < min(hi*part, total); at += part {
				block := words[:min(part, total-at)]
				a.Source.Make(rank, first+at, block)
				for k, w := range block {
					binary.LittleEndian.PutUint32(into[(at+int64(k))*wordBytes:], w)
				}
			}
		})
		return nil
	}
}
