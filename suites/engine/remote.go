package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// connectJob finds the transports of a team in several processes.
func (s *Session) connectJob(ctx context.Context) error {
	post := s.spec.Job.Post()
	post.Swap = s.swap
	t, err := peer.NewApart(ctx, peer.Options{Transport: s.spec.Transport, Links: s.spec.Links}, s.team, post)
	s.transport = t
	if err != nil {
		return err
	}
	for _, passed := range t.Excluded() {
		s.note("transport-excluded", passed.Error())
	}
	if t.Name() == peer.Mixed {
		s.note("transports", "transports by link of the team: "+t.String())
	}
	if s.spec.Transport == "auto" && t.Engines() {
		return s.connectRelay(ctx, post)
	}
	return nil
}

// connectRelay has small messages tried through memory of the host and by the post, where all
// processes can.
func (s *Session) connectRelay(ctx context.Context, post peer.Post) error {
	relay, failed := peer.NewApart(ctx, peer.Options{Transport: peer.Host, Links: s.spec.Links}, s.team, post)
	all, err := s.everyone(ctx, failed == nil)
	if err == nil && all {
		s.relay = relay
		return nil
	}
	return errors.Join(err, relay.Close())
}

// settle turns what copy engines push to other processes into copies of this one, by stage.
func (s *Session) settle(ctx context.Context, stages []*stage) error {
	t, ok := s.transport.(*peer.Apart)
	if !ok {
		return nil
	}
	pushes, some := make([][]peer.Push, len(stages)), false
	for p, st := range stages {
		pushes[p] = st.pushes
		some = some || len(st.pushes) > 0
	}
	if !some {
		return nil
	}
	copies, err := t.Settle(ctx, pushes)
	if err != nil {
		return err
	}
	for p, list := range copies {
		stages[p].peers = append(stages[p].peers, list...)
	}
	return nil
}

// joinNotes brings what the processes noted to the one that leads, each text once.
func (s *Session) joinNotes(ctx context.Context) error {
	lists, err := gather(ctx, s, s.notes)
	if err != nil || len(lists) < 2 {
		return err
	}
	s.notes = lists[0]
	for _, list := range lists[1:] {
		for _, n := range list {
			if !slices.Contains(s.notes, n) {
				s.notes = append(s.notes, n)
			}
		}
	}
	return nil
}

// posted are the devices of this process that send to or receive from another one.
func posted(team []*vk.Device, moves []peer.Move) map[int]bool {
	out := map[int]bool{}
	for _, m := range moves {
		if from, to := team[m.From], team[m.To]; from.Absent() != to.Absent() {
			out[m.From], out[m.To] = true, true
		}
	}
	maps.DeleteFunc(out, func(i int, _ bool) bool { return team[i].Absent() })
	return out
}

// question asks the process of a device for elements that it holds.
type question struct {
	Over     bool
	Device   int
	Array    string
	First, N int64
}

// ask reads elements of any device; for one of another process all processes take part.
func (r *reader) ask(device int, array string, first, n int64) ([]uint32, error) {
	if r.s.here(device) {
		return r.fetch(device, array, first, n)
	}
	if _, err := share(r.ctx, r.s, question{Device: device, Array: array, First: first, N: n}); err != nil {
		return nil, err
	}
	parts, err := gather(r.ctx, r.s, []uint32(nil))
	if err != nil {
		return nil, fmt.Errorf("read array %s: %w", array, err)
	}
	var out []uint32
	for _, p := range parts {
		out = append(out, p...)
	}
	if int64(len(out)) != n {
		return nil, fmt.Errorf("read array %s: %d elements of %s, want %d", array, len(out), r.s.label(device), n)
	}
	return out, nil
}

// serve answers the questions of the process that leads until it has no more.
func (s *Session) serve(ctx context.Context, r *reader) error {
	for {
		q, err := share(ctx, s, question{})
		if err != nil || q.Over {
			return err
		}
		var words []uint32
		if s.here(q.Device) {
			if words, err = r.fetch(q.Device, q.Array, q.First, q.N); err != nil {
				return err
			}
		}
		if _, err := gather(ctx, s, words); err != nil {
			return err
		}
	}
}

