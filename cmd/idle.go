package cmd

import (
	"context"
	"time"

	"github.com/amgpu/amgpu/vk/sensor"
)

// idlePower is the mean power of each device over a few seconds in which nothing
// runs: from its energy counter, else from power readings; nil without either.
func idlePower(ctx context.Context, set *sensor.Set) []*float64 {
	begin := idleReadings(set)
	timer := time.NewTimer(idleFor)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return idleMeans(begin, set)
}

// idleReadings are the readings at the begin of such a time, idleMeans the powers at its end.
func idleReadings(set *sensor.Set) []sensor.Reading {
	out := make([]sensor.Reading, len(set.Devices))
	for i, d := range set.Devices {
		out[i] = d.Read(1<<sensor.Energy | 1<<sensor.Power)
	}
	return out
}

func idleMeans(begin []sensor.Reading, set *sensor.Set) []*float64 {
	out := make([]*float64, len(set.Devices))
	for i, now := range idleReadings(set) {
		out[i] = meanPower(begin[i], now)
	}
	return out
}

func meanPower(a, b sensor.Reading) *float64 {
	ea, okA := a.Value(sensor.Energy)
	eb, okB := b.Value(sensor.Energy)
	if seconds := b.At.Sub(a.At).Seconds(); okA && okB && eb > ea && seconds > 0 {
		watts := (eb - ea) / seconds
		return &watts
	}
	pa, okA := a.Value(sensor.Power)
	pb, okB := b.Value(sensor.Power)
	if !okA || !okB {
		return nil
	}
	watts := (pa + pb) / 2
	return &watts
}
