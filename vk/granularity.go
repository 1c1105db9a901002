package vk

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// granularityTicks is how many timestamps TimestampGranularity compares
// (measurement.md M4).
const granularityTicks = 1000

// ErrStandstill says that timestamps written back to back are all the same.
var ErrStandstill = errors.New("timestamps do not move")

// tickStep keeps what was measured of an adapter.
type tickStep struct {
	sync.Mutex
	seconds float64 // 0: not measured
}

// TimestampGranularity measures the least time in seconds that timestamps of the
// device tell apart: the smallest non-zero difference between neighbours among 1000
// written back to back. TimestampPeriod is only their unit: a counter may count in
// larger steps. It is measured on the first device that an adapter opens and known of
// the others. ErrUnsupported where the queue has no timestamps, ErrStandstill where all
// of them are equal.
func (d *Device) TimestampGranularity(ctx context.Context) (seconds float64, err error) {
	known := &d.adapter.step
	known.Lock()
	defer known.Unlock()
	if known.seconds == 0 {
		known.seconds, err = d.measureStep(ctx)
	}
	return known.seconds, err
}

func (d *Device) measureStep(ctx context.Context) (float64, error) {
	q, err := d.NewQueries(granularityTicks)
	if err != nil {
		return 0, err
	}
	ticks, err := d.backToBack(ctx, q)
	if err := errors.Join(err, q.Close()); err != nil {
		return 0, err
	}
	step := leastStep(ticks, d.tickMask())
	if step == 0 {
		return 0, fmt.Errorf("%d in a row on %s: %w", granularityTicks, d.name, ErrStandstill)
	}
	return d.TicksToSeconds(step), nil
}

// backToBack writes all timestamps of a pool in one command buffer.
func (d *Device) backToBack(ctx context.Context, q *Queries) ([]uint64, error) {
	ops := make([]Op, q.n)
	for i := range ops {
		ops[i] = Op{Kind: OpTimestamp, Queries: q, Query: i}
	}
	c, err := d.Record(ops)
	if err != nil {
		return nil, err
	}
	ticks := make([]uint64, q.n)
	if err = d.Do(ctx, c); err == nil {
		err = q.Read(ticks)
	}
	return ticks, errors.Join(err, c.Close())
}

// leastStep is the smallest non-zero difference between neighbours, modulo the width
// of the counter; 0 where all are equal.
func leastStep(ticks []uint64, mask uint64) uint64 {
	var least uint64
	for i := 1; i < len(ticks); i++ {
		if step := (ticks[i] - ticks[i-1]) & mask; step != 0 && (least == 0 || step < least) {
			least = step
		}
	}
	return least
}
