package engine

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/vk"
)

// measureGranularity measures how finely each device's timestamps count. Times of a
// device without timestamps, or whose timestamps do not move, are those of the host, so
// that the granularity of the host's clock counts instead.
func (s *Session) measureGranularity(ctx context.Context) error {
	finest := make([]float64, len(s.team))
	refused := make([]error, len(s.team))
	err := s.each(func(i int, d *vk.Device) (err error) {
		finest[i], refused[i], err = finestOf(d.TimestampGranularity(ctx))
		return err
	})
	if err != nil {
		return err
	}
	for i, err := range refused {
		if errors.Is(err, vk.ErrStandstill) {
			s.note("granularity", fmt.Sprintf("%v: samples are long against the host's clock instead, which counts in steps of %.3g s", err, finest[i]))
		}
	}
	lists, err := gather(ctx, s, finest)
	if err != nil {
		return err
	}
	for _, list := range lists { // a device of another process is 0 here
		for i, seconds := range list {
			finest[i] = max(finest[i], seconds)
		}
	}
	s.finest = finest
	return nil
}

// finestOf is what was measured of a device or, where it has no usable timestamps, the
// granularity of the host's clock; refused says why.
func finestOf(seconds float64, failed error) (finest float64, refused, err error) {
	if errors.Is(failed, vk.ErrUnsupported) || errors.Is(failed, vk.ErrStandstill) {
		finest, err = hostGranularity()
		return finest, failed, err
	}
	return seconds, nil, failed
}

// hostReadings is how many readings of the host's clock are compared.
const hostReadings = 1000

// hostGranularity is the smallest non-zero difference, in seconds, between readings
// back to back of the host's clock, or its resolution where all are equal.
func hostGranularity() (float64, error) {
	var list [hostReadings]int64
	for i := range list {
		var err error
		if list[i], err = monotonicRaw(); err != nil {
			return 0, err
		}
	}
	if step := leastStep(list[:]); step > 0 {
		return float64(step) * 1e-9, nil
	}
	var t unix.Timespec
	if err := unix.ClockGetres(unix.CLOCK_MONOTONIC_RAW, &t); err != nil {
		return 0, fmt.Errorf("clock_getres: %w", err)
	}
	return float64(t.Nano()) * 1e-9, nil
}

// leastStep is the smallest difference above zero between neighbours; 0: there is none.
func leastStep(list []int64) (least int64) {
	for i := 1; i < len(list); i++ {
		if step := list[i] - list[i-1]; step > 0 && (least == 0 || step < least) {
			least = step
		}
	}
	return least
}
