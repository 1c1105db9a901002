package stat

import (
	"github.com/amgpu/amgpu/report/result"
)

// bound is the best efficiency an equal split can reach with c's devices:
// N min X_i / sum X_i, the median over its teams (S9). nil when not known or when
// the devices are alike within 5 %. Devices of one model differ only on the
// evidence of several launches each: in few, noise looks like a slow card.
func (s *series) bound(c *cell) *float64 {
	alone := s.solo
	if !s.uneven(c) {
		launches := map[int]int{}
		for _, r := range s.refs {
			launches[r.device]++
		}
		for _, l := range c.launches {
			for _, d := range l.trial.Devices {
				if s.pooled || launches[d] < 3 {
					return nil
				}
			}
		}
	}
	var bounds []float64
	for _, l := range c.launches {
		sum, all := sumRates(alone, l.trial.Devices)
		if !all {
			return nil
		}
		least := sum
		for _, d := range l.trial.Devices {
			least = min(least, alone[d])
		}
		bounds = append(bounds, float64(len(l.trial.Devices))*least/sum)
	}
	if b := Median(bounds); b < 0.95 {
		return &b
	}
	return nil
}

// uneven tells whether the devices of c's teams are of different models.
func (s *series) uneven(c *cell) bool {
	var first *result.Device
	for _, l := range c.launches {
		for _, i := range l.trial.Devices {
			if i >= len(s.devices) {
				continue
			}
			d := &s.devices[i]
			if first == nil {
				first = d
			}
			if d.VendorID != first.VendorID || d.DeviceID != first.DeviceID || d.Name != first.Name {
				return true
			}
		}
	}
	return false
}

func sumRates(alone map[int]float64, devices []int) (sum float64, all bool) {
	for _, d := range devices {
		if alone[d] == 0 {
			return 0, false
		}
		sum += alone[d]
	}
	return sum, len(devices) > 0
}
