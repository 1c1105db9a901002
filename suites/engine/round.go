package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/vk"
)

// round is one sample whose chunks are handed out, of one or more iterations back to back:
// every device's thread takes batches, keeps some in flight and waits for the oldest.
type round struct {
	s        *Session
	outside  atomic.Int32 // devices whose first batches do not wait at the gate yet
	open     chan struct{}
	isOpen   atomic.Bool
	computed sync.WaitGroup // devices that are through with the pool
	gateErr  error
	signals  []int64
	opened   int64
	done     []int64
}

// How long a device that gets nothing waits before it asks again: in its sleep where a
// CPU driver needs the cores.
const (
	moment    = 50 * time.Microsecond
	momentGPU = 5 * time.Microsecond
)

// dealRound runs iterations back to back.
func (s *Session) dealRound(ctx context.Context, reps int) (wall, error) {
	g, n := s.deal, len(s.workers)
	g.reps = reps
	if g.rec.queries != nil {
		for i, q := range g.rec.queries {
			if err := q.Reset(); err != nil {
				return wall{}, fmt.Errorf("%s: %w", s.label(i), err)
			}
		}
	}
	g.mutex.Lock()
	g.hands.Begin(reps)
	g.expect()
	g.mutex.Unlock()
	r := &round{s: s, open: make(chan struct{}), signals: make([]int64, n), done: make([]int64, n)}
	r.outside.Store(int32(n))
	r.computed.Add(n)
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	err := s.each(func(i int, d *vk.Device) error {
		err := r.pool(inner, i, d)
		if err == nil && len(g.stages) > 0 {
			err = d.Do(inner, g.out[i])
		}
		if err != nil {
			cancel() // the others stop, too
		}
		r.computed.Done()
		if err == nil && len(g.stages) > 0 {
			if r.computed.Wait(); inner.Err() == nil {
				err = r.finish(inner, i, d)
			}
		}
		if ctx.Err() == nil && errors.Is(err, context.Canceled) && !errors.Is(err, vk.ErrStuck) {
			return nil // the device that failed says why
		}
		return err
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return wall{}, fmt.Errorf("step %q: %w", stepName(g.what.pool[0]), err)
	}
	w := wall{opened: r.opened}
	first, last := r.signals[0], r.signals[0]
	for i := range n {
		w.done = max(w.done, r.done[i])
		first, last = min(first, r.signals[i]), max(last, r.signals[i])
	}
	w.skew = last - first
	return w, nil
}

// gate waits until the first batches of all devices are at the gate; the last one to come
// opens it.
func (r *round) gate() {
	if r.outside.Add(-1) == 0 {
		r.opened, r.gateErr = vk.OpenGate(r.s.team, r.signals)
		r.isOpen.Store(true)
		close(r.open)
		return
	}
	if !r.s.software { // waking a thread takes longer than a short batch
		for until := time.Now().Add(pollGate); !r.isOpen.Load() && time.Now().Before(until); {
		}
	}
	<-r.open
}

// pollGate bounds the polling for the gate.
const pollGate = time.Millisecond

// pause lets a moment pass.
func (r *round) pause() {
	if r.s.software {
		time.Sleep(moment)
		return
	}
	for until := time.Now().Add(momentGPU); time.Now().Before(until); {
	}
}

// clock is what handing out is timed with, in nanoseconds. Beside devices that are the
// processor's own cores it is processor time of the device's thread: there a submission can
// put the thread to sleep for a time slice in which the device computes.
func (r *round) clock() int64 {
	if !r.s.software {
		return vk.Now()
	}
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return vk.Now()
	}
	return t.Nano()
}

// now is the time since the gate opened, in seconds; 0 before.
func (r *round) now() float64 {
	if r.isOpen.Load() {
		return float64(vk.Now()-r.opened) * 1e-9
	}
	return 0
}

// flying are the batches of one device in flight.
type flying struct {
	tickets []vk.Ticket
	last    float64 // when it was last through with one
	idle    float64 // since when it gets nothing; 0: it has something
}

