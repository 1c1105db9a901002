package stat

import (
	"math"
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// balance is how evenly the devices of a row were busy, and how well that was known
// before; nil for one device and where nothing is known.
func (c *cell) balance() *result.Balance {
	if c.count < 2 {
		return nil
	}
	var sd, cv, dev, gap, expected, wrong []float64
	for _, l := range c.launches {
		if loads, wall := l.loads(); len(loads) > 1 {
			m, s := mean(loads), deviation(loads)
			if wall > 0 {
				sd = append(sd, s/wall)
			}
			if m > 0 {
				cv = append(cv, s/m)
			}
			if most := slices.Max(loads); most > 0 {
				gap = append(gap, (most-slices.Min(loads))/most)
			}
		}
		if counts := l.trial.Shares; len(counts) == l.trial.Count {
			var sum, most float64
			for _, n := range counts {
				sum += float64(n)
			}
			each := sum / float64(len(counts))
			for _, n := range counts {
				most = max(most, math.Abs(float64(n)-each))
			}
			if each > 0 {
				dev = append(dev, most/each)
			}
		}
		if d := l.trial.Division; d != nil && len(d.Estimated) == l.trial.Count {
			if last, took := slices.Max(d.Estimated), Median(l.times); last > 0 && took > 0 {
				expected, wrong = append(expected, last), append(wrong, (last-took)/took)
			}
		}
	}
	if len(cv)+len(dev)+len(expected) == 0 {
		return nil
	}
	over := func(xs []float64) *float64 {
		if len(xs) == 0 {
			return nil
		}
		m := mean(xs)
		return &m
	}
	return &result.Balance{UtilizationSD: over(sd), LoadCV: over(cv), CountDeviation: over(dev), MaxMin: over(gap), Expected: over(expected), Error: over(wrong)}
}

// loads is the mean compute time of each device over the valid samples of a launch, and
// their mean wall time, in seconds.
func (l launch) loads() (loads []float64, wall float64) {
	t := l.trial
	if t.Times.Len() == 0 || t.Times.Len() != len(t.Samples) {
		return nil, 0
	}
	loads = make([]float64, t.Count)
	n, valid := 0.0, t.Valid()
	for i, times := range t.Times.All() {
		if !usable(t.Samples[i]) || !valid.Of(i) || len(times.Compute) != t.Count {
			continue
		}
		for d := range loads {
			loads[d] += times.Compute[d]
		}
		wall += t.Samples[i]
		n++
	}
	if n == 0 {
		return nil, 0
	}
	for d := range loads {
		loads[d] /= n
	}
	return loads, wall / n
}

// deviation is the standard deviation of all of a population.
func deviation(xs []float64) float64 {
	m, sum := mean(xs), 0.0
	for _, x := range xs {
		sum += (x - m) * (x - m)
	}
	return math.Sqrt(sum / float64(max(1, len(xs))))
}
