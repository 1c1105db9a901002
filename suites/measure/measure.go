// Package measure takes the samples of one launch: it finds how many iterations
// make one sample, warms up to a steady rate and samples until the median is
// known well enough. It drives an interface and knows neither devices nor
// workloads. It records how it went (samples, warm-up, what stopped it) and
// judges nothing: report/stat derives every doubt from the record. The method is
// described in docs/measuring.md.
package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/amgpu/amgpu/report/result"
)

// Session is what is measured: fresh device state that can repeat an iteration.
type Session interface {
	// Sample runs reps iterations back to back and times them as one.
	Sample(ctx context.Context, reps int) (Sample, error)
}

// Limited is implemented by sessions that cannot repeat an iteration any number
// of times within one sample.
type Limited interface {
	MaxReps() int
}

// Sample is one timed repetition.
type Sample struct {
	Seconds float64             // wall time of one iteration
	Times   *result.SampleTimes // nil without usable device clocks
	Spans   []result.Span
}

// Run is what one launch left behind.
type Run struct {
	Samples []float64 // seconds of one iteration
	// Invalid are the samples during which something physical happened: they are kept,
	// and no stop rule and no statistic uses them.
	Invalid []result.InvalidSample
	Clocks  []float64 // median shader clock of each device, Hz; nil: not known
	Reps    int       // iterations per sample
	Times   []result.SampleTimes
	Spans   []result.Span // of the median valid sample
	Warmup  result.Warmup
	Stop    string // one of the Stop constants
}

// Why sampling stopped.
const (
	StopPrecision   = "precision"
	StopMaxSamples  = "max-samples"
	StopMaxTime     = "max-time"
	StopInterrupted = "interrupted"
)

// ErrSample says that a sample had no usable duration.
var ErrSample = errors.New("sample without a duration")

// Meter measures launches by one set of rules.
type Meter struct {
	Rules Rules
	Now   func() time.Time // nil: time.Now
}

// Measure takes one launch, with samples that are long against floor. On an error or
// a cancelled context it returns what was sampled so far beside the error.
func (m Meter) Measure(ctx context.Context, s Session, floor Floor) (Run, error) {
	if err := m.Rules.Check(); err != nil {
		return Run{}, err
	}
	if m.Now == nil {
		m.Now = time.Now
	}
	// The collector must not run inside a sample.
	runtime.GC()
	percent := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(percent)

	t := &taker{session: s, rules: m.Rules, now: m.Now, length: m.Rules.Length(floor)}
	run, err := t.run(ctx)
	run.Reps = t.reps
	if err != nil {
		run.Stop = StopInterrupted
	}
	return run, err
}

// taker holds what the three stages of a launch share.
type taker struct {
	session Session
	rules   Rules
	now     func() time.Time
	length  float64 // least seconds of a sample
	reps    int
	taken   []interval // of every sample that counts
	valid   []float64  // those that were valid when taken
}

func (t *taker) run(ctx context.Context) (Run, error) {
	var run Run
	if err := t.calibrate(ctx); err != nil {
		return run, fmt.Errorf("calibration: %w", err)
	}
	var err error
	if run.Warmup, err = t.warmUp(ctx); err != nil {
		return run, fmt.Errorf("warm-up: %w", err)
	}
	return run, t.sample(ctx, &run)
}

// one takes a sample and refuses a duration that no clock can have produced.
func (t *taker) one(ctx context.Context) (Sample, error) {
	if err := ctx.Err(); err != nil {
		return Sample{}, err
	}
	s, err := t.session.Sample(ctx, t.reps)
	if err != nil {
		return s, err
	}
	if !(s.Seconds > 0) || s.Seconds > 1e9 {
		return s, fmt.Errorf("%w: %v s for %d iterations", ErrSample, s.Seconds, t.reps)
	}
	return s, nil
}

// sample fills run until a stop rule applies.
func (t *taker) sample(ctx context.Context, run *Run) error {
	var spans [][]result.Span
	defer func() {
		t.conclude(run)
		run.Spans = medianSpans(run, spans)
		if len(run.Times) != len(run.Samples) { // clocks that fail now and then explain nothing
			run.Times = nil
		}
	}()
	start := t.now()
	atLeast := t.rules.MinSamples
	for {
		begin := t.now()
		s, err := t.one(ctx)
		if err != nil {
			return err
		}
		t.record(run, s, interval{begin, t.now()})
		spans = append(spans, slices.Clone(s.Spans))
		if s.Times != nil {
			run.Times = append(run.Times, *s.Times)
		}
		if s.Seconds*float64(t.reps) > t.rules.LongSample {
			atLeast = min(atLeast, t.rules.MinLong)
		}
		n, valid := len(run.Samples), len(t.valid)
		due := valid >= atLeast && (valid-atLeast)%t.rules.Step == 0
		switch {
		case due && precise(t.valid, t.rules.Precision):
			run.Stop = StopPrecision
		case n >= t.rules.MaxSamples:
			run.Stop = StopMaxSamples
		case n >= min(atLeast, t.rules.MinLong) && t.now().Sub(start).Seconds() >= t.rules.MaxTime:
			run.Stop = StopMaxTime
		default:
			continue
		}
		return nil
	}
}

// medianSpans returns the spans of the valid sample in the middle.
func medianSpans(run *Run, spans [][]result.Span) []result.Span {
	known := result.Trial{Samples: run.Samples, Invalid: run.Invalid}
	valid := known.Valid()
	var order []int
	for i := range run.Samples {
		if valid.Of(i) {
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return nil
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(run.Samples[a], run.Samples[b]) })
	return spans[order[(len(order)-1)/2]]
}
