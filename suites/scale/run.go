package scale

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/suites/measure"
)

// Sweep measures planned cells.
type Sweep struct {
	Machine  Machine
	Observer Observer
	Pool     []result.Device
	Preset   Preset
	Now      func() time.Time // nil: time.Now
	// Rest waits before a launch until its devices have cooled down, at most for the
	// time given; nil: that time always.
	Rest func(ctx context.Context, c Cell, limit time.Duration)
	// Recovery is what happens when a device fails; its zero value tries nothing again.
	Recovery Recovery
	// Reported returns the critical errors that drivers reported of the devices of a team
	// since it was asked last; nil: nobody asks.
	Reported func(team []int) []Reported
	// Earlier are the trials of an interrupted sweep that this one completes: what they
	// computed must be computed again.
	Earlier []result.Trial

	health *health
}

// Run measures the cells in order. One failing cell never stops the others: it
// becomes a trial whose status and reason say what happened. Run itself fails
// when the context ends (with its cause) or a trial could not be kept.
func (s *Sweep) Run(ctx context.Context, cells []Cell) error {
	if s.Now == nil {
		s.Now = time.Now
	}
	seen := newLedger(s.Pool)
	seen.remember(s.Earlier, cells)
	s.health = newHealth(s.Pool)
	for i, c := range cells {
		if i > 0 {
			s.rest(ctx, c)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.Observer.Started(c, i, len(cells))
		t := s.cell(ctx, c, seen)
		if t.Status == interrupted {
			break
		}
		if err := s.Observer.Done(c, t, i+1, len(cells)); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (s *Sweep) rest(ctx context.Context, c Cell) {
	if s.Rest != nil && s.Preset.Idle > 0 {
		s.Rest(ctx, c, s.Preset.Idle)
		return
	}
	pause(ctx, s.Preset.Idle)
}

// pause waits for d or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// begin is the trial of a cell before anything is known of it.
func (s *Sweep) begin(c Cell) result.Trial {
	return result.Trial{
		Key: c.Key, Count: c.Count, Devices: c.Devices, Launch: c.Launch, Block: c.Block, Side: c.Side,
		Total: c.Total, Constants: c.Item.Constants, Started: s.Now().UTC(), Status: result.OK, Samples: []float64{},
		// The work unit is known even when the launch fails.
		Work: result.Work{Unit: c.Item.Workload.Info().WorkUnit},
	}
}

// Once measures one cell for itself: it is compared with no other launch, and a device
// that fails is not tried again.
func (s *Sweep) Once(ctx context.Context, c Cell) result.Trial {
	if s.Now == nil {
		s.Now = time.Now
	}
	t, err := s.trial(ctx, c, newLedger(s.Pool))
	if err != nil && t.Status == interrupted {
		t.Status, t.Reason = result.Skipped, sentence(err)
	}
	return t
}

// trial measures one cell on fresh device state. The error is in the trial too.
func (s *Sweep) trial(ctx context.Context, c Cell, seen *ledger) (result.Trial, error) {
	t := s.begin(c)
	session, err := s.Machine.Launch(ctx, c)
	if err != nil {
		fail(ctx, &t, err)
		return t, err
	}
	err = s.measure(ctx, session, c, &t, seen)
	if err != nil {
		fail(ctx, &t, err)
	}
	s.release(session, &t)
	return t, err
}

// release closes a session.
func (s *Sweep) release(session Session, t *result.Trial) {
	if m, ok := session.(Weigher); ok {
		t.HighWater, t.Memory = m.HighWater(), m.MemoryUse()
	}
	if err := session.Close(); err != nil && t.Status == result.OK {
		t.Warnings = append(t.Warnings, result.Warning{Code: "close", Text: "releasing the devices: " + sentence(err)})
	}
}

func (s *Sweep) measure(ctx context.Context, session Session, c Cell, t *result.Trial, seen *ledger) error {
	facts := session.Facts()
	t.Shares, t.Work, t.Flops, t.Bytes = facts.Shares, facts.Work, facts.Flops, facts.Bytes
	t.Staged, t.Arithmetic, t.Roof = facts.Staged, facts.Arithmetic, facts.Roof
	t.Granularity = facts.Granularity
	t.Via, t.Shaders, t.Variant = facts.Transport, facts.Shaders, facts.Variant
	t.Resident, t.Replicated = facts.Resident, facts.Replicated
	if d, ok := session.(Decider); ok {
		t.Decision = d.Decision()
	}
	t.Warnings = append(t.Warnings, facts.Warnings...)
	if facts.Total > 0 {
		t.Total = facts.Total
	}
	if err := s.verify(ctx, session, c, t, seen, t.Shares); err != nil {
		return err
	}
	gate, err := session.EmptyGate(ctx)
	if err != nil {
		return err
	}
	t.EmptyGate = gate
	floor := measure.Floor{EmptyGate: gate}
	if len(t.Granularity) > 0 {
		floor.Granularity = slices.Max(t.Granularity)
	}
	run, err := measure.Meter{Rules: s.Preset.Rules, Now: s.Now}.Measure(ctx, session, floor)
	if run.Samples != nil {
		t.Samples = run.Samples
	}
	after := session.Facts()
	t.Shares, t.Division = after.Shares, after.Division // shares handed out end where the last sample put them
	t.Reps, t.Times, t.Spans, t.Warmup, t.Stop = run.Reps, result.TimesOf(run.Times...), run.Spans, run.Warmup, run.Stop
	t.Invalid, t.Clocks = run.Invalid, run.Clocks
	if w, ok := session.(Watcher); ok && len(t.Samples) > 0 {
		w.Watched(t)
	}
	throttled(t)
	if w, ok := aboveWall(t); ok {
		t.Warnings = append(t.Warnings, w)
	}
	if err != nil {
		return err
	}
	wrong, err := session.Confirm(ctx)
	if err == nil && wrong != "" {
		err = &Failure{Status: result.WrongResult, Err: errors.New(wrong)}
	}
	return err
}

// verify checks an iteration and compares its outputs with those of other launches.
func (s *Sweep) verify(ctx context.Context, session Session, c Cell, t *result.Trial, seen *ledger, shares []int64) error {
	// At size S every output is compared once for each cell; its other launches
	// compare a sample, and by the digest all outputs with the first launch.
	full := c.Size.Label == "S" && !seen.checkedInFull(c)
	v, err := session.Verify(ctx, full)
	if err != nil {
		return err
	}
	t.Digest, t.CountDependent = v.Digest, v.CountDependent
	t.Check = &result.Check{Class: v.Outcome.Class, Checked: v.Outcome.Checked, Full: full, Worst: v.Outcome.Worst, SelfCheck: v.Outcome.SelfCheck}
	t.Outcome = outcomeOf(v.Outcome)
	if wrong := v.Outcome.Wrong; wrong != "" {
		return &Failure{Status: result.WrongResult, Err: errors.New(wrong)}
	}
	if err := seen.compare(c, shares, v); err != nil {
		return &Failure{Status: result.WrongResult, Err: err}
	}
	t.Verified = v.Outcome.Checked > 0 // else nothing was compared with a reference
	if full {
		seen.markFull(c)
	}
	return nil
}

// interrupted is the status of a launch cut short before it was worth keeping.
const interrupted = "interrupted"

// keptInterrupted is the number of samples from which an interrupted launch
// still counts.
const keptInterrupted = 3

// fail gives the trial the status of the error.
func fail(ctx context.Context, t *result.Trial, err error) {
	var f *Failure
	switch {
	case errors.As(err, &f) && (ctx.Err() == nil || f.Status == result.WrongResult):
		t.Status, t.Reason = f.Status, sentence(f)
	case ctx.Err() != nil:
		if (t.Verified || t.Unchecked()) && len(t.Samples) >= keptInterrupted {
			return // ok, with stop "interrupted"
		}
		t.Status = interrupted
	default:
		t.Status, t.Reason = result.Skipped, "failed: "+sentence(err)
		t.Warnings = append(t.Warnings, result.Warning{Code: InternalFailure, Text: sentence(err)})
	}
	switch t.Status {
	case result.WrongResult: // which sample went wrong is not known
		t.Verified = false
		t.Void(result.InvalidMismatch, "")
	case result.DeviceLost:
		t.Void(result.InvalidLost, "")
	}
}

// throttled gives a launch whose samples were throttled too often to be trusted the
// status that says so.
func throttled(t *result.Trial) {
	n, detail := 0, ""
	for _, x := range t.Invalid {
		if x.Reason == result.InvalidThrottled {
			n++
			detail = cmp.Or(detail, x.Detail)
		}
	}
	if float64(n) > stat.InvalidShare*float64(len(t.Samples)) {
		t.Status, t.Reason = result.Throttled, fmt.Sprintf("%d of %d samples while a device was throttled", n, len(t.Samples))
		if detail != "" {
			t.Reason += " (" + detail + ")"
		}
	}
}

// sentence is an error as one line: several devices that fail in the same way
// say so once.
func sentence(err error) string {
	var said []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	return strings.Join(said, "; ")
}

// InternalFailure is the code of the warning on a trial that was skipped
// because of an error with no row status of its own.
const InternalFailure = "failure"
