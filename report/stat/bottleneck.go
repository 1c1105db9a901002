package stat

import (
	"cmp"
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// SpannedLaunch is the launch in the middle of those that hold spans, by their median
// times; nil: none does. It is the one whose timeline is shown.
func SpannedLaunch(trials []*result.Trial) *result.Trial {
	var all []launch
	for _, t := range trials {
		if len(t.Spans) == 0 || !mayRate(t.Status) {
			continue
		}
		if l, ok := newLaunch(t); ok {
			all = append(all, l)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b launch) int { return cmp.Compare(a.seconds, b.seconds) })
	return all[(len(all)-1)/2].trial
}

// path is the critical path of the row's launch in the middle; nil without spans.
func (c *cell) path() *result.Path {
	t := SpannedLaunch(c.trials)
	if t == nil {
		return nil
	}
	return PathOf(t)
}

// PathOf sums up the critical path of a launch's timeline; nil: it has none.
func PathOf(t *result.Trial) *result.Path {
	segments := CriticalPath(t.Spans)
	if len(segments) == 0 {
		return nil
	}
	length := segments[len(segments)-1].End - segments[0].Start
	out := &result.Path{Launch: t.Launch, Block: t.Block, Seconds: length}
	if l, ok := newLaunch(t); ok {
		out.Covered = min(length/(l.seconds*float64(max(t.Reps, 1))), 1)
	}
	for _, s := range segments {
		out.Add(s.Kind, s.Device, (s.End-s.Start)/length)
	}
	slices.SortStableFunc(out.Parts, func(a, b result.PathPart) int { return cmp.Compare(b.Share, a.Share) })
	out.Bottleneck = bottleneck(out, t)
	return out
}

// By how much of the time the others must wait longer than a device for it to be called
// what they wait for.
const leastWaiting = 0.05

// bottleneck is the kind with the largest share of a path, and the device that it is due to.
func bottleneck(p *result.Path, t *result.Trial) result.Bottleneck {
	var out result.Bottleneck
	for _, x := range p.Parts {
		if share := p.Share(x.Kind); share > out.Share {
			out.Kind, out.Share = x.Kind, share
		}
	}
	for _, x := range p.Parts {
		if x.Kind != out.Kind || x.Device == nil || x.Share <= out.Share/2 || len(t.Devices) < 2 {
			continue
		}
		if longer := waitLonger(t, *x.Device) / p.Seconds; longer >= leastWaiting {
			device := *x.Device
			out.Device, out.Waiting = &device, longer
		}
	}
	return out
}

// waitLonger is how many seconds the other devices of a team wait longer than one does, on
// average.
func waitLonger(t *result.Trial, device int) float64 {
	own, others := 0.0, 0.0
	for _, s := range t.Spans {
		switch {
		case s.Kind != result.KindWait || !(s.End > s.Start):
		case s.Device == device:
			own += s.End - s.Start
		default:
			others += s.End - s.Start
		}
	}
	return others/float64(len(t.Devices)-1) - own
}
