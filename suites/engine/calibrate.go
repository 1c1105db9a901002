package engine

import (
	"context"
	"slices"
	"time"

	"github.com/amgpu/amgpu/suites/input"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
)

// Calibrate times an iteration for a moment: fresh inputs, no check, the median of a few
// samples, in seconds. It is a hint for dividing work, never a result.
func (s *Session) Calibrate(ctx context.Context, atMost time.Duration) (float64, error) {
	const most, length = 9, 1e-3 // samples; seconds of each
	if err := s.iterate(ctx, false); err != nil {
		return 0, doing("calibration", err)
	}
	first, err := s.Sample(ctx, 1)
	if err != nil {
		return 0, err
	}
	times := []float64{first.Seconds}
	reps := max(min(int(length/max(first.Seconds, 1e-6)), s.MaxReps()), 1)
	for begin := time.Now(); len(times) < most && time.Since(begin) < atMost; {
		sample, err := s.Sample(ctx, reps)
		if err != nil {
			return 0, err
		}
		times = append(times, sample.Seconds)
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// Free is the memory that one of sharing devices may take on an adapter, in bytes;
// software devices share the host's. 0: not known.
func Free(a *vk.Adapter, sharing int) int64 {
	info := a.Info()
	if info.Software() {
		have, _ := input.Free()
		return have / 10 * 9 / int64(max(sharing, 1))
	}
	return int64(freeOn(info) / 100 * 95)
}

// FreeNow is Free with a new question to the driver.
func FreeNow(a *vk.Adapter, sharing int) int64 {
	if a.Info().Software() {
		return Free(a, sharing)
	}
	return int64(freeOf(a.Heaps()) / 100 * 95)
}

// Need is what the arrays of a program take of device i, in bytes.
func Need(p *program.Program, i int) int64 {
	var need int64
	for j := range p.Arrays {
		e := extentOf(&p.Arrays[j], p.Shares[i])
		need += e.units * e.unitBytes
	}
	return need
}

// freeOn is the free memory of the largest heap of a GPU, in bytes.
func freeOn(info *vk.Info) uint64 { return freeOf(info.Heaps) }

func freeOf(heaps []vk.Heap) uint64 {
	var have uint64
	for _, h := range heaps {
		if !h.DeviceLocal {
			continue
		}
		free := h.Size
		if h.BudgetKnown && h.Budget > h.Usage {
			free = min(free, h.Budget-h.Usage)
		}
		have = max(have, free)
	}
	return have
}
