package measure

import (
	"time"

	"github.com/amgpu/amgpu/report/result"
)

// Watched is implemented by sessions that notice what happens to their devices: it
// makes samples invalid (measurement.md M13). Times are those of Meter.Now.
type Watched interface {
	// Invalid says what happened to the devices between begin and end that makes a
	// sample taken then no evidence: one of the result.Invalid constants and which
	// event it was. An empty reason means that nothing did. It is asked right after a
	// sample, outside the timed interval, and again at the end of the launch, since
	// some events are reported late.
	Invalid(begin, end time.Time) (reason, detail string)
}

// Clocked is implemented by sessions that read the clocks of their devices (M24).
type Clocked interface {
	// Clocks are the median shader clocks between begin and end in Hz, in the order
	// of the devices; nil where one of them is not known.
	Clocks(begin, end time.Time) []float64
	// ClockSpread is how much the clock of one device differed between begin and end,
	// as a fraction of its median and for the device where that is largest; 0 where it
	// was not read twice.
	ClockSpread(begin, end time.Time) float64
}

// interval is when a sample was taken.
type interval struct{ begin, end time.Time }

// record keeps a sample with when it was taken and what happened meanwhile.
func (t *taker) record(run *Run, s Sample, at interval) {
	run.Samples = append(run.Samples, s.Seconds)
	t.taken = append(t.taken, at)
	if !t.judge(run, len(run.Samples)-1) {
		t.valid = append(t.valid, s.Seconds)
	}
}

// judge asks what happened during sample i and tells whether it made it invalid.
func (t *taker) judge(run *Run, i int) bool {
	w, ok := t.session.(Watched)
	if !ok {
		return false
	}
	reason, detail := w.Invalid(t.taken[i].begin, t.taken[i].end)
	if reason == "" {
		return false
	}
	run.Invalid = append(run.Invalid, result.InvalidSample{Index: i, Reason: reason, Detail: detail})
	return true
}

// conclude asks again about samples that were valid when they were taken, and reads
// the clocks of the whole launch.
func (t *taker) conclude(run *Run) {
	if len(t.taken) == 0 {
		return
	}
	known := result.Trial{Samples: run.Samples, Invalid: run.Invalid}
	valid := known.Valid()
	for i := range run.Samples {
		if valid.Of(i) {
			t.judge(run, i)
		}
	}
	if c, ok := t.session.(Clocked); ok {
		run.Clocks = c.Clocks(t.taken[0].begin, t.taken[len(t.taken)-1].end)
	}
}
