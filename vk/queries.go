package vk

import (
	"fmt"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// Queries is a pool of timestamps of one device.
type Queries struct {
	device    *Device
	raw       raw.Queries
	n         int
	available []uint64
}

// NewQueries makes n timestamps; ErrUnsupported when the queue has none.
func (d *Device) NewQueries(n int) (*Queries, error) {
	if d.timestampBits() == 0 || d.Info().Limits.TimestampPeriod <= 0 {
		return nil, fmt.Errorf("timestamps on %s: %w", d.name, ErrUnsupported)
	}
	if n < 1 {
		return nil, fmt.Errorf("a pool of %d timestamps on %s", n, d.name)
	}
	q, code := d.raw.NewQueries(n)
	if err := d.call(code, "vkCreateQueryPool (%d timestamps)", n); err != nil {
		return nil, err
	}
	out := &Queries{d, q, n, make([]uint64, n)}
	d.queries[out] = struct{}{}
	return out, nil
}

// timestampBits is how many bits of a timestamp of the queue in use count.
func (d *Device) timestampBits() int { return d.Info().timestampBits(d.adapter.computeFamily()) }

// Reset makes all timestamps unwritten; no work that writes them may be under way.
func (q *Queries) Reset() error {
	q.device.raw.ResetQueries(q.raw, q.n)
	return nil
}

// Read copies raw ticks, masked to the valid bits. Timestamps that no command
// wrote since Reset read as 0. The work must be done.
func (q *Queries) Read(dst []uint64) error {
	d := q.device
	if len(dst) != q.n {
		return fmt.Errorf("read %d of %d timestamps", len(dst), q.n)
	}
	if err := d.call(d.raw.ReadQueries(q.raw, dst, q.available), "vkGetQueryPoolResults"); err != nil {
		return err
	}
	mask := d.tickMask()
	for i := range dst {
		if q.available[i] == 0 {
			dst[i] = 0
			continue
		}
		dst[i] &= mask
	}
	return nil
}

// Available says whether timestamp i was written when last read.
func (q *Queries) Available(i int) bool { return q.available[i] != 0 }

// Close frees the pool. Safe on nil and twice.
func (q *Queries) Close() error {
	if q == nil || q.device == nil || q.device.untouchable() {
		return nil
	}
	delete(q.device.queries, q)
	q.device.raw.FreeQueries(q.raw)
	q.device = nil
	return nil
}

func (d *Device) tickMask() uint64 {
	if bits := d.timestampBits(); bits < 64 {
		return 1<<bits - 1
	}
	return ^uint64(0)
}

// SubTicks is a-b modulo the width of the device's timestamps.
func (d *Device) SubTicks(a, b uint64) uint64 { return (a - b) & d.tickMask() }

// TicksToSeconds converts a difference of timestamps.
func (d *Device) TicksToSeconds(delta uint64) float64 {
	return float64(delta) * d.Info().Limits.TimestampPeriod * 1e-9
}

// Calibrate reads the device's clock and the host's CLOCK_MONOTONIC_RAW
// together; deviation is the driver's bound on their distance in nanoseconds.
func (d *Device) Calibrate() (ticks uint64, hostNanos int64, deviation uint64, err error) {
	if !d.raw.Calibration() {
		return 0, 0, 0, fmt.Errorf("calibrated timestamps on %s: %w", d.name, ErrUnsupported)
	}
	t, h, dev, code := d.raw.Calibrate()
	if err := d.call(code, "vkGetCalibratedTimestamps"); err != nil {
		return 0, 0, 0, err
	}
	return t & d.tickMask(), int64(h), dev, nil
}
