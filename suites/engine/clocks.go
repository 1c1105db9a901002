package engine

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/vk"
)

// clocks ties every device's timestamps to the host's CLOCK_MONOTONIC_RAW.
type clocks struct {
	points []clockPoint // by device; empty: not known
	driver []bool       // by device: its points come from the driver
}

// clockPoint is one calibrated pair.
type clockPoint struct {
	ticks     uint64
	nanos     int64
	deviation uint64 // nanoseconds, as the driver bounds it
}

// calibrations is how many pairs the driver is asked for, brackets how many pairs timestamps
// make, renewals how many the driver is asked for again; the one with the smallest deviation
// is kept.
const calibrations, brackets, renewals = 64, 16, 8

// clockAge is how old a pair may be when a sample begins, in nanoseconds: clocks that differ
// by 10 ppm are then 2.5 us apart.
const clockAge = 250_000_000

// startClocks ties every device's clock to the host's: by the driver's
// calibration where a real timestamp confirms it, else by bracketing timestamps
// between two readings of the host clock. On some drivers the calibrated counter
// has another epoch than the one commands write (measurement.md M28; lavapipe
// 22.3 mixes CLOCK_MONOTONIC with the raw clock). Devices without timestamps
// leave the clocks unknown.
func (s *Session) startClocks(ctx context.Context) error {
	points, driver := make([]clockPoint, len(s.team)), make([]bool, len(s.team))
	refused := make([]error, len(s.team))
	err := s.each(func(i int, d *vk.Device) error {
		p, err := calibrate(d, calibrations)
		if err == nil {
			if err = confirm(ctx, d, p); err == nil {
				points[i], driver[i] = p, true
				return nil
			}
		}
		if errors.Is(err, errClock) {
			refused[i] = err
		} else if !errors.Is(err, vk.ErrUnsupported) {
			return err
		}
		points[i], err = bracketed(ctx, d)
		return err
	})
	if errors.Is(err, vk.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	s.clocks = clocks{points: points, driver: driver}
	if err := errors.Join(refused...); err != nil {
		s.note("clock-mapping", fmt.Sprintf("%v: start times come from timestamps bracketed by the host clock", err))
	}
	return nil
}

// renewClocks takes new pairs of the driver for those that have become old, so that drift
// between the clocks does not add up over a launch. A driver that has no pair any more
// leaves the last one.
func (s *Session) renewClocks() error {
	now, err := monotonicRaw()
	if err != nil || !s.clocks.known() {
		return err
	}
	refused := make([]error, len(s.team))
	err = s.each(func(i int, d *vk.Device) error {
		if !s.clocks.driver[i] || now-s.clocks.points[i].nanos < clockAge {
			return nil
		}
		p, err := calibrate(d, renewals)
		switch {
		case err == nil:
			s.clocks.points[i] = p
		case errors.Is(err, vk.ErrDeviceLost):
			return err
		default:
			s.clocks.driver[i], refused[i] = false, err
		}
		return nil
	})
	if refusal := errors.Join(refused...); refusal != nil {
		s.note("clock-mapping", fmt.Sprintf("%v: start times come from the pair of clocks before", refusal))
	}
	return err
}

// calibrate takes the driver's own pairs and keeps the tightest.
func calibrate(d *vk.Device, times int) (clockPoint, error) {
	best := clockPoint{deviation: ^uint64(0)}
	for range times {
		ticks, nanos, deviation, err := d.Calibrate()
		if err != nil {
			return best, err
		}
		if deviation < best.deviation {
			best = clockPoint{ticks, nanos, deviation}
		}
	}
	return best, nil
}

// errClock says that a device's calibrated clock is not the one its commands write.
var errClock = errors.New("calibrated clock does not match the timestamps of commands")

// confirm checks that a real timestamp, mapped, lies between the host readings
// around it.
func confirm(ctx context.Context, d *vk.Device, p clockPoint) error {
	b, err := newBracket(d)
	if err != nil {
		return err
	}
	ticks, before, after, err := b.take(ctx)
	if err := errors.Join(err, b.close()); err != nil {
		return err
	}
	at, slack := p.host(d, ticks), float64(p.deviation)+clockSlack
	if at < float64(before)-slack || at > float64(after)+slack {
		return fmt.Errorf("%w on %s: off by %.3g s", errClock, d.Info().Name, (at-float64(after))*1e-9)
	}
	return nil
}

// bracketed makes a pair of the tightest of several brackets: its middle, give
// or take half its width.
func bracketed(ctx context.Context, d *vk.Device) (clockPoint, error) {
	best := clockPoint{deviation: ^uint64(0)}
	b, err := newBracket(d)
	if err != nil {
		return best, err
	}
	for range brackets {
		ticks, before, after, err := b.take(ctx)
		if err != nil {
			return best, errors.Join(err, b.close())
		}
		if half := uint64(after-before) / 2; half < best.deviation {
			best = clockPoint{ticks, before + (after-before)/2, half}
		}
	}
	return best, b.close()
}

// bracket writes one timestamp at a time between two readings of the host clock.
type bracket struct {
	device   *vk.Device
	queries  *vk.Queries
	commands *vk.Commands
}

func newBracket(d *vk.Device) (*bracket, error) {
	q, err := d.NewQueries(1)
	if err != nil {
		return nil, err
	}
	c, err := d.Record([]vk.Op{{Kind: vk.OpTimestamp, Queries: q}})
	if err != nil {
		return nil, errors.Join(err, q.Close())
	}
	return &bracket{d, q, c}, nil
}

func (b *bracket) close() error { return errors.Join(b.commands.Close(), b.queries.Close()) }

func (b *bracket) take(ctx context.Context) (ticks uint64, before, after int64, err error) {
	if err = b.queries.Reset(); err != nil {
		return
	}
	if before, err = monotonicRaw(); err != nil {
		return
	}
	if err = b.device.Do(ctx, b.commands); err != nil {
		return
	}
	if after, err = monotonicRaw(); err != nil {
		return
	}
	out := make([]uint64, 1)
	err = b.queries.Read(out)
	return out[0], before, after, err
}

// clockSlack allows for the resolution of either clock, in nanoseconds.
const clockSlack = 2000

func monotonicRaw() (int64, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &t); err != nil {
		return 0, fmt.Errorf("clock_gettime: %w", err)
	}
	return t.Nano(), nil
}

func (c *clocks) known() bool { return len(c.points) > 0 }

// host maps ticks of device i to host nanoseconds.
func (c *clocks) host(i int, d *vk.Device, ticks uint64) float64 { return c.points[i].host(d, ticks) }

// host maps ticks to host nanoseconds. Ticks may lie before or after the pair.
func (p clockPoint) host(d *vk.Device, ticks uint64) float64 {
	ahead := d.SubTicks(ticks, p.ticks)
	if behind := d.SubTicks(p.ticks, ticks); behind < ahead {
		return float64(p.nanos) - d.TicksToSeconds(behind)*1e9
	}
	return float64(p.nanos) + d.TicksToSeconds(ahead)*1e9
}
