package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// job is one launch as its engine sees it (engine.Job): the ranks that take part, in
// ascending order with rank 0 first.
type job struct {
	pump   *pump
	ranks  []int
	home   []int // by device of the team: its rank
	engine Engine
	clocks *clocks // of rank 0; nil elsewhere: what it says is shared
	ahead  int64   // own clock minus that of rank 0, nanoseconds
	op     uint64  // in progress
	margin time.Duration
	doubt  int64 // most error of the clocks at a gate, nanoseconds; of rank 0
}

func newJob(p *pump, ranks, home []int, channel int, margin time.Duration) (*job, error) {
	e, err := p.net.Engine(channel)
	if err != nil {
		return nil, err
	}
	return &job{pump: p, ranks: ranks, home: home, engine: e, margin: margin}, nil
}

// Post implements engine.Job.
func (j *job) Post() peer.Post {
	start, poll, context := j.engine.Functions()
	return peer.Post{
		Name: j.pump.net.Name(), Self: j.pump.net.Rank(), Home: j.home,
		Engine: &vk.CopyEngine{Name: j.pump.net.Name(), Start: start, Poll: poll, Context: context, Explain: j.engine.Explain},
		Word: func(process, lane int, send bool) uint64 {
			w := uint64(lane)<<32 | uint64(process)<<1
			if send {
				w |= 1
			}
			return w
		},
	}
}

// Leads implements engine.Job.
func (j *job) Leads() bool { return j.pump.net.Rank() == 0 }

// Stop implements engine.Job.
func (j *job) Stop() { j.engine.Stop() }

// Gather implements engine.Job.
func (j *job) Gather(ctx context.Context, own []byte) ([][]byte, error) {
	if !j.Leads() {
		return nil, j.pump.send(0, frame{Kind: part, Op: j.op, Body: own})
	}
	out := [][]byte{own}
	for _, r := range j.ranks[1:] {
		f, err := j.pump.next(ctx, r, func(f frame) bool { return j.is(part)(f) || j.is(done)(f) })
		if err != nil {
			return nil, err
		}
		if f.Kind == done { // it has failed, or thinks that all is over
			j.pump.putBack(r, f)
			return nil, fmt.Errorf("rank %d is through with an operation before rank 0: %w", r, ErrAborted)
		}
		out = append(out, f.Body)
	}
	return out, nil
}

// Share implements engine.Job.
func (j *job) Share(ctx context.Context, v []byte) ([]byte, error) {
	if !j.Leads() {
		f, err := j.pump.next(ctx, 0, j.is(value))
		return f.Body, err
	}
	for _, r := range j.ranks[1:] {
		if err := j.pump.send(r, frame{Kind: value, Op: j.op, Body: v}); err != nil {
			return nil, err
		}
	}
	return v, ctx.Err()
}

// is accepts frames of a kind of the operation in progress.
func (j *job) is(k kind) func(frame) bool {
	return func(f frame) bool { return f.Kind == k && f.Op == j.op }
}

// gateTime is what rank 0 says at the gate.
type gateTime struct {
	At    int64
	Ahead []int64 // by rank of the launch: its clock minus that of rank 0
}

// Gate implements engine.Job: a barrier, then a time in the near future.
func (j *job) Gate(ctx context.Context) (int64, error) {
	if _, err := j.Gather(ctx, nil); err != nil {
		return 0, err
	}
	var own []byte
	if j.Leads() {
		g := gateTime{At: vk.Now() + j.margin.Nanoseconds()}
		for _, r := range j.ranks {
			g.Ahead = append(g.Ahead, j.clocks.ahead(r, g.At))
		}
		j.doubt = max(j.doubt, j.clocks.used(j.ranks, g.At))
		var err error
		if own, err = encode(g); err != nil {
			return 0, err
		}
	}
	b, err := j.Share(ctx, own)
	if err != nil {
		return 0, err
	}
	var g gateTime
	if err := decode(b, &g); err != nil {
		return 0, err
	}
	for i, r := range j.ranks {
		if r == j.pump.net.Rank() {
			j.ahead = g.Ahead[i]
		}
	}
	return g.At + j.ahead, nil
}

// Leading implements engine.Job.
func (j *job) Leading(at int64) int64 { return at - j.ahead }
