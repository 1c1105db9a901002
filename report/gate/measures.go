package gate

import (
	"math"
	"slices"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// measures are what only limits look at, by the name in the rules. The first two have
// the intervals of the statistics; the others are one value a launch and the interval
// of their median. Each is nil where the row has no such value.
var measures = map[string]func(*side) *Effect{
	// Against one device.
	"speedup": func(s *side) *Effect { return againstBase(s, s.row.Speedup) },
	// The share of the time in which a device computes, mean over devices: what is
	// missing to 1 is waiting, exchange that is not hidden and hand-over. It is the parallel
	// efficiency of the factors, whose resampled intervals no verdict may rest on.
	"computing": func(s *side) *Effect {
		return s.perLaunch(func(busy, copying []float64) float64 {
			if slices.Max(busy) > 1.01 { // the device's clock disagrees with the host's
				return math.NaN()
			}
			all, _ := meanSD(busy)
			exchange, _ := meanSD(copying)
			return all - exchange
		})
	},
	// Copying that is not hidden behind computing over wall time, mean over devices.
	"exchange": func(s *side) *Effect {
		return s.perLaunch(func(_, copying []float64) float64 { mean, _ := meanSD(copying); return mean })
	},
	// Busy time over wall time of the least busy device.
	"utilisation": func(s *side) *Effect { return s.perLaunch(func(busy, _ []float64) float64 { return slices.Min(busy) }) },
	// Population standard deviation over devices of the same: 0.05 is 5 points.
	"utilisation_sd": func(s *side) *Effect {
		return s.perLaunch(func(busy, _ []float64) float64 { _, sd := meanSD(busy); return sd })
	},
	// Standard deviation over mean of the devices' busy times.
	"imbalance": func(s *side) *Effect {
		return s.perLaunch(func(busy, _ []float64) float64 { mean, sd := meanSD(busy); return sd / mean })
	},
	// Compulsory bytes per second over what the memory of the devices can do at most.
	"bandwidth": bandwidth,
	// Of shares that are handed out while the devices work.
	"handing":    handing,
	"prediction": prediction,
	// Of operations.
	"failures": failures,
	// Of memory and of dividing, which are no times of launches.
	"decision":     decision,
	"memory_used":  memoryUsed,
	"memory_saved": memorySaved,
}

// byDeviceClocks are those that take the times of devices.
var byDeviceClocks = []string{"computing", "exchange", "utilisation", "utilisation_sd", "imbalance"}

// DeviceTimes says whether the rules look at the times of devices, so that the new result
// has to be read with them. Of nil rules they do not.
func (r *Rules) DeviceTimes() bool {
	return r != nil && slices.ContainsFunc(r.Rows, func(rule Rule) bool {
		return rule.RatePerGPU.stated() || slices.ContainsFunc(byDeviceClocks, func(name string) bool { return rule.Measures[name].stated() })
	})
}

func ratio(e *Effect) *Effect {
	if e != nil {
		e.Unit = "1"
	}
	return e
}

// againstBase is a value that is 1 by definition on the base of the row.
func againstBase(s *side, v *result.Value) *Effect {
	e := ratio(valueEffect(v))
	if e != nil && s.row.Count == s.row.Base {
		e.Low, e.High = &e.Value, &e.Value
	}
	return e
}

func (s *side) launches(f func(*result.Trial) (float64, bool)) *Effect {
	var values []float64
	for _, t := range s.row.Trials {
		if t.Status != result.OK && t.Status != result.Throttled || len(stat.ValidTimes(t)) == 0 {
			continue
		}
		v, ok := f(t)
		if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		values = append(values, v)
	}
	m, ok := stat.MedianInterval(values)
	if !ok {
		return nil
	}
	return &Effect{Value: m.Median, Low: m.Low, High: m.High, Unit: "1"}
}

// perLaunch takes f of the devices' shares of the wall time in which they computed or
// copied, and in which they only copied, by their own clocks.
func (s *side) perLaunch(f func(busy, copying []float64) float64) *Effect {
	return s.launches(func(t *result.Trial) (float64, bool) {
		if t.Count < 1 || t.Times.Len() == 0 || t.Times.Len() != len(t.Samples) {
			return 0, false
		}
		busy, copying, wall := make([]float64, t.Count), make([]float64, t.Count), 0.0
		valid := t.Valid()
		for i, x := range t.Times.All() {
			if !valid.Of(i) {
				continue
			}
			if len(x.Compute) != t.Count || len(x.Transfer) != t.Count {
				return 0, false
			}
			for d := range busy {
				busy[d] += x.Compute[d] + x.Transfer[d]
				copying[d] += x.Transfer[d]
			}
			wall += t.Samples[i]
		}
		for d := range busy {
			busy[d] /= wall
			copying[d] /= wall
		}
		return f(busy, copying), true
	})
}

// meanSD is the mean and the population standard deviation.
func meanSD(xs []float64) (mean, sd float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		sd += (x - mean) * (x - mean) / float64(len(xs))
	}
	return mean, math.Sqrt(sd)
}

func bandwidth(s *side) *Effect {
	return s.launches(func(t *result.Trial) (float64, bool) {
		most := 0.0
		for _, d := range t.Devices {
			if d < 0 || d >= len(s.res.Devices) || s.res.Devices[d].Peak == nil {
				return 0, false
			}
			most += s.res.Devices[d].Peak.BytesPerSecond
		}
		v := t.Bytes / stat.Median(stat.ValidTimes(t)) / most
		return v, t.Bytes > 0 && most > 0
	})
}
