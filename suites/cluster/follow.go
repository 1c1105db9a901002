package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// Follower is a rank other than 0.
type Follower struct {
	Adapters  []*vk.Adapter // of the pool of the job; those of other ranks are absent
	Workloads func(id string) (suites.Workload, error)
	CacheDir  string      // pipeline cache
	Links     *peer.Cache // what is known of the links of this machine
	// What rank 0 may ask of this rank alone: to take the locks of some of its devices, waiting
	// for them; to look at the links between its devices; to tell about
	// something, of some devices of the pool or in general.
	Lock     func(ctx context.Context, devices []int) (release func(), err error)
	Survey   func(ctx context.Context) ([]result.Link, error)
	Describe func(ctx context.Context, about string, devices []int) ([]byte, error)
	// Turn is held while a sample is taken; nil: nobody waits for that.
	Turn sync.Locker

	rank     *Rank
	sessions map[int]*followed
	locks    []func() // give back what is locked
}

// followed is a launch that rank 0 leads.
type followed struct {
	*engine.Session
	job *job
}

// Follow does what rank 0 asks for until it leaves, or is lost.
func (r *Rank) Follow(ctx context.Context, f *Follower) error {
	f.rank, f.sessions = r, map[int]*followed{}
	defer func() {
		for _, s := range f.sessions {
			_ = s.Close() // the job is over: there is nobody to tell
		}
		f.unlock()
	}()
	for {
		got, err := r.pump.next(ctx, 0, func(f frame) bool { return f.Kind == command || f.Kind == leave })
		if err != nil || got.Kind == leave {
			return err
		}
		var o order
		if err := decode(got.Body, &o); err != nil {
			return err
		}
		inner, end := r.pump.begin(ctx, got.Op)
		var answer []byte
		switch o.What {
		case doLock, doUnlock, doSurvey, doDescribe, doClock:
			if err = f.align(o); err == nil {
				answer, err = f.answer(inner, o)
			}
		default:
			if err = f.align(o); err == nil {
				err = f.carryOut(inner, got.Op, o)
			}
		}
		if err != nil && inner.Err() != nil {
			err = cause(inner)
		}
		end()
		body, wrong := encode(report{pack(err), answer})
		if wrong == nil {
			wrong = r.pump.send(0, frame{Kind: done, Op: got.Op, Body: body})
		}
		if wrong != nil {
			return wrong
		}
	}
}

// align lets rank 0 read the clock of this rank, where it is about to.
func (f *Follower) align(o order) error {
	if !slices.Contains(o.Align, f.rank.Number()) {
		return nil
	}
	return f.rank.net.Pong(0, pings, f.rank.silence.Nanoseconds())
}

func (f *Follower) carryOut(ctx context.Context, op uint64, o order) error {
	if o.What == doLaunch {
		return f.launch(ctx, op, o)
	}
	s := f.sessions[o.Session]
	if s == nil && o.What == doClose { // its launch has failed here
		return nil
	}
	if s == nil {
		return fmt.Errorf("rank 0 asks for launch %d, which is not there", o.Session)
	}
	s.job.op = op
	if o.What == doSample && f.Turn != nil {
		f.Turn.Lock()
		defer f.Turn.Unlock()
	}
	err := o.run(ctx, s.Session)
	if o.What == doClose {
		delete(f.sessions, o.Session)
		err = errors.Join(err, s.job.engine.Close())
	}
	return err
}

func (f *Follower) launch(ctx context.Context, op uint64, o order) error {
	l := o.Launch
	w, err := f.Workloads(l.Workload)
	if err != nil {
		return err
	}
	j, err := newJob(f.rank.pump, l.Ranks, l.Home, l.Channel, l.Margin)
	if err != nil {
		return err
	}
	j.op = op
	team := make([]*vk.Adapter, len(l.Devices))
	for i, at := range l.Devices {
		team[i] = f.Adapters[at]
	}
	s, err := engine.Launch(ctx, engine.Spec{
		Workload: w, Build: l.build(), Adapters: team, Transport: l.Transport, Residency: l.Residency, Cache: l.Cache,
		CacheDir: f.CacheDir, Links: f.Links, SyncTimeout: l.SyncTimeout, MemoryBudget: l.MemoryBudget, Job: j,
	})
	if err != nil {
		return errors.Join(err, j.engine.Close())
	}
	f.sessions[o.Session] = &followed{s, j}
	return nil
}
