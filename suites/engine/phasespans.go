package engine

import (
	"math"

	"github.com/amgpu/amgpu/report/result"
)

// phaseTimeline is what this process knows of the timeline of a run in phases: nothing
// where a device's clock is not tied to the host's.
func (s *Session) phaseTimeline(w wall) partSpans {
	rec := s.main
	var out partSpans
	if !s.clocks.known() || rec.queries == nil {
		return out
	}
	out.Devices = s.own()
	known := 0 // phases
	for ; known < rec.timedPhases() && len(out.Own) < maxSpans; known++ {
		for _, i := range out.Devices {
			if shape := rec.present[known][i]; shape.used {
				out.Own = append(out.Own, s.laneSpans(i, shape, rec.lane(known, i), w)...)
			}
		}
		out.Own = append(out.Own, s.moveSpans(known, w)...)
	}
	out.Known, out.Whole = w.since(w.done-w.slowed), known == rec.stages
	if !out.Whole {
		out.Known = w.since(rec.moves[known-1].to)
	}
	out.Slow, out.Slowed = w.slow, float64(w.slowed)*1e-9
	out.Host = s.hostTimes(known, w)
	return out
}

// lane are the ticks of device i in phase p.
func (rec *recording) lane(p, i int) []uint64 {
	return rec.ticks[i][p*queriesPerPhase : (p+1)*queriesPerPhase]
}

// laneSpans places the intervals of a device in a phase on the time axis of the sample.
func (s *Session) laneSpans(i int, shape laneShape, ticks []uint64, w wall) []result.Span {
	var out []result.Span
	add := func(kind string, from, to uint64) {
		out = append(out, result.Span{Device: s.index(i), Kind: kind, Start: s.tickAt(i, from, w), End: s.tickAt(i, to, w)})
	}
	start := ticks[0]
	if shape.in {
		add("transfer", ticks[0], ticks[1])
		start = ticks[1]
	}
	add("compute", start, ticks[2])
	if shape.out {
		add("transfer", ticks[2], ticks[3])
	}
	if shape.beside {
		add("transfer", ticks[besideQuery], ticks[besideQuery+1])
	}
	if shape.tail {
		add("compute", ticks[tailQuery], ticks[tailQuery+1])
	}
	return out
}

// moveSpans are the spans of what copy engines and the post did after phase p. Copies that
// began with the phase are hidden behind its work up to there: only the span shows it. While
// another process copies, this one has nothing to show.
func (s *Session) moveSpans(p int, w wall) []result.Span {
	m := s.main.moves[p]
	began := m.from
	if m.early {
		began = w.opened
		if p > 0 {
			began = s.main.moves[p-1].to
		}
	}
	var out []result.Span
	for _, i := range s.own() {
		if m.devices[i] && m.to > began {
			out = append(out, result.Span{Device: s.index(i), Kind: "transfer", Start: w.since(began), End: w.since(m.to)})
		}
	}
	return out
}

// began and through are when a device began in a phase and when it had done what the end of
// the phase waits for.
func (s *Session) began(i int, ticks []uint64, w wall) float64 { return s.tickAt(i, ticks[0], w) }

func (s *Session) through(i int, shape laneShape, ticks []uint64, w wall) float64 {
	last := s.tickAt(i, ticks[2], w)
	if shape.out {
		last = s.tickAt(i, ticks[3], w)
	}
	if shape.beside {
		last = max(last, s.tickAt(i, ticks[besideQuery+1], w))
	}
	return last
}

// hostTimes are the times in the first phases during which the host was at work for
// devices: until a device begins with a phase that was released, and from the end of the
// last device's work until that is seen, copies are made and the next phase begins. What
// else is between a device's own spans, it waits for others.
func (s *Session) hostTimes(phases int, w wall) []hostWork {
	rec := s.main
	var out []hostWork
	add := func(device int, label string, from, to float64) {
		if to > from {
			out = append(out, hostWork{device, label, from, to})
		}
	}
	released, label := 0.0, hostStart
	for p := range phases {
		m := &rec.moves[p]
		first, last := math.Inf(1), math.Inf(-1)
		for _, i := range s.own() {
			shape := rec.present[p][i]
			if !shape.used {
				continue
			}
			ticks := rec.lane(p, i)
			began, through := s.began(i, ticks, w), s.through(i, shape, ticks, w)
			first, last = min(first, began), max(last, through)
			add(i, label, released, began)
			if shape.tail { // a submission of its own
				add(i, hostPass, through, s.tickAt(i, ticks[tailQuery], w))
			}
		}
		if last < first { // all devices of this process idle
			first, last = w.since(m.from), w.since(m.from)
		}
		add(-1, label, released, first)
		if p+1 == rec.stages {
			add(-1, hostEnd, last, w.since(w.done-w.slowed))
			break
		}
		add(-1, hostPass, last, w.since(m.from))
		add(-1, hostCopies, w.since(m.to), w.since(m.copied))
		released, label = w.since(m.copied), hostPass
		if m.step != "" {
			add(-1, m.step, released, w.since(m.resumed))
			released = w.since(m.resumed)
		}
	}
	return out
}
