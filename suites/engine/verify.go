package engine

import (
	"context"
	"fmt"

	"github.com/amgpu/amgpu/suites"
)

// Verify makes fresh inputs, poisons the outputs, runs one iteration through
// the same schedule as the samples, digests the outputs on the devices and
// compares them with the workload's reference: all of them when full, else at
// least suites.MinSampled. Wrong values are in the Outcome, not in the error.
func (s *Session) Verify(ctx context.Context, full bool) (Verification, error) {
	v := Verification{CountDependent: s.prog.CountDependent}
	if err := s.iterate(ctx, s.spec.Checkpoint != nil); err != nil {
		return v, doing("checked iteration", err)
	}
	if err := s.fault.corrupt(ctx, s); err != nil {
		return v, err
	}
	digest, differ, err := s.digest(ctx)
	if err != nil {
		return v, doing("digest of the outputs", err)
	}
	v.Digest, s.checked = digest, digest
	out := &reader{s: s, ctx: ctx, cache: map[readKey]cached{}}
	v.Outcome, err = s.check(ctx, full, out)
	if err != nil {
		return v, fmt.Errorf("check of %s: %w", s.info.ID, err)
	}
	if differ != "" && v.Outcome.Wrong == "" {
		v.Outcome.Wrong = differ
	}
	if s.host != nil {
		wrong, failed := s.arrived(ctx)
		if v.Outcome.Wrong == "" {
			v.Outcome.Wrong = wrong
		}
		err = failed
	}
	return v, err
}

// check lets the workload compare outputs; other processes read for it.
func (s *Session) check(ctx context.Context, full bool, out *reader) (suites.Outcome, error) {
	if !s.leads() {
		return suites.Outcome{}, s.serve(ctx, out)
	}
	o, err := s.spec.Workload.Verify(&suites.Check{Build: s.spec.Build, Program: s.prog, Full: full, Out: out})
	if ended := s.served(ctx); err == nil {
		err = ended
	}
	return o, err
}

// iterate makes fresh inputs and runs setup and exactly one iteration: as it is sampled, or
// in parts, whose state is saved.
func (s *Session) iterate(ctx context.Context, parts bool) error {
	if err := s.fill(ctx); err != nil {
		return err
	}
	if s.host != nil { // the setup is part of every iteration
		if err := s.capture(ctx); err != nil {
			return err
		}
	} else if len(s.prog.Setup) > 0 {
		if s.setup == nil {
			rec, err := s.recordSetup(ctx)
			if err != nil {
				return err
			}
			s.setup = rec
		}
		if _, err := s.setup.run(ctx, s); err != nil {
			return err
		}
	}
	if parts {
		return s.inParts(ctx)
	}
	if err := s.prepare(ctx, 1); err != nil {
		return err
	}
	w, err := s.runOnce(ctx, 1)
	if err != nil {
		return err
	}
	seconds, err := s.longest(ctx, float64(w.done-w.opened)*1e-9)
	if err == nil {
		s.learn(seconds)
	}
	return err
}

// Confirm checks after the last sample that the devices still compute what was
// verified: it digests what the samples left behind or, for programs that change
// their inputs, the outcome of one more fresh iteration. wrong is empty when the
// digest is the checked one.
func (s *Session) Confirm(ctx context.Context) (wrong string, err error) {
	if s.prog.Evolves && s.host == nil || s.samples == 0 { // uploading makes every iteration the first
		if err := s.iterate(ctx, false); err != nil {
			return "", doing("last iteration", err)
		}
	}
	digest, differ, err := s.digest(ctx)
	switch {
	case err != nil:
		return "", doing("last digest", err)
	case differ != "":
		return "after the samples " + differ, nil
	case digest != s.checked:
		return fmt.Sprintf("the outputs changed while measuring: digest %s before, %s after the samples", s.checked, digest), nil
	}
	return "", nil
}
