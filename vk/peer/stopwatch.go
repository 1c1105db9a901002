package peer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/vk"
)

// Sizes of the copies that bandwidth is measured with: so long that a hand-over
// is a percent of it.
const (
	timedDirect   = 512 << 20
	timedHost     = 256 << 20
	timedStaging  = 32 << 20
	timedSoftware = 2 << 20
	timedRuns     = 5
)

// stopwatch times copies over the links of a team. Its buffers are kept from one
// copy to the next.
type stopwatch struct {
	routes *Routes
	src    map[int]*vk.Buffer
	dst    map[int]*vk.Buffer
}

// size is how much a link's bandwidth is measured with.
func (w *stopwatch) size(from, to int) uint64 {
	team := w.routes.team
	switch {
	case team[from].Info().Software() || team[to].Info().Software():
		return timedSoftware
	case w.routes.Via(from, to) == Staging:
		return timedStaging
	case w.routes.Via(from, to) == Host:
		return timedHost
	}
	return timedDirect
}

// buffer returns a buffer of at least size bytes on a device.
func (w *stopwatch) buffer(m *map[int]*vk.Buffer, device int, size uint64) (*vk.Buffer, error) {
	if *m == nil {
		*m = map[int]*vk.Buffer{}
	}
	if b := (*m)[device]; b != nil && b.Size() >= size {
		return b, nil
	}
	if err := (*m)[device].Close(); err != nil {
		return nil, err
	}
	b, err := w.routes.team[device].NewBuffer(size, vk.DeviceLocal)
	(*m)[device] = b
	return b, err
}

// time is the median wall time of moving size bytes over each of the links at
// once: from the start gate through a submission at the sender, which makes the
// data, to the last arrival.
func (w *stopwatch) time(ctx context.Context, size uint64, links ...pair) (seconds float64, err error) {
	var moves []Move
	for _, l := range links {
		src, err := w.buffer(&w.src, l.from, size)
		if err != nil {
			return 0, err
		}
		dst, err := w.buffer(&w.dst, l.to, size)
		if err != nil {
			return 0, err
		}
		moves = append(moves, Move{From: l.from, To: l.to, Src: src, Dst: dst, Size: size})
	}
	rounds, _, err := w.routes.Rounds(moves, 0)
	if err != nil {
		return 0, err
	}
	c := newChain(w.routes.team, rounds)
	defer func() { err = errors.Join(err, c.close()) }()
	for _, l := range links {
		c.before(l.from)
	}
	s, err := c.schedule()
	if err != nil {
		return 0, err
	}
	times := make([]float64, 0, timedRuns+1)
	for range timedRuns + 1 { // the first one warms up
		timing, err := s.Run(ctx)
		if err != nil {
			return 0, fmt.Errorf("timing a copy of %d bytes: %w", size, err)
		}
		times = append(times, float64(slices.Max(timing.Done)-timing.Opened)*1e-9)
	}
	times = times[1:]
	slices.Sort(times)
	return times[timedRuns/2], nil
}

// close frees the buffers.
func (w *stopwatch) close() error {
	var errs []error
	for _, m := range []map[int]*vk.Buffer{w.src, w.dst} {
		for _, b := range m {
			errs = append(errs, b.Close())
		}
	}
	return errors.Join(errs...)
}
