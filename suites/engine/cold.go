package engine

import (
	"context"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// Cache states before a sample (measurement.md M25).
const (
	// Hot: iterations run back to back over the same memory.
	Hot = "hot"
	// Cold: before each sample every device reads and writes other memory of
	// several times its last-level cache; a sample is one iteration.
	Cold = "cold"
)

// Sizes of the memory that displaces the cache: more than four times the last
// level of the GPUs and CPUs in use (60 MB of L2 on an H200).
const (
	coldBytesGPU = 512 << 20
	coldBytesCPU = 256 << 20
)

// chill puts every device's cache into the cold state.
func (s *Session) chill(ctx context.Context) error {
	size := int64(coldBytesGPU)
	if s.software {
		size = coldBytesCPU
	}
	half, err := s.scratch("cold", size/wordBytes)
	if err != nil {
		return err
	}
	if s.coldRuns == nil {
		s.coldRuns = make([]*vk.Commands, len(s.workers))
		for i := range s.workers {
			middle := uint64(size / 2)
			op, _, err := s.localCopy(peer.Move{From: i, To: i, Src: half[i], Dst: half[i], DstOff: middle, Size: middle})
			if err != nil {
				return err
			}
			err = s.workers[i].do(func(d *vk.Device) (err error) {
				s.coldRuns[i], err = d.Record([]vk.Op{peer.Barrier(vk.StageCompute|vk.StageTransfer, vk.StageCompute|vk.StageTransfer), op})
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return s.each(func(i int, d *vk.Device) error { return d.Do(ctx, s.coldRuns[i]) })
}
