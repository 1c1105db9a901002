package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// fake is a session on a clock of its own: at(i) is the time of one iteration
// of the i-th sample.
type fake struct {
	at    func(i int) float64
	clock time.Time
	reps  []int
	times bool
	fail  int // the sample that fails, from 1; 0: none
}

var errLost = errors.New("device lost")

func (f *fake) Sample(_ context.Context, reps int) (Sample, error) {
	i := len(f.reps)
	f.reps = append(f.reps, reps)
	if f.fail > 0 && i+1 >= f.fail {
		return Sample{}, errLost
	}
	s := Sample{Seconds: f.at(i), Spans: []result.Span{{Label: fmt.Sprint(i)}}}
	f.clock = f.clock.Add(time.Duration(s.Seconds * float64(reps) * 1e9))
	if f.times {
		s.Times = &result.SampleTimes{Skew: 0.2 * s.Seconds * float64(reps)}
	}
	return s, nil
}

func (f *fake) now() time.Time { return f.clock }

func measureFake(t *testing.T, f *fake, r Rules) Run {
	t.Helper()
	run, err := Meter{Rules: r, Now: f.now}.Measure(t.Context(), f, Floor{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func noisy(mean, sd float64, seed uint64) func(int) float64 {
	rng := rand.New(rand.NewPCG(seed, 7))
	return func(int) float64 { return mean * math.Exp(sd*rng.NormFloat64()) }
}

func TestSteadyStopsByPrecision(t *testing.T) {
	f := &fake{at: noisy(20e-3, 0.002, 1)}
	run := measureFake(t, f, Defaults(false))
	if run.Stop != StopPrecision || len(run.Samples) != 20 || run.Reps != 1 {
		t.Errorf("stop %s after %d samples of %d iterations", run.Stop, len(run.Samples), run.Reps)
	}
	if !run.Warmup.Steady || run.Warmup.Samples < 25 || run.Warmup.Seconds < 0.5 {
		t.Errorf("warm-up %+v, want steady after at least 0.5 s of 20 ms samples", run.Warmup)
	}
	sorted := slices.Sorted(slices.Values(run.Samples))
	first := len(f.reps) - len(run.Samples)
	want := fmt.Sprint(first + slices.Index(run.Samples, sorted[9]))
	if len(run.Spans) != 1 || run.Spans[0].Label != want {
		t.Errorf("spans %+v, want those of sample %s", run.Spans, want)
	}
}

func TestNoiseNeedsMoreSamples(t *testing.T) {
	few := measureFake(t, &fake{at: noisy(20e-3, 0.005, 3)}, Defaults(false))
	many := measureFake(t, &fake{at: noisy(20e-3, 0.04, 3)}, Defaults(false))
	if many.Stop != StopPrecision || len(many.Samples) <= len(few.Samples) || len(many.Samples)%5 != 0 {
		t.Errorf("%d samples at 0.5 %%, %d at 4 %% (%s)", len(few.Samples), len(many.Samples), many.Stop)
	}
	hopeless := measureFake(t, &fake{at: noisy(11e-3, 0.5, 3)}, Defaults(false))
	if hopeless.Stop != StopMaxSamples || len(hopeless.Samples) != 200 {
		t.Errorf("stop %s after %d samples", hopeless.Stop, len(hopeless.Samples))
	}
}

func TestMaxTime(t *testing.T) {
	r := Quick(true)
	run := measureFake(t, &fake{at: noisy(0.1, 0.2, 5)}, r)
	if run.Stop != StopMaxTime || len(run.Samples) < r.MinLong || len(run.Samples) > 7 {
		t.Errorf("stop %s after %d samples of 0.1 s", run.Stop, len(run.Samples))
	}
	// One sample beyond the whole budget: three are taken all the same.
	run = measureFake(t, &fake{at: noisy(2, 0.2, 5)}, r)
	if run.Stop != StopMaxTime || len(run.Samples) != 3 {
		t.Errorf("stop %s after %d samples of 2 s", run.Stop, len(run.Samples))
	}
}

// TestShortTimeLeavesWarmUp: bounding the time must not make each launch unsteady.
func TestShortTimeLeavesWarmUp(t *testing.T) {
	for _, r := range []Rules{Defaults(true).Within(0.05), Quick(true).Within(0.05)} {
		run := measureFake(t, &fake{at: noisy(5e-3, 0.002, 1)}, r)
		if !run.Warmup.Steady || run.Warmup.Seconds > 1 || run.Stop != StopMaxTime {
			t.Errorf("warm-up %+v, stop %s", run.Warmup, run.Stop)
		}
	}
	if r := Defaults(false).Within(60); r.WarmCap != 10 || r.MaxTime != 60 {
		t.Errorf("%+v", r)
	}
}

func TestLongSamplesNeedFewer(t *testing.T) {
	run := measureFake(t, &fake{at: func(int) float64 { return 0.3 }}, Defaults(false))
	// 3 have no interval; the next look is 5 later.
	if run.Stop != StopPrecision || len(run.Samples) != 8 {
		t.Errorf("stop %s after %d samples of 0.3 s", run.Stop, len(run.Samples))
	}
}

func TestCalibration(t *testing.T) {
	// The first iteration is 50 times slower (pipelines, page faults).
	at := func(i int) float64 {
		if i == 0 {
			return 5e-4
		}
		return 1e-5
	}
	f := &fake{at: at}
	run := measureFake(t, f, Defaults(false))
	if got := run.Samples[0] * float64(run.Reps); got < 10e-3 || got > 20e-3 {
		t.Errorf("samples last %g s (%d iterations), want 10 ms or little more", got, run.Reps)
	}
	for i := 1; i < len(f.reps); i++ {
		if f.reps[i] > 10*f.reps[i-1] {
			t.Errorf("iterations jump from %d to %d", f.reps[i-1], f.reps[i])
		}
	}
}

// limited cannot repeat more than 7 times.
type limited struct{ *fake }

func (limited) MaxReps() int { return 7 }

func TestSessionsMayLimitRepetitions(t *testing.T) {
	f := &fake{at: noisy(1e-4, 0.001, 1)}
	run, err := Meter{Rules: Defaults(false), Now: f.now}.Measure(t.Context(), limited{f}, Floor{})
	if err != nil || run.Reps != 7 || slices.Max(f.reps) != 7 {
		t.Errorf("%d repetitions, at most %d (%v); want the limit of 7", run.Reps, slices.Max(f.reps), err)
	}
}

func TestSampleLengthFollowsEmptyGate(t *testing.T) {
	f := &fake{at: noisy(1e-3, 0.001, 1)}
	run, err := Meter{Rules: Defaults(true), Now: f.now}.Measure(t.Context(), f, Floor{EmptyGate: 200e-6})
	if err != nil || run.Reps < 20 {
		t.Errorf("%d iterations of 1 ms at an empty gate of 0.2 ms (%v), want 20 or more", run.Reps, err)
	}
}

func TestSampleLengthFollowsGranularity(t *testing.T) {
	f := &fake{at: noisy(1e-3, 0.001, 1)}
	run, err := Meter{Rules: Defaults(true), Now: f.now}.Measure(t.Context(), f, Floor{Granularity: 30e-6})
	if err != nil || run.Reps < 30 {
		t.Errorf("%d iterations of 1 ms on a clock with steps of 30 us (%v), want 30 or more", run.Reps, err)
	}
	for _, c := range []struct {
		rules Rules
		floor Floor
		want  float64
	}{
		{Defaults(false), Floor{}, 10e-3},
		{Defaults(true), Floor{}, 1e-3},
		{Defaults(false), Floor{Granularity: 1e-6, EmptyGate: 20e-6}, 10e-3},
		{Defaults(true), Floor{Granularity: 1.5e-6, EmptyGate: 12e-6}, 1.5e-3},
		{Defaults(true), Floor{Granularity: 1.5e-6, EmptyGate: 30e-6}, 3e-3},
	} {
		if got := c.rules.Length(c.floor); math.Abs(got/c.want-1) > 1e-12 {
			t.Errorf("%+v with %g s otherwise: %g s, want %g s", c.floor, c.rules.SampleLength, got, c.want)
		}
	}
}

func TestRampIsWarmedThrough(t *testing.T) {
	// Clocks rise: 40 % slower at first, steady after 60 samples.
	n := noisy(1, 0.001, 9)
	run := measureFake(t, &fake{at: func(i int) float64 {
		return 20e-3 * n(i) * (1 + 0.4*max(0, 1-float64(i)/60))
	}}, Defaults(false))
	if !run.Warmup.Steady || run.Warmup.Samples < 60 {
		t.Errorf("warm-up %+v ended on the ramp", run.Warmup)
	}
	if m := stat.Median(run.Samples); math.Abs(m/20e-3-1) > 0.005 {
		t.Errorf("median %g, want 0.02", m)
	}
}

func TestRampShortensSamples(t *testing.T) {
	// After the ramp an iteration is 8 times faster: the sample grows again.
	run := measureFake(t, &fake{at: func(i int) float64 {
		if i < 10 {
			return 12e-3
		}
		return 1.5e-3
	}}, Defaults(false))
	if got := run.Samples[0] * float64(run.Reps); got < 10e-3 {
		t.Errorf("samples last %g s", got)
	}
}

func TestDriftIsNotSteady(t *testing.T) {
	r := Defaults(false)
	run := measureFake(t, &fake{at: func(i int) float64 { return 20e-3 * (1 + 0.0002*float64(i)) }}, r)
	if run.Warmup.Steady || run.Warmup.Seconds < r.WarmCap {
		t.Errorf("warm-up %+v", run.Warmup)
	}
}

func TestStepIsKept(t *testing.T) {
	// Ten samples are half as long again: they stay in the record.
	run := measureFake(t, &fake{at: func(i int) float64 {
		if i > 50 && i <= 60 {
			return 30e-3
		}
		return 20e-3 + 1e-6*float64(i%3)
	}}, func() Rules { r := Defaults(false); r.MinSamples = 60; return r }())
	slow := 0
	for _, s := range run.Samples {
		if s > 25e-3 {
			slow++
		}
	}
	if slow != 10 || len(run.Samples) < 60 {
		t.Errorf("%d of 10 outliers kept in %d samples", slow, len(run.Samples))
	}
}

func TestDeviceTimesAreAllOrNone(t *testing.T) {
	f := &fake{at: noisy(20e-3, 0.001, 1), times: true}
	if run := measureFake(t, f, Defaults(false)); len(run.Times) != len(run.Samples) {
		t.Errorf("%d times of %d samples", len(run.Times), len(run.Samples))
	}
	f = &fake{at: func(i int) float64 { f.times = i%4 != 0; return 20e-3 }}
	if run := measureFake(t, f, Defaults(false)); run.Times != nil {
		t.Errorf("%d times of %d samples kept though the clock fails now and then", len(run.Times), len(run.Samples))
	}
}

func TestCancelKeepsSamples(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := &fake{}
	n := noisy(20e-3, 0.2, 1)
	f.at = func(i int) float64 {
		if i == 600 {
			cancel()
		}
		return n(i)
	}
	r := Defaults(false)
	r.MaxSamples, r.MaxTime = 1000, 100
	run, err := Meter{Rules: r, Now: f.now}.Measure(ctx, f, Floor{})
	if !errors.Is(err, context.Canceled) || run.Stop != StopInterrupted {
		t.Fatalf("error %v, stop %q", err, run.Stop)
	}
	if want := 601 - 1 - run.Warmup.Samples; len(run.Samples) != want || len(run.Spans) != 1 {
		t.Errorf("%d samples and %d spans, want %d and 1", len(run.Samples), len(run.Spans), want)
	}
}

func TestFailures(t *testing.T) {
	for _, at := range []int{1, 3, 80} {
		f := &fake{at: noisy(20e-3, 0.2, 1), fail: at}
		r := Defaults(false)
		r.WarmCap = 1
		if _, err := (Meter{Rules: r, Now: f.now}).Measure(t.Context(), f, Floor{}); !errors.Is(err, errLost) {
			t.Errorf("failing at sample %d: %v", at, err)
		}
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		f := &fake{at: func(int) float64 { return bad }}
		if _, err := (Meter{Rules: Defaults(true)}).Measure(t.Context(), f, Floor{}); !errors.Is(err, ErrSample) {
			t.Errorf("sample of %v s: error %v", bad, err)
		}
	}
}

func TestRulesCheck(t *testing.T) {
	for i, spoil := range []func(*Rules){
		func(r *Rules) { r.Precision = 0 }, func(r *Rules) { r.Precision = math.NaN() },
		func(r *Rules) { r.MaxSamples = 0 }, func(r *Rules) { r.MaxTime = 0 },
		func(r *Rules) { r.Window = 1 }, func(r *Rules) { r.WarmCap = -1 },
	} {
		r := Defaults(false)
		spoil(&r)
		if r.Check() == nil {
			t.Errorf("case %d: %+v passed", i, r)
		}
	}
	for _, r := range []Rules{Defaults(false), Defaults(true), Quick(false), Quick(true)} {
		if err := r.Check(); err != nil {
			t.Error(err)
		}
	}
}
