package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk"
)

// Time from when all ranks are ready until they start: frames must have arrived
// everywhere by then.
const (
	marginGPU      = time.Millisecond
	marginSoftware = 5 * time.Millisecond
)

// lead is what rank 0 keeps.
type lead struct {
	rank     *Rank
	clocks   *clocks
	op       uint64
	channels int
}

func newLead(r *Rank) *lead { return &lead{rank: r, clocks: newClocks(r.net.Size())} }

// ClockError is the most that the clock of a rank may have been off that of rank 0, which
// calls it, while a sample was taken, in seconds; 0: no sample rested on it.
func (r *Rank) ClockError(rank int) float64 { return float64(r.lead.clocks.mostOf(rank)) * 1e-9 }

// Session is a launch that rank 0 leads.
type Session struct {
	*engine.Session
	lead    *lead
	job     *job
	channel int
	started bool // the other ranks have it
}

// Launch launches a program on a team whose devices are those of Pool; home is the rank of
// each. A team of rank 0's devices alone is an ordinary launch.
func (r *Rank) Launch(ctx context.Context, spec engine.Spec, home []int) (*Session, error) {
	l := r.lead
	ranks := []int{0}
	for _, h := range home {
		if !slices.Contains(ranks, h) {
			ranks = append(ranks, h)
		}
	}
	slices.Sort(ranks)
	if err := r.Lost(); err != nil {
		return nil, err
	}
	if len(ranks) == 1 {
		s, err := engine.Launch(ctx, spec)
		return &Session{Session: s}, err
	}
	if spec.Dynamic != nil {
		return nil, fmt.Errorf("%w: --strategy dynamic hands out work within one process: use another --strategy", engine.ErrUnsupported)
	}
	if spec.Checkpoint != nil {
		return nil, fmt.Errorf("%w: checkpoints are of teams within one process", engine.ErrUnsupported)
	}
	for _, r := range ranks {
		if n := len(slices.DeleteFunc(slices.Clone(home), func(h int) bool { return h != r })); n > Lanes {
			return nil, fmt.Errorf("%w: %d devices of rank %d in one team: the most is %d", engine.ErrUnsupported, n, r, Lanes)
		}
	}
	l.channels++
	what := &launch{Channel: l.channels, Ranks: ranks, Home: home, Margin: marginGPU}
	for _, a := range spec.Adapters {
		what.Devices = append(what.Devices, a.Info().Index)
		if a.Info().Software() {
			what.Margin = marginSoftware
		}
	}
	if err := what.pick(spec); err != nil {
		return nil, err
	}
	j, err := newJob(r.pump, ranks, home, l.channels, what.Margin)
	if err != nil {
		return nil, err
	}
	j.clocks = l.clocks
	s := &Session{lead: l, job: j, channel: l.channels, started: true}
	spec.Job, spec.Build = j, what.build()
	err = s.do(ctx, order{What: doLaunch, Launch: what}, func(ctx context.Context) (err error) {
		s.Session, err = engine.Launch(ctx, spec)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// do carries out an operation in all ranks of the launch: it asks the others, takes part
// in it, and waits until all are through. The error is that of the rank that failed first.
func (s *Session) do(ctx context.Context, o order, own func(context.Context) error) error {
	l := s.lead
	l.op++
	s.job.op, o.Session = l.op, s.channel
	p := l.rank.pump
	inner, end := p.begin(ctx, l.op)
	defer end()
	err := s.ask(o)
	if err == nil {
		err = own(inner)
	}
	if err != nil && inner.Err() != nil && ctx.Err() == nil { // ended by another rank
		err = cause(inner)
	}
	if err != nil {
		s.giveUp()
	}
	return s.settle(err)
}

// ask sends an order to the others; the clocks that need it are aligned before it begins.
func (s *Session) ask(o order) error {
	if o.What == doSample || o.What == doLaunch {
		for _, r := range s.job.ranks[1:] {
			if s.lead.clocks.stale(r, vk.Now()) {
				o.Align = append(o.Align, r)
			}
		}
	}
	body, err := encode(o)
	if err != nil {
		return err
	}
	for _, r := range s.job.ranks[1:] {
		if err := s.lead.rank.pump.send(r, frame{Kind: command, Op: s.lead.op, Body: body}); err != nil {
			return err
		}
	}
	return s.lead.align(o.Align)
}

// align reads the clocks of ranks that wait for it.
func (l *lead) align(ranks []int) error {
	for _, r := range ranks {
		began, there, over, err := l.rank.net.Ping(r, pings, l.rank.silence.Nanoseconds())
		if err == nil {
			err = l.clocks.add(r, began, there, over)
		}
		if err != nil {
			return &RankError{Rank: r, Node: l.rank.all[r].Node, Err: fmt.Errorf("reading its clock: %w", err)}
		}
	}
	return nil
}

// giveUp tells the others to stop.
func (s *Session) giveUp() {
	for _, r := range s.job.ranks[1:] {
		_ = s.lead.rank.pump.send(r, frame{Kind: abort, Op: s.job.op}) // who is gone has stopped
	}
}

// settle waits for the others and picks the error to report: what is under way there must be over
// before anything else begins. It waits as long as they live, and where the operation was given up
// no longer than its patience.
func (s *Session) settle(own error) error {
	var theirs error
	for _, r := range s.job.ranks[1:] {
		var f frame
		var err error
		if own != nil {
			f, err = s.lead.rank.over(r, s.job.is(done))
		} else {
			f, err = s.lead.rank.pump.next(context.Background(), r, s.job.is(done))
		}
		if err != nil { // a rank is lost: there is nothing to wait for
			return err
		}
		var rep report
		if err := decode(f.Body, &rep); err != nil {
			return err
		}
		if err := rep.Err.unpack(); err != nil {
			err = &RankError{Rank: r, Node: s.lead.rank.all[r].Node, Err: err}
			if theirs == nil || errors.Is(theirs, ErrAborted) {
				theirs = err
			}
		}
	}
	if theirs != nil && (own == nil || errors.Is(own, ErrAborted)) {
		return theirs
	}
	return own
}

// Verify is engine.Session's.
func (s *Session) Verify(ctx context.Context, full bool) (v engine.Verification, err error) {
	err = s.all(ctx, order{What: doVerify, Full: full}, func(ctx context.Context) (err error) {
		v, err = s.Session.Verify(ctx, full)
		return err
	})
	return v, err
}

// Sample is engine.Session's.
func (s *Session) Sample(ctx context.Context, reps int) (out engine.Sample, err error) {
	err = s.all(ctx, order{What: doSample, Reps: reps}, func(ctx context.Context) (err error) {
		out, err = s.Session.Sample(ctx, reps)
		return err
	})
	return out, err
}

// EmptyGate is engine.Session's.
func (s *Session) EmptyGate(ctx context.Context) (t float64, err error) {
	err = s.all(ctx, order{What: doGate}, func(ctx context.Context) (err error) {
		t, err = s.Session.EmptyGate(ctx)
		return err
	})
	return t, err
}

// Confirm is engine.Session's.
func (s *Session) Confirm(ctx context.Context) (wrong string, err error) {
	err = s.all(ctx, order{What: doConfirm}, func(ctx context.Context) (err error) {
		wrong, err = s.Session.Confirm(ctx)
		return err
	})
	return wrong, err
}

// Calibrate is engine.Session's. In several ranks rank 0 says how many samples are taken.
func (s *Session) Calibrate(ctx context.Context, atMost time.Duration) (t float64, err error) {
	if s.job == nil {
		return s.Session.Calibrate(ctx, atMost)
	}
	const most = 9 // samples
	if _, err := s.Verify(ctx, false); err != nil {
		return 0, err
	}
	var times []float64
	for begin := time.Now(); len(times) == 0 || len(times) < most && time.Since(begin) < atMost; {
		sample, err := s.Sample(ctx, 1)
		if err != nil {
			return 0, err
		}
		times = append(times, sample.Seconds)
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// ClockError is the most that the clocks of the ranks may have been apart while samples were
// taken, in seconds; 0 in one rank.
func (s *Session) ClockError() float64 {
	if s.job == nil {
		return 0
	}
	return float64(s.job.doubt) * 1e-9
}

// all runs an operation here alone, or in all ranks.
func (s *Session) all(ctx context.Context, o order, own func(context.Context) error) error {
	if s.job == nil {
		return own(ctx)
	}
	return s.do(ctx, o, own)
}

// Close frees the launch everywhere.
func (s *Session) Close() error {
	if s.job == nil {
		return s.Session.Close()
	}
	err := s.do(context.Background(), order{What: doClose}, func(context.Context) error {
		if s.Session == nil {
			return nil
		}
		return s.Session.Close()
	})
	return errors.Join(err, s.job.engine.Close())
}
