package stat

import (
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// launch is a trial that may be used for rates.
type launch struct {
	trial   *result.Trial
	times   []float64 // seconds of one iteration: valid, positive and finite
	seconds float64   // their median
}

// newLaunch returns false for a trial without a usable sample.
func newLaunch(t *result.Trial) (launch, bool) {
	l := launch{trial: t, times: t.Samples}
	unusable := func(seconds float64) bool { return !usable(seconds) }
	if len(t.Invalid) > 0 || slices.ContainsFunc(t.Samples, unusable) {
		l.times = nil
		valid := t.Valid()
		for i, seconds := range t.Samples {
			if usable(seconds) && valid.Of(i) {
				l.times = append(l.times, seconds)
			}
		}
	}
	if len(l.times) == 0 {
		return l, false
	}
	l.seconds = Median(l.times)
	return l, l.work() < tooLarge
}

// ValidTimes are the samples of a trial that statistics use, in seconds: those during
// which nothing physical happened, positive and finite. The slice may be that of t.
func ValidTimes(t *result.Trial) []float64 {
	l, _ := newLaunch(t)
	return l.times
}

// tooLarge bounds work and times to what can be divided without overflow; no
// real value comes near it.
const tooLarge = 1e100

func usable(seconds float64) bool { return seconds > 1/tooLarge && seconds < tooLarge }

// work is the nominal work of one iteration; for a trial that declares none, the
// number of one-device problems done, so that ratios of rates remain right.
func (l launch) work() float64 {
	switch {
	case l.trial.Work.Value > 0:
		return l.trial.Work.Value
	case l.trial.Mode == "weak":
		return float64(l.trial.Count)
	}
	return 1
}

// rate is work per second.
func (l launch) rate() float64 { return l.work() / l.seconds }

// rates is the rate of each sample.
func (l launch) rates() []float64 {
	out := make([]float64, len(l.times))
	for i, t := range l.times {
		out[i] = l.work() / t
	}
	return out
}

// mayRate tells whether a status leaves a rate that may be printed.
func mayRate(status string) bool {
	return status == result.OK || status == result.Throttled || status == result.AbovePeak
}