// pool takes and computes batches until nothing is left for device i.
func (r *round) pool(ctx context.Context, i int, d *vk.Device) error {
	g := r.s.deal
	g.used[i], g.lag[i], g.spent[i], g.iteration[i] = 0, 0, 0, 0
	h := &g.history[i]
	h.clear()
	f := &flying{tickets: make([]vk.Ticket, 0, 2*partition.Depth)}
	answer, err := partition.Given, error(nil)
	for answer == partition.Given && err == nil {
		answer, err = r.take(i, d, f, true)
	}
	r.gate()
	if err == nil {
		err = r.gateErr
	}
	for err == nil {
		for answer == partition.Given && err == nil {
			answer, err = r.take(i, d, f, false)
		}
		if err != nil {
			break
		}
		if len(f.tickets) == 0 {
			if answer == partition.Over {
				r.done[i] = vk.Now()
				h.idled(f, r.now())
				h.over = r.now()
				return nil
			}
			if f.idle == 0 {
				f.idle = r.now()
			}
			r.pause()
			if err = ctx.Err(); err == nil {
				answer, err = r.take(i, d, f, false)
			}
			if answer == partition.Given {
				h.idled(f, r.now())
			}
			continue
		}
		if err = d.Await(ctx, f.tickets[0]); err == nil {
			err = r.through(ctx, i, f)
		}
		answer = partition.Given // ask again
	}
	if len(f.tickets) > 0 { // what was handed out must end before anything is freed
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		if late := d.Await(gone, f.tickets[len(f.tickets)-1]); !errors.Is(late, vk.ErrDeviceLost) && !errors.Is(late, context.Canceled) {
			err = errors.Join(err, late)
		}
	}
	return err
}

// take asks for a batch, records it and hands it to the device; gated: it starts with the
// gate.
func (r *round) take(i int, d *vk.Device, f *flying, gated bool) (partition.Answer, error) {
	g := r.s.deal
	if len(f.tickets) > 0 && r.s.fault.drags(r.s, i, r.now()) {
		return partition.Wait, nil
	}
	asked := r.clock()
	g.mutex.Lock()
	b, answer := g.hands.Take(i, r.now())
	g.mutex.Unlock()
	if !gated { // what is made ready before the gate costs nothing
		defer func() { g.spent[i] += r.clock() - asked }()
	}
	if answer != partition.Given {
		return answer, nil
	}
	lo, _ := g.chunks.bounds(b.Lo)
	_, hi := g.chunks.bounds(b.Hi - 1)
	// What the device computed in the iteration before must be there first.
	c, err := g.record(r.s, i, g.used[i], lo, hi, b.Iteration > g.iteration[i])
	if err != nil {
		return answer, err
	}
	g.iteration[i] = b.Iteration
	t, err := d.Hand([]*vk.Commands{c}, gated)
	if err != nil {
		return answer, err
	}
	g.used[i]++
	f.tickets = append(f.tickets, t)
	return answer, nil
}

// through notes that the oldest batch is done.
func (r *round) through(ctx context.Context, i int, f *flying) error {
	g := r.s.deal
	lag, err := r.s.fault.drag(ctx, r.s, i, r.now(), f.last)
	if err != nil {
		return err
	}
	g.lag[i] += lag
	if lag > 0 {
		h := &g.history[i]
		h.lags = append(h.lags, period{r.now() - lag, r.now()})
	}
	f.tickets = append(f.tickets[:0], f.tickets[1:]...)
	asked := r.clock()
	f.last = r.now()
	g.mutex.Lock()
	g.hands.Done(i, f.last)
	g.mutex.Unlock()
	g.spent[i] += r.clock() - asked
	return nil
}

// finish brings what all devices computed to device i and runs the tail there.
func (r *round) finish(ctx context.Context, i int, d *vk.Device) error {
	g := r.s.deal
	h := &g.history[i]
	h.joined = r.now()
	for _, x := range g.stages {
		to := x.down[i].Bytes()
		for owner, from := range x.up {
			for _, run := range r.s.held(owner) {
				copy(to[run.Lo*x.unit:run.Hi*x.unit], from.Bytes()[run.Lo*x.unit:run.Hi*x.unit])
			}
		}
	}
	h.copied = r.now()
	err := d.Do(ctx, g.tail[i])
	r.done[i] = vk.Now()
	return err
}

// expect notes how long the round takes by what is known before it: all devices end
// together. 0: not known.
func (g *dealing) expect() {
	rate := 0.0
	for i := range g.before {
		e := g.hands.Estimate(i)
		if e == 0 {
			rate = 0
			break
		}
		rate += 1 / e
	}
	for i := range g.before {
		g.before[i] = 0
		if rate > 0 {
			g.before[i] = float64(g.chunks.count) / rate
		}
	}
}
