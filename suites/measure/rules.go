package measure

import "fmt"

// Rules are the parameters of the measuring protocol (docs/measuring.md) that hold inside one launch;
// times are in seconds.
type Rules struct {
	SampleLength float64 // a sample lasts at least this long

	WarmMinSamples int     // warm-up takes at least this many samples
	WarmMinBusy    float64 // and keeps the devices busy at least this long
	WarmCap        float64 // and gives up after this time
	Window         int     // samples in a warm-up window
	Agreement      float64 // relative difference of the medians of two windows
	Trend          float64 // Mann-Kendall p above which there is no trend
	ClockSpread    float64 // of a device's clock within a window, over its median, below this

	MinSamples int     // samples before the precision is looked at
	Step       int     // and again every Step samples
	LongSample float64 // a sample longer than this needs only MinLong samples
	MinLong    int
	Precision  float64 // relative half-width of the interval of the median (h)
	MaxSamples int
	MaxTime    float64
}

// Defaults are the rules of the default and release presets.
func Defaults(software bool) Rules {
	r := Rules{
		SampleLength:   10e-3,
		WarmMinSamples: 5, WarmMinBusy: 0.5, WarmCap: 10,
		Window: 8, Agreement: 0.005, Trend: 0.10, ClockSpread: 0.02,
		MinSamples: 20, Step: 5, LongSample: 0.25, MinLong: 3,
		Precision: 0.01, MaxSamples: 200, MaxTime: 10,
	}
	if software {
		r.SampleLength = 1e-3
	}
	return r
}

// Quick are the rules of the quick preset: the same method on a small budget,
// so that the quick set ends within two minutes on two CPU cores.
func Quick(software bool) Rules {
	r := Defaults(software)
	r.WarmMinBusy, r.WarmCap, r.MaxTime = 0.1, 0.5, 0.5
	return r
}

// Within are the rules with sampling bounded by maxTime. The warm-up is bounded too,
// but keeps as much again as its minimum: a launch that had no time to become steady
// could not be told from one that does not.
func (r Rules) Within(maxTime float64) Rules {
	r.MaxTime = maxTime
	r.WarmCap = min(r.WarmCap, max(maxTime, 2*r.WarmMinBusy))
	return r
}

// Floor is what a sample must be long against, in seconds; 0: not known.
type Floor struct {
	EmptyGate   float64 // an empty step on the same team
	Granularity float64 // least time that the team's timestamps tell apart, of the coarsest device
}

// A sample lasts at least this many empty steps and steps of a device's clock.
const (
	gatesPerSample = 100
	ticksPerSample = 1000
)

// Length is how long a sample must last at least, in seconds (measurement.md M4).
func (r Rules) Length(f Floor) float64 {
	return max(r.SampleLength, gatesPerSample*f.EmptyGate, ticksPerSample*f.Granularity)
}

// Check refuses rules that cannot end or cannot measure.
func (r Rules) Check() error {
	switch {
	case r.SampleLength < 0 || r.WarmMinBusy < 0 || r.WarmCap < 0 || r.LongSample < 0:
		return fmt.Errorf("sampling: times must not be negative")
	case r.Window < 2 || r.Step < 1 || r.MinSamples < 1 || r.MinLong < 1:
		return fmt.Errorf("sampling: window of %d, step of %d, at least %d samples: all must be positive", r.Window, r.Step, r.MinSamples)
	case r.MaxSamples < 1:
		return fmt.Errorf("sampling: at most %d samples: use 1 or more", r.MaxSamples)
	case !(r.MaxTime > 0):
		return fmt.Errorf("sampling: %g s per launch: use more than 0", r.MaxTime)
	case !(r.Precision > 0 && r.Precision < 1):
		return fmt.Errorf("sampling: precision %g: use a fraction between 0 and 1, such as 0.01", r.Precision)
	}
	return nil
}
