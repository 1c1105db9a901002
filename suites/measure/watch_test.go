package measure

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/report/result"
)

// watched is a fake whose devices are throttled while slow says so; late events are
// known only once the launch is over.
type watched struct {
	*fake
	slow func(i int) bool
	late func(i int) bool
	last int // samples taken when it was last asked
	// moving is how many samples the clock moves for.
	moving int
}

func (w *watched) index(begin time.Time) int {
	at := begin.Sub(time.Time{}).Seconds()
	for i, end := range w.ends() {
		if at < end-1e-9 {
			return i
		}
	}
	return -1
}

// ends is when each sample ended, on the fake's clock.
func (w *watched) ends() []float64 {
	var out []float64
	sum := 0.0
	for i, reps := range w.reps {
		sum += float64(time.Duration(w.at(i)*float64(reps)*1e9)) / 1e9
		out = append(out, sum)
	}
	return out
}

func (w *watched) Invalid(begin, end time.Time) (reason, detail string) {
	i := w.index(begin)
	again := len(w.reps) == w.last
	w.last = len(w.reps)
	switch {
	case i < 0 || !end.After(begin):
		return "no such sample", ""
	case w.slow != nil && w.slow(i):
		return result.InvalidThrottled, "thermal, device 0"
	case again && w.late != nil && w.late(i):
		return result.InvalidDevice, fmt.Sprint("memory error in sample ", i)
	}
	return "", ""
}

func (w *watched) Clocks(begin, end time.Time) []float64 {
	return []float64{end.Sub(begin).Seconds() * 1e9}
}

// ClockSpread: the clock moves for the first samples.
func (w *watched) ClockSpread(begin, _ time.Time) float64 {
	if w.index(begin) < w.moving {
		return 0.03
	}
	return 0.01
}

// TestWarmUpWaitsForTheClock: equal times are no steady state while a clock moves.
func TestWarmUpWaitsForTheClock(t *testing.T) {
	var samples []int
	for _, moving := range []int{0, 200} {
		w := &watched{fake: &fake{at: noisy(20e-3, .001, 1)}, moving: moving}
		run, err := Meter{Rules: Defaults(false), Now: w.now}.Measure(t.Context(), w, Floor{})
		if err != nil || !run.Warmup.Steady {
			t.Fatal(run.Warmup, err)
		}
		samples = append(samples, run.Warmup.Samples)
	}
	if samples[1] < 200 || samples[0] >= 100 {
		t.Errorf("warm-up took %d samples with a steady clock, %d with one that moved for 200", samples[0], samples[1])
	}
}

// TestInvalidSamplesAreKeptAndNotUsed: throttled samples stay in the record with
// their reason; the stop rule counts and the spans come from the others.
func TestInvalidSamplesAreKeptAndNotUsed(t *testing.T) {
	const first = 26 // calibration and warm-up take less
	w := &watched{fake: &fake{}, slow: func(i int) bool { return i >= first && i%3 == 0 }}
	steady := noisy(20e-3, .001, 1)
	times := map[int]float64{}
	w.at = func(i int) float64 { // asked twice: by the fake and by ends
		if _, known := times[i]; !known {
			times[i] = steady(i)
			if w.slow(i) {
				times[i] *= 3
			}
		}
		return times[i]
	}
	run, err := Meter{Rules: Defaults(false), Now: w.now}.Measure(t.Context(), w, Floor{})
	if err != nil {
		t.Fatal(err)
	}
	var slow []int
	for i, s := range run.Samples {
		if s > 50e-3 {
			slow = append(slow, i)
		}
	}
	var invalid []int
	for _, x := range run.Invalid {
		if x.Reason != result.InvalidThrottled || x.Detail != "thermal, device 0" {
			t.Errorf("%+v", x)
		}
		invalid = append(invalid, x.Index)
	}
	if len(slow) < 5 || !slices.Equal(slow, invalid) {
		t.Errorf("slow %v, invalid %v", slow, invalid)
	}
	if valid := len(run.Samples) - len(invalid); run.Stop != StopPrecision || valid != 20 {
		t.Errorf("stop %s after %d valid samples", run.Stop, valid)
	}
	at := len(w.reps) - len(run.Samples)
	for i, s := range run.Samples {
		if run.Spans[0].Label == fmt.Sprint(at+i) && s > 50e-3 {
			t.Error("the spans are those of an invalid sample")
		}
	}
	if len(run.Clocks) != 1 || run.Clocks[0] < 20*20e-3*1e9 {
		t.Errorf("clocks %v", run.Clocks)
	}
}

// TestLateEvents: what is reported only at the end still makes its sample invalid.
func TestLateEvents(t *testing.T) {
	w := &watched{fake: &fake{at: func(int) float64 { return .3 }}}
	w.late = func(i int) bool { return i == len(w.reps)-2 }
	run, err := Meter{Rules: Defaults(false), Now: w.now}.Measure(t.Context(), w, Floor{})
	if err != nil {
		t.Fatal(err)
	}
	want := []result.InvalidSample{{Index: len(run.Samples) - 2, Reason: result.InvalidDevice, Detail: fmt.Sprint("memory error in sample ", len(w.reps)-2)}}
	if d := cmp.Diff(want, run.Invalid); d != "" {
		t.Error(d)
	}
}

// TestThrottledThroughout: a launch without one valid sample ends at its limits.
func TestThrottledThroughout(t *testing.T) {
	w := &watched{fake: &fake{at: func(int) float64 { return 20e-3 }}, slow: func(int) bool { return true }}
	run, err := Meter{Rules: Defaults(false), Now: w.now}.Measure(t.Context(), w, Floor{})
	if err != nil || run.Stop != StopMaxSamples || len(run.Invalid) != len(run.Samples) || run.Spans != nil {
		t.Errorf("%v: stop %s, %d of %d invalid, spans %v", err, run.Stop, len(run.Invalid), len(run.Samples), run.Spans)
	}
}

// TestUnwatchedSessionsHaveNoInvalidSamples: slow samples alone are no reason (M12).
func TestUnwatchedSessionsHaveNoInvalidSamples(t *testing.T) {
	run := measureFake(t, &fake{at: noisy(20e-3, .3, 2)}, Quick(true))
	if run.Invalid != nil || run.Clocks != nil {
		t.Errorf("invalid %v, clocks %v", run.Invalid, run.Clocks)
	}
}
