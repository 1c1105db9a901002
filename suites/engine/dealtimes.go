package engine

import (
	"errors"
	"slices"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// readDeal turns the ticks of a round into sums and a timeline: the batches of the pool are
// one phase, the tail another.
func (s *Session) readDeal(w wall, out *Sample) error {
	g, n := s.deal, len(s.team)
	if g.rec.queries == nil {
		return nil
	}
	if slices.Max(g.used) > g.timed { // some batches have no timestamps
		return nil
	}
	reps := float64(g.reps)
	t := &result.SampleTimes{Compute: make([]float64, n), Transfer: make([]float64, n), Skew: float64(w.skew) * 1e-9}
	var pool, tail, sent, came float64 // the longest of all devices; sent, came: with copies
	for i, q := range g.rec.queries {
		ticks := g.rec.ticks[i]
		if err := q.Read(ticks); err != nil {
			return err
		}
		d := s.team[i]
		busy := g.lag[i]
		for k := range g.used[i] {
			busy += d.TicksToSeconds(d.SubTicks(ticks[2*k+1], ticks[2*k]))
		}
		busy /= reps
		pool, sent = max(pool, busy), max(sent, busy)
		t.Compute[i] = busy
		if len(g.stages) == 0 {
			continue
		}
		up, down := ticks[g.outQuery():], ticks[g.tailQuery():]
		gone := d.TicksToSeconds(d.SubTicks(up[3], up[2]))
		back := d.TicksToSeconds(d.SubTicks(down[1], down[0]))
		rest := d.TicksToSeconds(d.SubTicks(down[2], down[1]))
		t.Compute[i] += rest
		t.Transfer[i] = gone + back
		sent, came, tail = max(sent, busy+gone), max(came, back+rest), max(tail, rest)
	}
	t.Critical = pool + tail
	t.Device = sent + came
	out.Times = t
	if s.clocks.known() {
		out.Spans, _ = cutSpans(s.timeline(s.dealTimeline(w), w.since(w.done), 0), maxSpans, 0)
	}
	return nil
}

// handed is the number of units that device i computed last.
func (g *dealing) handed(i int) int64 {
	var n int64
	for c, owner := range g.owners {
		if int(owner) == i {
			lo, hi := g.chunks.bounds(c)
			n += hi - lo
		}
	}
	return n
}

// transport is how gathered arrays cross; empty: nothing does.
func (g *dealing) transport() string {
	if len(g.stages) == 0 || len(g.slots) < 2 {
		return ""
	}
	return peer.Staging
}

// facts describes the last iteration of the last round.
func (g *dealing) facts() *result.Division {
	t := g.hands.Tally()
	d := &result.Division{
		Assign: g.hands.Rule(), Chunks: g.chunks.count, ChunkUnits: g.chunks.size,
		Batches: t.Batches, Steals: t.Steals, Moved: t.Moved,
	}
	if t.Judged > 0 {
		d.ChunkError = t.Error / float64(t.Judged)
	}
	d.Handed = make([]int64, len(g.slots))
	for _, owner := range g.owners {
		d.Handed[owner]++
	}
	for i := range g.slots {
		d.Decisions = append(d.Decisions, float64(g.spent[i])*1e-9/float64(g.reps))
		if g.before[i] > 0 {
			d.Estimated = append(d.Estimated, g.before[i])
		}
	}
	return d
}

// close frees the command buffers and queries; nil is fine.
func (g *dealing) close(s *Session) error {
	if g == nil {
		return nil
	}
	errs := []error{s.each(func(i int, _ *vk.Device) error { return g.slots[i].close() })}
	if g.rec != nil {
		g.rec.commands = make([][]*vk.Commands, len(s.workers))
		for i := range g.out {
			g.rec.commands[i] = []*vk.Commands{g.out[i], g.tail[i]}
		}
		errs = append(errs, g.rec.close(s))
	}
	return errors.Join(errs...)
}
