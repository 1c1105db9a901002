package stat

import (
	"fmt"

	"github.com/amgpu/amgpu/report/result"
)

// abovePeak says that the rate of c is above what its devices can do, the median
// over its launches; empty if it is not or if no peak is known.
func (c *cell) abovePeak(devices []result.Device) string {
	for _, kind := range []struct {
		what, unit string
		amount     func(*result.Trial) float64
		peak       func(*result.Peak) float64
	}{
		{"bandwidth", "B/s", func(t *result.Trial) float64 { return t.Bytes }, func(p *result.Peak) float64 { return p.BytesPerSecond }},
		{"arithmetic", "flop/s", func(t *result.Trial) float64 { return t.Flops }, func(p *result.Peak) float64 { return p.Flops }},
	} {
		var shares []float64
		most := 0.0
		for _, l := range c.launches {
			if kind.unit == "B/s" && inCache(devices, l.trial) {
				continue // a cache has another peak than the memory
			}
			if kind.unit == "flop/s" && arithmetic(l.trial) != result.DefaultArithmetic {
				continue // the peak that is known is that of fp32
			}
			peak := teamPeak(devices, l.trial.Devices, kind.peak)
			if peak > 0 {
				shares = append(shares, kind.amount(l.trial)/l.seconds/peak)
				most = peak
			}
		}
		if share := Median(shares); share > 1 {
			return fmt.Sprintf("%.2f times the peak %s of its devices (%.3g %s): served from a cache, or not all of the work was done", share, kind.what, most, kind.unit)
		}
	}
	return ""
}

// inCache says that the working set of a trial may be served by a cache: it is
// no more than twice the last level of a device of the team.
func inCache(devices []result.Device, t *result.Trial) bool {
	for _, d := range t.Devices {
		if d >= 0 && d < len(devices) && t.Resident > 0 && t.Resident <= 2*devices[d].Cache {
			return true
		}
	}
	return false
}

// teamPeak adds up the peaks of a team; 0 if one is not known.
func teamPeak(devices []result.Device, team []int, of func(*result.Peak) float64) float64 {
	sum := 0.0
	for _, d := range team {
		if d < 0 || d >= len(devices) || devices[d].Peak == nil || !(of(devices[d].Peak) > 0) {
			return 0
		}
		sum += of(devices[d].Peak)
	}
	return sum
}

// explainSuperlinear compares the working sets per device of c and of the base
// with the cache, as far as they are known. Where the memory of the arrays is not
// known the bytes moved by one iteration stand for the working set.
func (s *series) explainSuperlinear(c *cell) string {
	text := "superlinear: the efficiency is above 1 beyond its interval"
	share, whole := c.bytesPerDevice(), 0.0
	for _, r := range s.refs {
		whole = workingSet(r.trial, r.share)
	}
	if !(share > 0) || !(whole > 0) {
		return text + "; the cause is outside the model (cache, clock)"
	}
	text += fmt.Sprintf("; working set per device about %.3g MB against %.3g MB on %d", share/1e6, whole/1e6, s.base)
	if c.launches[0].trial.Resident == 0 {
		text += " (bytes of one iteration)"
	}
	cache := int64(0)
	for _, l := range c.launches {
		for _, d := range l.trial.Devices {
			if d < len(s.devices) && s.devices[d].Cache > cache {
				cache = s.devices[d].Cache
			}
		}
	}
	switch size := float64(cache); {
	case cache == 0:
		return text + ", size of the cache not known"
	case share <= size && size < whole:
		return text + fmt.Sprintf(": it fits the cache of %.3g MB only when divided", size/1e6)
	case whole <= size:
		return text + fmt.Sprintf(": both fit the cache of %.3g MB, look at the clock", size/1e6)
	}
	return text + fmt.Sprintf(": neither fits the cache of %.3g MB, look at the clock", float64(cache)/1e6)
}

// workingSet is the memory of a trial's arrays on one device, or the traffic of
// one iteration over the devices.
func workingSet(t *result.Trial, devices float64) float64 {
	if t.Resident > 0 {
		return float64(t.Resident)
	}
	return t.Bytes / devices
}

// bytesPerDevice is the working set of one device; 0: not known.
func (c *cell) bytesPerDevice() float64 {
	for _, l := range c.launches {
		return workingSet(l.trial, float64(c.count))
	}
	return 0
}
