package engine

import (
	"cmp"
	"math"
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// maxSpans bounds the spans of one sample.
const maxSpans = 512

// What the host does while a device has nothing to do, as labels of its spans.
const (
	hostStart   = "start"         // from the opening of the gate until a device begins
	hostPass    = "hand-over"     // a phase is seen done, the next one submitted
	hostCopies  = "staged copies" // between blocks of host memory
	hostHandOut = "hand-out"      // the next batch of chunks
	hostEnd     = "end"           // from the end of the last device's work until it is seen
)

// hostWork is a time during which devices that have nothing to do are held up by the host,
// not by each other: seconds from the opening of the gate.
type hostWork struct {
	Device     int // of the team; -1: all of this process
	Label      string
	Start, End float64
}

// partSpans is what one process knows of the timeline of a sample.
type partSpans struct {
	Devices []int         // of the team, whose clocks are known; empty: nothing is known
	Own     []result.Span // compute and transfer, from time stamps and copy engines
	Host    []hostWork
	Known   float64 // until when Own is complete, seconds from the opening of the gate
	Whole   bool    // it is up to the end of the sample
	// Slowed is for how many seconds after that a fault kept device Slow of the team busy.
	Slow   int
	Slowed float64
}

// index is the number under which device i of the team is stored.
func (s *Session) index(i int) int { return s.team[i].Info().Index }

// tickAt is when device i wrote ticks, in seconds from the opening of the gate.
func (s *Session) tickAt(i int, ticks uint64, w wall) float64 {
	return (s.clocks.host(i, s.team[i], ticks) - float64(w.opened)) * 1e-9
}

// since is a time of the host's clock likewise.
func (w wall) since(at int64) float64 { return float64(at-w.opened) * 1e-9 }

// timeline fills the idle times of the devices of a process, up to end, with spans of the
// kinds host, where the host was at work for it, and wait, and shifts all by shift seconds.
func (s *Session) timeline(p partSpans, end, shift float64) []result.Span {
	var out []result.Span
	for _, i := range p.Devices {
		var own []result.Span
		for _, sp := range p.Own {
			if sp.Device == s.index(i) {
				own = append(own, sp)
			}
		}
		var host []hostWork
		for _, h := range p.Host {
			if h.Device == i || h.Device < 0 {
				host = append(host, h)
			}
		}
		slices.SortStableFunc(host, func(a, b hostWork) int { return cmp.Compare(a.Start, b.Start) })
		out = append(out, own...)
		out = append(out, idleSpans(s.index(i), own, host, end)...)
	}
	for k := range out {
		out[k].Start, out[k].End = nano(out[k].Start+shift), nano(out[k].End+shift)
	}
	return slices.DeleteFunc(out, func(sp result.Span) bool { return sp.End <= sp.Start && (sp.Kind == "wait" || sp.Kind == "host") })
}

// nano rounds seconds to nanoseconds, so that spans that touch have equal ends.
func nano(seconds float64) float64 { return math.Round(seconds*1e9) / 1e9 }

// idleSpans lists what a device did between its own spans from 0 to end. host is sorted by its
// start.
func idleSpans(device int, own []result.Span, host []hostWork, end float64) []result.Span {
	var out []result.Span
	add := func(kind, label string, from, to float64) {
		if n := len(out) - 1; n >= 0 && out[n].End == from && out[n].Kind == kind && out[n].Label == label {
			out[n].End = to
		} else if to > from {
			out = append(out, result.Span{Device: device, Kind: kind, Label: label, Start: from, End: to})
		}
	}
	gap := func(from, to float64) {
		for len(host) > 0 && host[0].End <= from {
			host = host[1:]
		}
		for _, h := range host {
			if h.Start >= to {
				break
			}
			if h.End <= from {
				continue
			}
			add("wait", "", from, max(h.Start, from))
			from = max(h.Start, from)
			add("host", h.Label, from, min(h.End, to))
			from = min(h.End, to)
		}
		add("wait", "", from, to)
	}
	slices.SortStableFunc(own, func(a, b result.Span) int { return cmp.Compare(a.Start, b.Start) })
	until := 0.0
	for _, sp := range own {
		if sp.Start > until {
			gap(until, min(sp.Start, end))
		}
		until = max(until, sp.End)
	}
	if until < end {
		gap(until, end)
	}
	return out
}

// joinTimelines brings the spans of all processes together. shifts are by how much later
// than the first each one opened its gate. What is not known everywhere is left out.
func (s *Session) joinTimelines(parts []partSpans, shifts []float64, seconds float64) []result.Span {
	slow := partSpans{}
	for _, p := range parts {
		if p.Slowed > slow.Slowed {
			slow = p
		}
	}
	whole := seconds - slow.Slowed
	end := whole
	for k, p := range parts {
		if len(p.Devices) > 0 && !p.Whole {
			end = min(end, p.Known+shifts[k])
		}
	}
	var out []result.Span
	for k, p := range parts {
		if len(p.Devices) > 0 {
			out = append(out, s.timeline(p, end-shifts[k], shifts[k])...)
		}
	}
	out, end = cutSpans(out, maxSpans-len(s.team), end)
	if slow.Slowed > 0 { // in a part of a sample that part of it
		more := slow.Slowed * end / whole
		for _, p := range parts {
			for _, i := range p.Devices {
				sp := result.Span{Device: s.index(i), Kind: "wait", Start: nano(end), End: nano(end + more)}
				if i == slow.Slow {
					sp.Kind, sp.Label = "compute", slowedDown
				}
				out = append(out, sp)
			}
		}
	}
	return out
}

// slowedDown labels what a fault adds.
const slowedDown = "slowed down"

// cutSpans keeps at most n spans up to end, or those that begin before an earlier time, at
// which they end and which is returned.
func cutSpans(spans []result.Span, n int, end float64) ([]result.Span, float64) {
	slices.SortStableFunc(spans, func(a, b result.Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Device, b.Device))
	})
	if len(spans) <= n {
		return spans, end
	}
	end = spans[n].Start
	spans = slices.DeleteFunc(spans[:n], func(sp result.Span) bool { return sp.Start >= end })
	for k := range spans {
		spans[k].End = min(spans[k].End, end)
	}
	return spans, end
}
