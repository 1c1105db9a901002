package engine

import "github.com/amgpu/amgpu/report/result"

// period is a time within a round, in seconds from the opening of the gate.
type period struct{ from, to float64 }

// history is what the thread of a device noted in a round beside what time stamps say.
type history struct {
	idle   []period // the device had nothing and got nothing
	lags   []period // a fault kept it busy
	over   float64  // it was told that nothing is left
	joined float64  // all devices had sent what they computed; 0: nothing is gathered
	copied float64  // what they sent was copied together for it
}

func (h *history) clear() { *h = history{idle: h.idle[:0], lags: h.lags[:0]} }

// idled notes that a device has something again.
func (h *history) idled(f *flying, now float64) {
	if f.idle > 0 {
		h.idle = append(h.idle, period{f.idle, now})
		f.idle = 0
	}
}

// dealTimeline is the timeline of a round: batches and what is gathered as the device saw
// them, and between them the host, but for the time in which a device got nothing.
func (s *Session) dealTimeline(w wall) partSpans {
	out := partSpans{Devices: s.own(), Known: w.since(w.done), Whole: true}
	last := 0.0 // end of the last device's work
	for _, i := range out.Devices {
		last = max(last, s.dealtLane(&out, i, w))
	}
	if len(s.deal.stages) > 0 {
		last = s.gatherLanes(&out, w)
	}
	out.Host = append(out.Host, hostWork{-1, hostEnd, last, w.since(w.done)})
	return out
}

// dealtLane adds what device i did of the pool and returns when it was done, in time
// stamps: 0 if it got nothing.
func (s *Session) dealtLane(out *partSpans, i int, w wall) float64 {
	g := s.deal
	h, ticks := &g.history[i], g.rec.ticks[i]
	until, label := 0.0, hostStart
	for k := range g.used[i] {
		from, to := s.tickAt(i, ticks[2*k], w), s.tickAt(i, ticks[2*k+1], w)
		out.Own = append(out.Own, result.Span{Device: s.index(i), Kind: "compute", Start: from, End: to})
		out.hostBut(i, label, until, from, h.idle)
		until, label = max(until, to), hostHandOut
	}
	for _, lag := range h.lags {
		out.Own = append(out.Own, result.Span{Device: s.index(i), Kind: "compute", Label: slowedDown, Start: lag.from, End: lag.to})
		until = max(until, lag.to)
	}
	if g.used[i] > 0 {
		label = hostEnd
		if len(g.stages) > 0 {
			label = hostPass
		}
		out.hostBut(i, label, until, h.over, h.idle)
	}
	return until
}

// hostBut adds a time in which the host is at work for device i, except where the device
// got nothing.
func (p *partSpans) hostBut(i int, label string, from, to float64, idle []period) {
	for _, x := range idle {
		if x.to <= from || x.from >= to {
			continue
		}
		if x.from > from {
			p.Host = append(p.Host, hostWork{i, label, from, x.from})
		}
		from = x.to
	}
	if from < to {
		p.Host = append(p.Host, hostWork{i, label, from, to})
	}
}

// gatherLanes adds what follows the pool and returns when the last device was done.
func (s *Session) gatherLanes(out *partSpans, w wall) float64 {
	g := s.deal
	sent, last := 0.0, 0.0
	for _, i := range out.Devices {
		ticks := g.rec.ticks[i]
		up, down := ticks[g.outQuery():], ticks[g.tailQuery():]
		h := &g.history[i]
		for _, x := range []struct {
			kind     string
			from, to uint64
		}{{"transfer", up[2], up[3]}, {"transfer", down[0], down[1]}, {"compute", down[1], down[2]}} {
			out.Own = append(out.Own, result.Span{Device: s.index(i), Kind: x.kind, Start: s.tickAt(i, x.from, w), End: s.tickAt(i, x.to, w)})
		}
		out.Host = append(out.Host, hostWork{i, hostPass, h.over, s.tickAt(i, up[2], w)},
			hostWork{i, hostCopies, h.joined, h.copied}, hostWork{i, hostPass, h.copied, s.tickAt(i, down[0], w)})
		sent, last = max(sent, s.tickAt(i, up[3], w)), max(last, s.tickAt(i, down[2], w))
	}
	for _, i := range out.Devices { // that all have sent is seen
		out.Host = append(out.Host, hostWork{i, hostPass, sent, g.history[i].joined})
	}
	return last
}
