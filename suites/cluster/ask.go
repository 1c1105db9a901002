package cluster

import (
	"context"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk"
)

// ask has one other rank do something alone, outside of launches, and returns its answer. When
// ctx ends, so does what the rank does, and it is waited for.
func (r *Rank) ask(ctx context.Context, rank int, o order) ([]byte, error) {
	r.lead.op++
	op := r.lead.op
	body, err := encode(o)
	if err != nil {
		return nil, err
	}
	if err := r.pump.send(rank, frame{Kind: command, Op: op, Body: body}); err != nil {
		return nil, err
	}
	if err := r.lead.align(o.Align); err != nil {
		return nil, err
	}
	over := func(f frame) bool { return f.Kind == done && f.Op == op }
	f, err := r.pump.next(ctx, rank, over)
	if err != nil && ctx.Err() != nil {
		_ = r.pump.send(rank, frame{Kind: abort, Op: op}) // who is gone has stopped
		if _, lost := r.over(rank, over); lost != nil {
			return nil, lost
		}
		return nil, cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	var rep report
	if err := decode(f.Body, &rep); err != nil {
		return nil, err
	}
	if err := rep.Err.unpack(); err != nil {
		return nil, &RankError{Rank: rank, Node: r.all[rank].Node, Err: err}
	}
	return rep.Body, nil
}

// Lock has another rank take the locks of devices of the pool that it owns. They stay taken
// until Unlock, or until the job is over.
func (r *Rank) Lock(ctx context.Context, rank int, devices []int) error {
	_, err := r.ask(ctx, rank, order{What: doLock, Devices: devices})
	return err
}

// Unlock has another rank give back all locks that it holds.
func (r *Rank) Unlock(ctx context.Context, rank int) error {
	_, err := r.ask(ctx, rank, order{What: doUnlock})
	return err
}

// Survey has another rank look at the links between its own devices, which are named by their
// places in the pool.
func (r *Rank) Survey(ctx context.Context, rank int) (links []result.Link, err error) {
	body, err := r.ask(ctx, rank, order{What: doSurvey})
	if err != nil {
		return nil, err
	}
	return links, decode(body, &links)
}

// Describe asks another rank what its Follower tells about something, of devices of the pool or
// in general.
func (r *Rank) Describe(ctx context.Context, rank int, about string, devices []int) ([]byte, error) {
	return r.ask(ctx, rank, order{What: doDescribe, About: about, Devices: devices})
}

// Ahead reads the clock of another rank (CLOCK_MONOTONIC_RAW) and returns by how many nanoseconds
// it is ahead of rank 0's, which calls it.
func (r *Rank) Ahead(ctx context.Context, rank int) (int64, error) {
	_, err := r.ask(ctx, rank, order{What: doClock, Align: []int{rank}})
	return r.lead.clocks.ahead(rank, vk.Now()), err
}

// answer carries out what is asked of this rank alone.
func (f *Follower) answer(ctx context.Context, o order) ([]byte, error) {
	switch o.What {
	case doLock:
		release, err := f.Lock(ctx, o.Devices)
		if err == nil {
			f.locks = append(f.locks, release)
		}
		return nil, err
	case doUnlock:
		f.unlock()
		return nil, nil
	case doSurvey:
		links, err := f.Survey(ctx)
		if err != nil {
			return nil, err
		}
		return encode(links)
	case doClock: // it has been read
		return nil, nil
	default:
		return f.Describe(ctx, o.About, o.Devices)
	}
}

func (f *Follower) unlock() {
	for _, release := range f.locks {
		release()
	}
	f.locks = nil
}
