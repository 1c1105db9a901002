package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/program"
)

// order is what rank 0 asks of the others.
type order struct {
	What    string // one of the constants below
	Session int
	Align   []int // ranks whose clocks are read before it begins
	Launch  *launch
	Full    bool  // verify
	Reps    int   // sample
	Devices []int // lock and describe, of the pool
	About   string
}

const (
	doLaunch, doVerify, doSample = "launch", "verify", "sample"
	doGate, doConfirm            = "gate", "confirm"
	doClose                      = "close"
	// Of one rank alone, see Follower.
	doLock, doUnlock     = "lock", "unlock"
	doSurvey, doDescribe = "survey", "describe"
	doClock              = "clock"
)

// report is the answer: how the operation ended, and what was asked for.
type report struct {
	Err  *wireError
	Body []byte
}

// launch is an engine.Spec as it travels.
type launch struct {
	Channel             int
	Ranks               []int
	Devices             []int // of the pool
	Home                []int
	Workload            string
	Build               suites.Build // without Divide
	Shares              [][]program.Share
	Transport           string
	Residency, Cache    string
	SyncTimeout, Margin time.Duration
	MemoryBudget        uint64
}

// pick makes the wire form of a launch. The strategy that divides the work stays with
// rank 0: the program is built here once, and what was answered travels.
func (l *launch) pick(spec engine.Spec) error {
	b := spec.Build
	if b.Divide != nil {
		divide := b.Divide
		b.Divide = func(units, granule int64) []program.Share {
			shares := divide(units, granule)
			l.Shares = append(l.Shares, shares)
			return shares
		}
		if _, err := spec.Workload.Build(b); err != nil {
			return fmt.Errorf("%w: %w", engine.ErrUnsupported, err)
		}
	}
	b.Divide = nil
	l.Workload, l.Build = spec.Workload.Info().ID, b
	l.Transport, l.Residency, l.Cache = spec.Transport, spec.Residency, spec.Cache
	l.SyncTimeout, l.MemoryBudget = spec.SyncTimeout, spec.MemoryBudget
	return nil
}

// build is the request for the program, whose divisions are those that rank 0 made.
func (l *launch) build() suites.Build {
	b, at := l.Build, 0
	if b.Params == nil { // gob leaves out what is empty
		b.Params = map[string]int64{}
	}
	b.Divide = func(units, _ int64) []program.Share {
		if len(l.Shares) == 0 {
			return nil
		}
		shares := l.Shares[at%len(l.Shares)]
		at++
		return shares
	}
	return b
}

// run carries out an order on a session.
func (o *order) run(ctx context.Context, s *engine.Session) error {
	var err error
	switch o.What {
	case doVerify:
		_, err = s.Verify(ctx, o.Full)
	case doSample:
		_, err = s.Sample(ctx, o.Reps)
	case doGate:
		_, err = s.EmptyGate(ctx)
	case doConfirm:
		_, err = s.Confirm(ctx)
	case doClose:
		err = s.Close()
	default:
		err = fmt.Errorf("rank 0 asks for %q: the ranks must run the same amgpu", o.What)
	}
	return err
}
