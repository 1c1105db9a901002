package peer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/vk"
)

// Link is what is known of one ordered pair of devices.
type Link struct {
	From, To  int // Info.Index
	Transport string
	Verified  bool    // random data arrived unharmed
	Bandwidth float64 // bytes per second of a large copy, end to end
	Latency   float64 // seconds of a 4-byte copy, end to end
	Problem   string  // why there is no link
	Excluded  []string
}

// Sizes of the timed copies.
const (
	surveyBytesGPU = 64 << 20
	surveyBytesCPU = 2 << 20
	surveyRuns     = 5
)

// Survey opens the adapters, finds a transport for every ordered pair, verifies
// it with random data and times it. A pair that fails is listed with its reason.
func Survey(ctx context.Context, adapters []*vk.Adapter) (links []Link, err error) {
	devices := make([]*vk.Device, len(adapters))
	defer func() {
		for _, d := range devices {
			err = errors.Join(err, d.Close())
		}
	}()
	failed := make([]error, len(adapters))
	for i, a := range adapters {
		devices[i], failed[i] = a.Open(vk.DeviceOptions{})
	}
	for i := range adapters {
		for j := range adapters {
			if i == j {
				continue
			}
			if err := ctx.Err(); err != nil {
				return links, err
			}
			l := Link{From: adapters[i].Info().Index, To: adapters[j].Info().Index}
			if broken := errors.Join(failed[i], failed[j]); broken != nil {
				l.Problem = broken.Error()
			} else if err := l.measure(ctx, []*vk.Device{devices[i], devices[j]}); err != nil {
				l.Problem = err.Error()
			}
			links = append(links, l)
		}
	}
	return links, nil
}

// measure fills in a link of a team of two.
func (l *Link) measure(ctx context.Context, pair []*vk.Device) (err error) {
	t, excluded, err := New("auto", pair)
	for _, e := range excluded {
		l.Excluded = append(l.Excluded, e.Error())
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	l.Transport, l.Verified = t.Name(), true
	size := uint64(surveyBytesGPU)
	for _, d := range pair {
		if d.Info().Software() {
			size = surveyBytesCPU
		}
	}
	if l.Latency, err = timeCopy(ctx, t, pair, 4); err != nil {
		return err
	}
	seconds, err := timeCopy(ctx, t, pair, size)
	if err != nil {
		return err
	}
	l.Bandwidth = float64(size) / seconds
	return nil
}

// timeCopy is the median wall time of moving size bytes from the first device
// to the second: start gate to arrival.
func timeCopy(ctx context.Context, t Transport, pair []*vk.Device, size uint64) (seconds float64, err error) {
	var closers []func() error
	defer func() {
		for i := len(closers) - 1; i >= 0; i-- {
			err = errors.Join(err, closers[i]())
		}
	}()
	src, err := pair[0].NewBuffer(size, vk.DeviceLocal)
	if err != nil {
		return 0, err
	}
	closers = append(closers, src.Close)
	dst, err := pair[1].NewBuffer(size, vk.DeviceLocal)
	if err != nil {
		return 0, err
	}
	closers = append(closers, dst.Close)
	rounds, _, err := t.Rounds([]Move{{From: 0, To: 1, Src: src, Dst: dst, Size: size}}, 0)
	if err != nil {
		return 0, err
	}
	ops := make([][][]vk.Op, len(rounds)+1)
	for p := range ops {
		ops[p] = make([][]vk.Op, len(pair))
	}
	for i, r := range rounds {
		for d := range pair {
			ops[i][d] = append(ops[i][d], r.Out[d]...)
			ops[i+1][d] = append(ops[i+1][d], r.In[d]...)
		}
	}
	s, err := recordOps(pair, rounds, ops, &closers)
	if err != nil {
		return 0, err
	}
	times := make([]float64, 0, surveyRuns)
	for range surveyRuns + 1 { // the first one warms up
		timing, err := s.Run(ctx)
		if err != nil {
			return 0, fmt.Errorf("timing a copy of %d bytes: %w", size, err)
		}
		times = append(times, float64(slices.Max(timing.Done)-timing.Opened)*1e-9)
	}
	times = times[1:]
	slices.Sort(times)
	return times[surveyRuns/2], nil
}
