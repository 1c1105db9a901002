package peer

import (
	"context"
	"errors"

	"github.com/amgpu/amgpu/vk"
)

// Link is what is known of one ordered pair of devices.
type Link struct {
	From, To  int // Info.Index
	Transport string
	Verified  bool    // random data arrived unharmed
	Bandwidth float64 // bytes per second of a large copy alone, end to end
	BothWays  float64 // bytes per second, sum of this link and the opposite one at once
	Latency   float64 // seconds of a 4-byte copy, end to end
	Problem   string  // why there is no link
	Excluded  []string
}

// Survey opens the adapters, finds a transport for every ordered pair, verifies
// it with random data and times it. A pair that fails is listed with its reason.
func Survey(ctx context.Context, adapters []*vk.Adapter, o Options) (links []Link, err error) {
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
	// One set of routes for all devices that opened; where that fails, each pair
	// has its own try, so that one bad link does not hide the others.
	var team []*vk.Device
	place := map[int]int{} // in the team
	for i, d := range devices {
		if failed[i] == nil {
			place[i] = len(team)
			team = append(team, d)
		}
	}
	shared, sharedErr := New(o, team)
	var watch *stopwatch
	if sharedErr == nil {
		watch = &stopwatch{routes: shared}
		defer func() { err = errors.Join(err, watch.close(), shared.Close()) }()
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
				broken = l.measure(ctx, watch, place[i], place[j])
			default:
				broken = l.alone(ctx, o, []*vk.Device{devices[i], devices[j]})
			}
			if broken != nil {
				l.Problem = broken.Error()
			}
			links = append(links, l)
		}
	}
	return links, nil
}

// alone finds a transport for one pair and measures it.
func (l *Link) alone(ctx context.Context, o Options, two []*vk.Device) (err error) {
	r, err := New(o, two)
	if err != nil {
		return err
	}
	w := &stopwatch{routes: r}
	defer func() { err = errors.Join(err, w.close(), r.Close()) }()
	return l.measure(ctx, w, 0, 1)
}

// measure times a link that was verified.
func (l *Link) measure(ctx context.Context, w *stopwatch, from, to int) (err error) {
	l.Transport, l.Verified, l.Excluded = w.routes.Via(from, to), true, w.routes.excludedOn(from, to)
	if l.Latency, err = w.time(ctx, 4, pair{from, to}); err != nil {
		return err
	}
	size := w.size(from, to)
	alone, err := w.time(ctx, size, pair{from, to})
	if err != nil {
		return err
	}
	l.Bandwidth = float64(size) / alone
	both, err := w.time(ctx, size, pair{from, to}, pair{to, from})
	if err != nil {
		return err
	}
	l.BothWays = 2 * float64(size) / both
	return nil
}