// served ends serve in the other processes.
func (s *Session) served(ctx context.Context) error {
	_, err := share(ctx, s, question{Over: true})
	return err
}

// phasePart is what one process saw of a phase: the times of its devices, and when they were
// through and what copy engines and the post had to do was done.
type phasePart struct {
	Lanes       []laneTimes
	Done, Moved int64 // on the clock of the process that leads
	Movers      []int // devices
}

// laneTimes is how long a device computed and copied in a phase, and computed in its tail, in
// seconds.
type laneTimes struct {
	Device                  int
	Compute, Transfer, Tail float64
}

// samplePart is what one process saw of a sample.
type samplePart struct {
	Opened, Ended     int64 // on the clock of the process that leads
	Devices           int
	Timed             bool      // it has timestamps
	Compute, Transfer []float64 // by device
	Phases            []phasePart
	First, Last       float64 // start of its first and last device, likewise
	Spans             partSpans
}

// joinSample brings together what the processes saw of a sample of reps iterations.
func (s *Session) joinSample(ctx context.Context, part samplePart, reps int) (Sample, error) {
	parts, err := gather(ctx, s, part)
	if err != nil {
		return Sample{}, err
	}
	if !s.leads() {
		return Sample{Seconds: float64(part.Ended-part.Opened) * 1e-9 / float64(reps)}, nil
	}
	opened, ended, timed := parts[0].Opened, parts[0].Ended, true
	for _, p := range parts {
		timed = timed && (p.Timed || p.Devices == 0)
		opened, ended = min(opened, p.Opened), max(ended, p.Ended)
	}
	out := Sample{Seconds: float64(ended-opened) * 1e-9 / float64(reps)}
	if timed {
		out.Times = joinTimes(parts, s.main.counted, len(s.team))
		if len(parts) > 1 { // ranks are not together at the end of a phase
			out.Times.Device = min(out.Times.Device, out.Seconds)
		}
	}
	spans, shifts := make([]partSpans, len(parts)), make([]float64, len(parts))
	for k, p := range parts {
		spans[k], shifts[k] = p.Spans, float64(p.Opened-opened)*1e-9
	}
	out.Spans = s.joinTimelines(spans, shifts, float64(ended-opened)*1e-9)
	return out, nil
}

// joinTimes follows the phases over processes: the chain of the devices' times, and the
// hand-over from when the last one was through until the last copy was done.
func joinTimes(parts []samplePart, reps, devices int) *result.SampleTimes {
	t := &result.SampleTimes{Compute: make([]float64, devices), Transfer: make([]float64, devices)}
	n, first, last := 0, 0.0, 0.0
	for _, p := range parts {
		n = max(n, len(p.Phases))
		for i := range p.Compute {
			t.Compute[i] += p.Compute[i]
			t.Transfer[i] += p.Transfer[i]
		}
		if p.First > 0 {
			if first == 0 || p.First < first {
				first = p.First
			}
			last = max(last, p.Last)
		}
	}
	computed, worked := newChain(devices), newChain(devices)
	for k := range n {
		var all phasePart
		var device, busy float64 // busy: with the tails, during which devices wait for nobody
		for _, p := range parts {
			if k >= len(p.Phases) {
				continue
			}
			ph := p.Phases[k]
			for _, l := range ph.Lanes {
				computed.add(l.Device, l.Compute, l.Tail)
				worked.add(l.Device, l.Compute+l.Transfer, l.Tail)
				device, busy = max(device, l.Compute+l.Transfer), max(busy, l.Compute+l.Transfer+l.Tail)
			}
			all.Done, all.Moved = max(all.Done, ph.Done), max(all.Moved, ph.Moved)
			all.Movers = append(all.Movers, ph.Movers...)
		}
		var moving float64
		if len(all.Movers) > 0 {
			moving = float64(max(all.Moved-all.Done, 0)) * 1e-9
		}
		for _, i := range all.Movers {
			t.Transfer[i] += max(device+moving-busy, 0) / float64(reps) // the rest is hidden behind a tail
		}
		computed.phase(0)
		worked.phase(moving)
	}
	t.Critical, t.Device = computed.length()/float64(reps), worked.length()/float64(reps)
	t.Skew = (last - first) * 1e-9
	return t
}
