package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/amgpu/amgpu/vk"
)

// maxPhases bounds how many phases one sample may hold; more repetitions than
// that fits are cut down, as command buffers are recorded once per phase.
const maxPhases = 4096

// prepare records the timed steps reps times over.
func (s *Session) prepare(ctx context.Context, reps int) error {
	if s.deal != nil || s.main != nil && s.main.reps == reps && s.main.limit == s.submitLimit {
		return nil
	}
	if err := s.main.close(s); err != nil {
		return err
	}
	s.main = nil
	rec, err := s.recordSample(ctx, reps)
	if err != nil {
		return err
	}
	s.main = rec
	return nil
}

// MaxReps is the largest number of repetitions one sample should hold: with
// communication every repetition brings phases of its own.
func (s *Session) MaxReps() int {
	if s.spec.Cache == Cold || s.deal != nil && len(s.deal.stages) > 0 {
		return 1
	}
	if s.deal != nil {
		return dealtReps
	}
	if s.main == nil {
		return 1 << 16
	}
	perRep := float64(s.main.stages) / float64(s.main.reps)
	ops := float64(max(dispatches(s.prog.Steps), 1))
	return max(int(min(maxPhases/perRep, maxOps/ops)), 1)
}

// maxOps bounds the dispatches recorded for one sample.
const maxOps = 1 << 17

// Sample runs reps iterations back to back and returns the time of one. The
// state of the devices is whatever the last iteration left.
func (s *Session) Sample(ctx context.Context, reps int) (Sample, error) {
	if err := s.prepare(ctx, reps); err != nil {
		return Sample{}, err
	}
	if err := s.fault.lose(s); err != nil {
		return Sample{}, err
	}
	if s.spec.Cache == Cold {
		if err := s.chill(ctx); err != nil {
			return Sample{}, err
		}
	}
	if err := s.renewClocks(); err != nil {
		return Sample{}, doing("reading clocks", err)
	}
	w, err := s.runOnce(ctx, reps)
	if err != nil {
		return Sample{}, doing(fmt.Sprintf("sample %d", s.samples+1), err)
	}
	if err := s.fault.delay(ctx, s, &w); err != nil {
		return Sample{}, err
	}
	s.samples++
	if s.deal != nil {
		out := Sample{Seconds: float64(w.done-w.opened) * 1e-9 / float64(reps)}
		return out, s.readDeal(w, &out)
	}
	part, err := s.readTimes(w)
	if err != nil {
		return Sample{}, err
	}
	return s.joinSample(ctx, part, reps)
}

// readTimes turns the ticks of a run into what this process saw of it.
func (s *Session) readTimes(w wall) (samplePart, error) {
	rec, n := s.main, len(s.team)
	part := samplePart{Opened: s.leading(w.opened), Ended: s.leading(w.done), Devices: len(s.own()), Timed: rec.queries != nil}
	if !part.Timed {
		return part, nil
	}
	for _, i := range s.own() {
		if err := rec.queries[i].Read(rec.ticks[i]); err != nil {
			return part, err
		}
	}
	reps := float64(rec.counted)
	part.Compute, part.Transfer = make([]float64, n), make([]float64, n)
	for p := rec.skip; p < rec.timedPhases(); p++ {
		var sums phasePart
		for i := range n {
			shape := rec.present[p][i]
			if !shape.used {
				continue
			}
			ticks := rec.lane(p, i)
			compute, transfer := s.phaseTimes(i, shape, ticks)
			behind := s.tailTime(i, shape, ticks)
			part.Compute[i] += (compute + behind) / reps
			part.Transfer[i] += transfer / reps
			sums.Lanes = append(sums.Lanes, laneTimes{i, compute, transfer, behind})
		}
		sums.Done, sums.Moved = s.leading(rec.moves[p].from), s.leading(rec.moves[p].to)
		sums.Movers = slices.Sorted(maps.Keys(rec.moves[p].devices))
		part.Phases = append(part.Phases, sums)
	}
	if w.slowed > 0 { // an iteration's part of it
		more := float64(w.slowed) * 1e-9 / float64(rec.reps)
		part.Compute[w.slow] += more
		last := &part.Phases[len(part.Phases)-1]
		last.Lanes = append(last.Lanes, laneTimes{Device: w.slow, Compute: more * reps})
	}
	part.First, part.Last = s.starts(w)
	part.Spans = s.phaseTimeline(w)
	return part, nil
}

// leading is a time of this process's clock on that of the process that leads.
func (s *Session) leading(at int64) int64 {
	if s.spec.Job == nil || at == 0 {
		return at
	}
	return s.spec.Job.Leading(at)
}

// phaseTimes is how long a device computed and copied in one phase, in seconds.
func (s *Session) phaseTimes(i int, shape laneShape, ticks []uint64) (compute, transfer float64) {
	d := s.team[i]
	start := ticks[0]
	if shape.in {
		transfer += d.TicksToSeconds(d.SubTicks(ticks[1], ticks[0]))
		start = ticks[1]
	}
	compute = d.TicksToSeconds(d.SubTicks(ticks[2], start))
	var out, beside float64
	if shape.out {
		out = d.TicksToSeconds(d.SubTicks(ticks[3], ticks[2]))
	}
	if shape.beside {
		beside = d.TicksToSeconds(d.SubTicks(ticks[besideQuery+1], ticks[besideQuery]))
	}
	return compute, transfer + max(out, beside)
}

// tailTime is how long a device computed behind the phase, beside its hand-over.
func (s *Session) tailTime(i int, shape laneShape, ticks []uint64) float64 {
	if !shape.tail {
		return 0
	}
	d := s.team[i]
	return d.TicksToSeconds(d.SubTicks(ticks[tailQuery+1], ticks[tailQuery]))
}

// starts are the times at which the first and the last device of this process began, on the
// clock of the process that leads: from their timestamps where clocks are known, else the
// signals of the gate.
func (s *Session) starts(w wall) (first, last float64) {
	shift := float64(s.leading(w.opened) - w.opened)
	if !s.clocks.known() || len(s.team) < 2 {
		return float64(w.opened) + shift, float64(w.opened+w.skew) + shift
	}
	for _, i := range s.own() {
		if !s.main.present[0][i].used {
			continue
		}
		at := s.clocks.host(i, s.team[i], s.main.ticks[i][0]) + shift
		if first == 0 {
			first, last = at, at
		}
		first, last = min(first, at), max(last, at)
	}
	return first, last
}

// EmptyGate is the wall time of an empty step on the team: gate, one empty
// submission per device, last one seen done. Median of several.
func (s *Session) EmptyGate(ctx context.Context) (float64, error) {
	const runs = 21
	phase := vk.Phase{Submissions: make([][]*vk.Commands, len(s.team))}
	err := s.each(func(i int, d *vk.Device) error {
		c, err := d.Record(nil)
		phase.Submissions[i] = []*vk.Commands{c}
		return err
	})
	if err != nil {
		return 0, err
	}
	rec := &recording{reps: 1, commands: phase.Submissions}
	sched, err := s.schedule([]vk.Phase{phase})
	if err != nil {
		return 0, joinErr(err, rec.close(s))
	}
	rec.parts = []part{{schedule: sched}}
	times := make([]float64, runs)
	for i := range times {
		w, err := rec.run(ctx, s)
		if err != nil {
			return 0, joinErr(err, rec.close(s))
		}
		times[i] = float64(w.done-w.opened) * 1e-9
	}
	slices.Sort(times)
	return times[runs/2], rec.close(s)
}
