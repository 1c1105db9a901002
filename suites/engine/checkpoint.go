package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/checkpoint"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
)

// Checkpoint interrupts the checked iteration between repetitions of the program's loop to
// save its state, and continues it from a saved one. What the workload names as its state
// (suites.Info.State) is all that the engine knows of it.
type Checkpoint struct {
	Every int64             // repetitions from one save to the next, above 0
	From  *checkpoint.State // where the iteration stands; nil: at its beginning
	Save  func(checkpoint.State) error
}

// loop is what a program can be interrupted in, and the steps behind it.
func loop(p *program.Program) (body program.Repeat, rest []program.Step, ok bool) {
	if len(p.Steps) == 0 {
		return body, nil, false
	}
	body, ok = p.Steps[0].(program.Repeat)
	return body, p.Steps[1:], ok
}

// Repetitions is how often the loop of a program repeats; 0: it has none.
func Repetitions(p *program.Program) int64 {
	body, _, _ := loop(p)
	return int64(body.Times)
}

// FitsState says why an iteration of a program cannot go on from a state; nil: it can.
func FitsState(info suites.Info, p *program.Program, st checkpoint.State) error {
	if times := Repetitions(p); st.Done < 1 || st.Done >= times {
		return fmt.Errorf("it stands after %d repetitions of %d", st.Done, times)
	}
	if len(st.Arrays) != len(info.State) {
		return fmt.Errorf("it holds %d arrays, the state of %s has %d", len(st.Arrays), info.ID, len(info.State))
	}
	for i, name := range info.State {
		a, ok := p.Array(name)
		if have := st.Arrays[i]; !ok || have.Name != name || int64(len(have.Words)) != a.Units*a.Stride {
			return fmt.Errorf("its array %d is %s of %d words, which does not fit %s", i, have.Name, len(have.Words), name)
		}
	}
	return nil
}

// inParts runs one iteration, whose inputs are made, in parts that end where its state is
// saved. What the last part leaves is what one run leaves.
func (s *Session) inParts(ctx context.Context) (err error) {
	c := s.spec.Checkpoint
	body, rest, ok := loop(s.prog)
	if !ok || len(s.info.State) == 0 {
		return fmt.Errorf("%s has no state that could be saved", s.info.ID)
	}
	done, times := int64(0), int64(body.Times)
	if c.From != nil {
		if err := s.restore(ctx, *c.From); err != nil {
			return err
		}
		done = c.From.Done
	}
	var rec *recording
	defer func() { err = errors.Join(err, rec.close(s)) }()
	for done < times {
		n := min(c.Every-done%c.Every, times-done)
		last := done+n == times
		if rec == nil || int64(rec.reps) != n || last {
			if err := rec.close(s); err != nil {
				return err
			}
			if rec, err = s.recordPart(ctx, int(n), body, rest, last); err != nil {
				return err
			}
		}
		if _, err := rec.run(ctx, s); err != nil {
			return err
		}
		done += n
		if last {
			break
		}
		st, err := s.state(ctx, done)
		if err == nil {
			err = c.Save(st)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recordPart records n repetitions of the loop, and with last the steps behind it.
func (s *Session) recordPart(ctx context.Context, n int, body program.Repeat, rest []program.Step, last bool) (*recording, error) {
	b := s.newBuilder()
	steps := []program.Step{program.Repeat{Times: n, Body: body.Body}}
	if last {
		steps = append(steps, rest...)
	}
	if err := b.steps(steps); err != nil {
		return nil, err
	}
	return s.record(ctx, b, n, false)
}

// state reads what the workload names as its state, divided arrays whole.
func (s *Session) state(ctx context.Context, done int64) (checkpoint.State, error) {
	st := checkpoint.State{Done: done}
	r := &reader{s: s, ctx: ctx, cache: map[readKey]cached{}}
	for _, name := range s.info.State {
		a, ok := s.prog.Array(name)
		if !ok || a.Distinct {
			return st, fmt.Errorf("state of %s: array %q is missing, or another one on every device", s.info.ID, name)
		}
		words, err := r.Words(name, 0, a.Units*a.Stride)
		if err != nil {
			return st, err
		}
		st.Arrays = append(st.Arrays, checkpoint.Array{Name: name, Words: words})
	}
	return st, nil
}

// restore writes a state to the devices, of divided arrays to each its share.
func (s *Session) restore(ctx context.Context, st checkpoint.State) error {
	if err := FitsState(s.info, s.prog, st); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return s.each(func(i int, d *vk.Device) error {
		for _, have := range st.Arrays {
			a, _ := s.prog.Array(have.Name)
			lo, hi, words := int64(0), a.Units, have.Words
			if share := s.prog.Shares[i]; a.Layout == program.Split {
				lo, hi, words = a.Halo, a.Halo+share.Len(), words[share.Lo*a.Stride:share.Hi*a.Stride]
			}
			if err := s.write(ctx, i, d, have.Name, lo, hi, words); err != nil {
				return err
			}
		}
		return nil
	})
}
