package cluster

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// How often a rank gives a sign of life, and how long the pump of frames rests: short
// while frames come, longer when none has come for a while.
const (
	pulseEvery = time.Second
	shortRest  = 20 * time.Microsecond
	longRest   = 500 * time.Microsecond
	lively     = 20 * time.Millisecond
)

// pump moves frames between the net and who waits for them, gives signs of life and
// notices who gives none any more.
type pump struct {
	net     Net
	silence time.Duration // after which a rank counts as lost
	rank    *Rank         // once the ranks have met
	watched []int         // ranks whose signs of life count

	mu      sync.Mutex
	queues  [][]frame // by rank, what has arrived
	heard   []time.Time
	lost    error
	stop    context.CancelCauseFunc // of the operation in progress; nil: none
	op      uint64                  // operation in progress
	given   uint64                  // the last operation that rank 0 gave up
	wake    chan struct{}           // closed and replaced when something arrives
	closed  chan struct{}
	down    chan struct{} // closed when a rank is lost
	leaving bool          // ranks may end now
	ended   sync.WaitGroup
}

func newPump(net Net, silence time.Duration) *pump {
	p := &pump{net: net, silence: silence, queues: make([][]frame, net.Size()), heard: make([]time.Time, net.Size()), wake: make(chan struct{}), closed: make(chan struct{}), down: make(chan struct{})}
	for i := range p.heard {
		p.heard[i] = time.Now()
	}
	if net.Rank() != 0 {
		p.watched = []int{0}
	} else {
		for r := 1; r < net.Size(); r++ {
			p.watched = append(p.watched, r)
		}
	}
	p.ended.Add(1)
	go p.run()
	return p
}

func (p *pump) close() {
	close(p.closed)
	p.ended.Wait()
}

func (p *pump) run() {
	defer p.ended.Done()
	var beat time.Time
	last := time.Now()
	for {
		select {
		case <-p.closed:
			return
		default:
		}
		now := time.Now()
		if now.Sub(beat) >= pulseEvery {
			beat = now
			p.beat()
		}
		if p.take(now) {
			last = now
			continue
		}
		rest := shortRest
		if now.Sub(last) > lively {
			rest = longRest
		}
		time.Sleep(rest)
	}
}

// beat gives a sign of life and looks for those of others.
func (p *pump) beat() {
	b, _ := frame{Kind: pulse}.encode()
	for _, r := range p.watched {
		_ = p.net.Send(r, b) // who cannot be reached is silent before long
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rank != nil && p.lost == nil && !p.leaving {
		if gone := p.rank.gone(); gone != nil {
			p.fail(gone)
		}
	}
	for _, r := range p.watched {
		if quiet := time.Since(p.heard[r]); p.lost == nil && quiet > p.silence {
			p.fail(&RankError{Rank: r, Node: p.nodeOf(r), Err: fmt.Errorf("%w: nothing heard of it for %v", ErrRankLost, quiet.Round(time.Second))})
		}
	}
}

func (p *pump) nodeOf(rank int) string {
	if p.rank == nil {
		return "a node not known yet"
	}
	return p.rank.all[rank].Node
}

// fail ends everything that waits. The caller holds the lock.
func (p *pump) fail(err error) {
	p.lost = err
	close(p.down)
	if p.stop != nil {
		p.stop(err)
	}
	p.stir()
}

func (p *pump) stir() {
	close(p.wake)
	p.wake = make(chan struct{})
}

// take handles one frame; false: none has arrived.
func (p *pump) take(now time.Time) bool {
	from, b, ok, err := p.net.Receive()
	if !ok && err == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		if p.lost == nil {
			p.fail(fmt.Errorf("%w: %w", ErrRankLost, err))
		}
		return false
	}
	p.heard[from] = now
	var f frame
	if err := decode(b, &f); err != nil {
		if p.lost == nil {
			p.fail(fmt.Errorf("rank %d: %w: the ranks must run the same amgpu", from, err))
		}
		return true
	}
	switch f.Kind {
	case pulse:
		return true
	case leave:
		p.leaving = true
	case abort:
		p.given = max(p.given, f.Op)
		if p.stop != nil && p.op <= p.given {
			p.stop(ErrAborted)
		}
		return true
	case done:
		var w report
		if err := decode(f.Body, &w); err == nil && w.Err != nil && p.stop != nil && f.Op == p.op {
			p.stop(ErrAborted) // why, the frame tells
		}
	}
	p.queues[from] = append(p.queues[from], f)
	p.stir()
	return true
}

// begin opens an operation, whose context ends when a rank fails.
func (p *pump) begin(ctx context.Context, op uint64) (context.Context, func()) {
	ctx, stop := context.WithCancelCause(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.op, p.stop = op, stop
	if p.lost != nil {
		stop(p.lost)
	} else if p.given >= op {
		stop(ErrAborted)
	}
	return ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.stop = nil
		stop(nil)
	}
}

// next waits for the next frame of a rank that wanted accepts, and drops the
// others before it.
func (p *pump) next(ctx context.Context, from int, wanted func(frame) bool) (frame, error) {
	for {
		p.mu.Lock()
		at := slices.IndexFunc(p.queues[from], wanted)
		if at >= 0 {
			f := p.queues[from][at]
			p.queues[from] = p.queues[from][at+1:]
			p.mu.Unlock()
			return f, nil
		}
		lost, wake := p.lost, p.wake
		p.mu.Unlock()
		if lost != nil {
			return frame{}, lost
		}
		select {
		case <-ctx.Done():
			return frame{}, cause(ctx)
		case <-wake:
		}
	}
}

// putBack returns a frame that next gave.
func (p *pump) putBack(from int, f frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queues[from] = slices.Insert(p.queues[from], 0, f)
}

// send sends a frame.
func (p *pump) send(to int, f frame) error {
	b, err := f.encode()
	if err != nil {
		return err
	}
	return p.net.Send(to, b)
}
