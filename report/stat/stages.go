package stat

import (
	"math"
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// staged tells whether the devices of c do different things, as the stages of a pipeline.
func (c *cell) staged() bool {
	return slices.ContainsFunc(c.launches, func(l launch) bool { return l.trial.Staged })
}

// stageBound is the best efficiency that c's division by stages can reach, the median over
// its teams: what streams through a pipeline is as fast as the stage that takes longest for
// its operations. nil where it is not known: no row of one device, or devices of different
// models not all of which were measured alone.
func (s *series) stageBound(c *cell) *float64 {
	if s.base != 1 {
		return nil
	}
	uneven := s.uneven(c)
	var bounds []float64
	for _, l := range c.launches {
		b := stagesOf(l.trial, func(device int) float64 {
			if uneven {
				return s.solo[device]
			}
			return 1
		})
		if !(b > 0) {
			return nil
		}
		bounds = append(bounds, b)
	}
	b := Median(bounds)
	return &b
}

// stagesOf is the rate at which the slowest stage of a launch passes work on, over the sum of
// the devices' rates alone; 0 where a rate or the stages are not known.
func stagesOf(t *result.Trial, alone func(device int) float64) float64 {
	if !t.Staged || len(t.Shares) != len(t.Devices) {
		return 0
	}
	all, sum := 0.0, 0.0
	for _, n := range t.Shares {
		all += float64(n)
	}
	slowest := math.Inf(1)
	for i, d := range t.Devices {
		rate := alone(d)
		if rate == 0 {
			return 0
		}
		sum += rate
		if n := t.Shares[i]; n > 0 {
			slowest = min(slowest, rate*all/float64(n))
		}
	}
	if math.IsInf(slowest, 1) {
		return 0
	}
	return slowest / sum
}
