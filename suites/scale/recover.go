package scale

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/amgpu/amgpu/report/result"
)

// Recovery is what a sweep does when a device fails.
type Recovery struct {
	// Retries are the tries after the first, each on fresh device state; then the
	// device is out, and its work goes to the others.
	Retries int
	// Backoff is the wait before the first of them; it doubles.
	Backoff time.Duration
	// Unfit looks at the sensors of a team's devices before a launch and names one that
	// is beyond a limit, with the limit; nil: nobody looks.
	Unfit func(ctx context.Context, team []int) (device int, why string, found bool)
}

// DefaultRecovery is what commands use unless told otherwise.
var DefaultRecovery = Recovery{Retries: 3, Backoff: 500 * time.Millisecond}

// Codes of warnings on trials that followed a failure.
const (
	Retried     = "retried"     // the launch was begun again
	Substituted = "substituted" // other devices than planned took part
)

// cell measures a cell on the devices planned for it or, where one of them fails for
// good, on others; where there are too few of them, they do its work once, so that
// its outcome is known and checked, and the trial is degraded.
func (s *Sweep) cell(ctx context.Context, c Cell, seen *ledger) result.Trial {
	var notes []result.Warning
	for {
		team := s.health.stead(c.Devices)
		lost := s.health.lost(c.Devices)
		now := c
		now.Devices = team
		how := s.trial
		switch {
		case len(team) == 0:
			t := s.begin(c)
			t.Status, t.Reason, t.Warnings = result.DeviceLost, "no device is left: "+s.whyOut(lost), notes
			return t
		case len(lost) > 0 && (len(team) < c.Count || c.Mode == Solo):
			how = func(ctx context.Context, now Cell, seen *ledger) (result.Trial, error) {
				return s.rescue(ctx, c, now, seen)
			}
			now.Count = len(team)
		}
		t, failed := s.try(ctx, now, seen, how, &notes)
		if failed {
			continue
		}
		if len(lost) > 0 && t.Status != result.Degraded && t.Count == c.Count {
			notes = append(notes, result.Warning{Code: Substituted, Text: "devices " + numbers(team) + " in place of " + numbers(c.Devices) + ": " + s.whyOut(lost)})
		}
		t.Warnings = append(t.Warnings, notes...)
		return t
	}
}

// try measures a cell, again after a wait while it fails in a way that may pass.
// failed: a device is out now and the cell is still to be measured.
func (s *Sweep) try(ctx context.Context, c Cell, seen *ledger, how func(context.Context, Cell, *ledger) (result.Trial, error), notes *[]result.Warning) (t result.Trial, failed bool) {
	if device, why, found := s.unfit(ctx, c.Devices); found && s.health.exclude(device) {
		s.health.failed(device, why)
		return t, true
	}
	wait := s.Recovery.Backoff
	for n := 0; ; n++ {
		var err error
		early := s.ask(c.Devices)
		t, err = how(ctx, c, seen)
		s.mark(&t, early, s.ask(c.Devices))
		if err == nil {
			delete(s.health.vain, cellID(c))
		}
		var fault *Fault
		if err == nil || t.Status == interrupted || !errors.As(err, &fault) || t.Status == result.WrongResult {
			return t, false
		}
		why := sentence(err)
		for _, device := range append([]int{fault.Device}, fault.Beside...) {
			s.health.failed(device, why)
		}
		again := reportsOf(&t)
		if n == s.Recovery.Retries || s.health.vain[cellID(c)] {
			out := t.Status == result.DeviceLost && s.health.exclude(fault.Device)
			s.health.vain[cellID(c)] = !out // its next launch fails like this one
			if out {                        // the cell is measured without it
				*notes = append(*notes, again...)
			}
			return t, out
		}
		*notes = append(append(*notes, again...), result.Warning{Code: Retried, Text: fmt.Sprintf("try %d of %d: %s", n+1, s.Recovery.Retries+1, why)})
		pause(ctx, wait)
		wait *= 2
		if ctx.Err() != nil {
			t.Status = interrupted
			return t, false
		}
	}
}

func (s *Sweep) unfit(ctx context.Context, team []int) (int, string, bool) {
	if s.Recovery.Unfit == nil {
		return 0, "", false
	}
	return s.Recovery.Unfit(ctx, team)
}

// rescue lets the devices that are left do the work of a cell once and checks it. The
// trial stays that of the planned devices and has no samples: what fewer devices
// need says nothing about its count.
func (s *Sweep) rescue(ctx context.Context, planned, now Cell, seen *ledger) (result.Trial, error) {
	t := s.begin(planned)
	session, err := s.Machine.Launch(ctx, now)
	if err == nil {
		facts := session.Facts()
		t.Work, t.Flops, t.Bytes = facts.Work, facts.Flops, facts.Bytes
		err = s.verify(ctx, session, now, &t, seen, facts.Shares)
		s.release(session, &t)
	}
	if err != nil {
		fail(ctx, &t, err)
		return t, err
	}
	t.Status = result.Degraded
	t.Reason = fmt.Sprintf("%s; its work was done by device %s and is correct, but is no sample of %d devices", s.whyOut(s.health.lost(planned.Devices)), numbers(now.Devices), planned.Count)
	return t, nil
}

// whyOut says why devices are out.
func (s *Sweep) whyOut(devices []int) string {
	var out []string
	for _, d := range devices {
		h := s.health.state[d]
		text := fmt.Sprintf("device %d is out: %s", d, h.Last)
		if h.Errors > 1 {
			text += fmt.Sprintf(" (failed %d times)", h.Errors)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func numbers(devices []int) string {
	out := make([]string, len(devices))
	for i, d := range devices {
		out[i] = fmt.Sprint(d)
	}
	return strings.Join(out, "+")
}

// Health lists the devices that had errors in the sweep so far.
func (s *Sweep) Health() []result.Health {
	if s.health == nil {
		return nil
	}
	return slices.Clone(s.health.report())
}
