package sensor

import (
	"context"
	"math"
	"time"
)

// Rules of the idle guard (measurement.md M10): temperatures are steady when they
// change by less than a kelvin in ten seconds. Sensors resolve one kelvin, so within
// the window that means not at all.
const (
	settleSlope  = 0.1 // K/s
	settleWindow = 2 * time.Second
	settleStep   = 250 * time.Millisecond
)

// Settle waits until the temperatures of all devices are steady, at most for limit,
// or until the context ends. Where no device has a temperature it waits for limit.
func Settle(ctx context.Context, devices []*Device, limit time.Duration) {
	settle(ctx, devices, limit, sleep)
}

func settle(ctx context.Context, devices []*Device, limit time.Duration, wait func(context.Context, time.Duration)) {
	history := make([][]float64, len(devices))
	keep := int(settleWindow/settleStep) + 1
	for waited := time.Duration(0); waited < limit && ctx.Err() == nil; waited += settleStep {
		known, steady := false, true
		for i, d := range devices {
			r := d.Read(HeatOnly)
			t, ok := r.Value(Temperature)
			if !ok {
				continue
			}
			known = true
			history[i] = append(history[i], t)
			if n := len(history[i]); n < keep || math.Abs(t-history[i][n-keep]) >= settleSlope*settleWindow.Seconds() {
				steady = false
			}
		}
		if !known {
			wait(ctx, limit)
			return
		}
		if steady {
			return
		}
		wait(ctx, min(settleStep, limit-waited))
	}
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
