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
	surveyBytesGPU = 32 << 20
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
	// One transport for all devices that opened; where it fails, each pair has
	// its own try, so that one bad link does not hide the others.
	var team []*vk.Device
	place := map[int]int{} // in the team
	for i, d := range devices {
		if failed[i] == nil {
			place[i] = len(team)
			team = append(team, d)
		}
	}
	shared, excluded, sharedErr := New("auto", team)
	if sharedErr == nil {
		defer func() { err = errors.Join(err, shared.Close()) }()
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
			var broken error
			switch {
			case failed[i] != nil || failed[j] != nil:
				broken = errors.Join(failed[i], failed[j])
			case sharedErr == nil:
				l.passedOver(excluded)
				broken = l.measure(ctx, shared, team, place[i], place[j])
			default:
				broken = l.alone(ctx, []*vk.Device{devices[i], devices[j]})
			}
			if broken != nil {
				l.Problem = broken.Error()
			}
			links = append(links, l)
		}
	}
	return links, nil
}

func (l *Link) passedOver(excluded []error) {
	for _, e := range excluded {
		l.Excluded = append(l.Excluded, e.Error())
	}
}

// alone finds a transport for one pair and measures it.
func (l *Link) alone(ctx context.Context, pair []*vk.Device) (err error) {
	t, excluded, err := New("auto", pair)
	l.passedOver(excluded)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	return l.measure(ctx, t, pair, 0, 1)
}

// measure times a link that was verified.
func (l *Link) measure(ctx context.Context, t Transport, team []*vk.Device, from, to int) (err error) {
	l.Transport, l.Verified = t.Name(), true
	size := uint64(surveyBytesGPU)
	if team[from].Info().Software() || team[to].Info().Software() {
		size = surveyBytesCPU
	}
	if l.Latency, err = timeCopy(ctx, t, team, from, to, 4); err != nil {
		return err
	}
	seconds, err := timeCopy(ctx, t, team, from, to, size)
	if err != nil {
		return err
	}
	l.Bandwidth = float64(size) / seconds
	return nil
}

// timeCopy is the median wall time of moving size bytes over one link: start
// gate to arrival.
func timeCopy(ctx context.Context, t Transport, team []*vk.Device, from, to int, size uint64) (seconds float64, err error) {
	var closers []func() error
	defer func() {
		for i := len(closers) - 1; i >= 0; i-- {
			err = errors.Join(err, closers[i]())
		}
	}()
	src, err := team[from].NewBuffer(size, vk.DeviceLocal)
	if err != nil {
		return 0, err
	}
	closers = append(closers, src.Close)
	dst, err := team[to].NewBuffer(size, vk.DeviceLocal)
	if err != nil {
		return 0, err
	}
	closers = append(closers, dst.Close)
	rounds, _, err := t.Rounds([]Move{{From: from, To: to, Src: src, Dst: dst, Size: size}}, 0)
	if err != nil {
		return 0, err
	}
	ops := make([][][]vk.Op, len(rounds)+1)
	for p := range ops {
		ops[p] = make([][]vk.Op, len(team))
	}
	for i, r := range rounds {
		for d := range team {
			ops[i][d] = append(ops[i][d], r.Out[d]...)
			ops[i+1][d] = append(ops[i+1][d], r.In[d]...)
		}
	}
	s, err := recordOps(team, rounds, ops, &closers)
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
