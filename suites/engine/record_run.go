package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/vk"
)

// span of wall time of one run of a recording, in CLOCK_MONOTONIC_RAW.
type wall struct {
	opened, done int64 // nanoseconds
	skew         int64 // between the signals of the start gate
	slowed       int64 // by which a fault kept a device busy longer, up to done
	slow         int   // that device, of the team
}

// run runs the recording once.
func (rec *recording) run(ctx context.Context, s *Session) (wall, error) {
	var w wall
	if rec.queries != nil {
		for i, q := range rec.queries {
			if !s.here(i) {
				continue
			}
			if err := q.Reset(); err != nil {
				return w, fmt.Errorf("%s: %w", s.label(i), err)
			}
		}
	}
	at := 0
	for n, p := range rec.parts {
		t, err := rec.runPart(ctx, s, n)
		if err != nil {
			return w, rec.at(err, at)
		}
		if n > 0 && at > 0 && at <= len(rec.moves) {
			rec.moves[at-1].resumed = t.Opened
		}
		for k := range t.PhaseDone {
			if at < len(rec.moves) {
				m := &rec.moves[at]
				m.from, m.to, m.copied = t.PhaseDone[k], t.PhaseMoved[k], t.PhaseCopied[k]
			}
			at++
		}
		if n == 0 {
			w.opened = t.Opened
			w.done = t.Opened // of a process that has no device in the team
			if len(t.Signalled) > 0 {
				w.skew = slices.Max(t.Signalled) - slices.Min(t.Signalled)
			}
		}
		for _, done := range t.Done {
			w.done = max(w.done, done)
		}
		if p.host != nil {
			if err := s.runHost(ctx, p.host); err != nil {
				return w, fmt.Errorf("host step %s: %w", p.host.Label, err)
			}
		}
	}
	return w, nil
}

// runPart runs one schedule. Where there are other processes the first one starts with
// theirs.
func (rec *recording) runPart(ctx context.Context, s *Session, n int) (vk.Timing, error) {
	sched := rec.parts[n].schedule
	job := s.spec.Job
	if job == nil {
		return sched.Run(ctx)
	}
	defer context.AfterFunc(ctx, job.Stop)()
	var at int64
	if n == 0 {
		var err error
		if at, err = job.Gate(ctx); err != nil {
			return vk.Timing{}, err
		}
	}
	if sched == nil {
		return vk.Timing{Opened: max(at, vk.Now())}, ctx.Err()
	}
	sched.OpenAt(at)
	return sched.Run(ctx)
}

// close frees schedules, command buffers and queries; nil is fine.
func (rec *recording) close(s *Session) error {
	if rec == nil {
		return nil
	}
	var errs []error
	for _, p := range rec.parts {
		errs = append(errs, p.schedule.Close())
	}
	errs = append(errs, s.each(func(i int, _ *vk.Device) error {
		var errs []error
		for _, c := range rec.commands[i] {
			errs = append(errs, c.Close())
		}
		if rec.queries != nil {
			errs = append(errs, rec.queries[i].Close())
		}
		return errors.Join(errs...)
	}))
	return errors.Join(errs...)
}
