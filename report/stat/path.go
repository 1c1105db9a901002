package stat

import (
	"cmp"
	"math"
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// Segment is a stretch of a critical path: a span or the last part of one, up to where
// the next segment begins. Seconds as in result.Span.
type Segment struct {
	Span       int // index; -1: no span covers it
	Device     int
	Kind       string // that of the span; result.KindWait where no device did anything that is known
	Start, End float64
}

// mostPathSpans bounds the spans of a timeline whose path is looked for: what amgpu
// records is far below it.
const mostPathSpans = 4096

// CriticalPath is what a timeline's last end waited for, first segment first: they follow
// each other without gaps. It is found backwards from the last end. Before the start of
// a segment comes what the same device did up to there; where the device waited, what
// another one did that ended right then, and where nothing did, the time since the end
// of what ended last before. nil without spans, or with more than 4096 of them.
//
// It is the longest chain of dependent activities of a program activity graph (Yang,
// Miller: Critical path analysis for the execution of parallel and distributed programs,
// ICDCS 1988), with waiting in the place of recorded messages.
func CriticalPath(spans []result.Span) []Segment {
	if len(spans) == 0 || len(spans) > mostPathSpans {
		return nil
	}
	w := newWalk(spans)
	var out []Segment
	for at, device := w.last, w.start(); at > w.first+w.slack; {
		s := w.before(at, device)
		out = append(out, s)
		at, device = s.Start, w.heir(s)
	}
	slices.Reverse(out)
	return out
}

// walk goes back through the spans of a timeline.
type walk struct {
	spans       []result.Span
	work        []int // spans that are not waiting, the latest end first
	first, last float64
	slack       float64 // within which two times are the same
}

func newWalk(spans []result.Span) *walk {
	w := &walk{spans: spans, first: math.Inf(1), last: math.Inf(-1)}
	for i, s := range spans {
		if !(s.End > s.Start) {
			continue
		}
		w.first, w.last = min(w.first, s.Start), max(w.last, s.End)
		if s.Kind != result.KindWait {
			w.work = append(w.work, i)
		}
	}
	w.slack = max(1e-9*(w.last-w.first), 0.5e-9)
	slices.SortStableFunc(w.work, func(a, b int) int {
		x, y := &spans[a], &spans[b]
		return cmp.Or(cmp.Compare(y.End, x.End), cmp.Compare(kindRank(x.Kind), kindRank(y.Kind)), cmp.Compare(x.Device, y.Device))
	})
	return w
}

// kindRank prefers what devices do over the host's work.
func kindRank(kind string) int {
	if i := slices.Index([]string{result.KindCompute, result.KindTransfer, result.KindHost}, kind); i >= 0 {
		return i
	}
	return 3
}

// start is the device that the path ends on.
func (w *walk) start() int {
	if len(w.work) == 0 {
		return w.spans[0].Device
	}
	return w.spans[w.work[0]].Device
}

// before is the segment that ends at a time, for what a device does from then on.
func (w *walk) before(at float64, device int) Segment {
	own, other, earlier := -1, -1, -1
	for _, i := range w.work {
		s := &w.spans[i]
		switch {
		case s.Start >= at-w.slack: // nothing of it comes before
		case s.Device == device && s.End >= at-w.slack:
			// What ended there, rather than what went on beside.
			if own < 0 || w.spans[own].End > at+w.slack && (s.End <= at+w.slack || kindRank(s.Kind) < kindRank(w.spans[own].Kind)) {
				own = i
			}
		case math.Abs(s.End-at) <= w.slack:
			if other < 0 || kindRank(s.Kind) < kindRank(w.spans[other].Kind) {
				other = i
			}
		case s.End < at && earlier < 0:
			earlier = i
		}
	}
	for _, i := range []int{own, other} {
		if i >= 0 {
			s := &w.spans[i]
			return Segment{i, s.Device, s.Kind, s.Start, at}
		}
	}
	from := w.first
	if earlier >= 0 {
		from = max(from, w.spans[earlier].End)
	}
	return Segment{w.waiting(at, device), device, result.KindWait, from, at}
}

// waiting is the span of waiting of a device up to a time; -1: none.
func (w *walk) waiting(at float64, device int) int {
	return slices.IndexFunc(w.spans, func(s result.Span) bool {
		return s.Device == device && s.Kind == result.KindWait && s.Start < at-w.slack && s.End >= at-w.slack
	})
}

// heir is the device on which the path goes on before a segment: after a gap, that of
// what ended last.
func (w *walk) heir(s Segment) int {
	if s.Kind != result.KindWait {
		return s.Device
	}
	for _, i := range w.work {
		if x := &w.spans[i]; x.End <= s.Start+w.slack && x.Start < s.Start-w.slack {
			return x.Device
		}
	}
	return s.Device
}
