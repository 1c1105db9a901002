package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk"
)

// maxPhases bounds how many phases one sample may hold; more repetitions than
// that fits are cut down, as command buffers are recorded once per phase.
const maxPhases = 4096

// prepare records the timed steps reps times over.
func (s *Session) prepare(reps int) error {
	if s.deal != nil || s.main != nil && s.main.reps == reps && s.main.limit == s.submitLimit {
		return nil
	}
	if err := s.main.close(s); err != nil {
		return err
	}
	s.main = nil
	rec, err := s.recordSample(reps)
	if err != nil {
		return err
	}
	s.main = rec
	return nil
}

// MaxReps is the largest number of repetitions one sample should hold: with
// communication every repetition brings phases of its own.
func (s *Session) MaxReps() int {
	if s.spec.Cache == Cold || s.deal != nil {
		return 1
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
	if err := s.prepare(reps); err != nil {
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
	w, err := s.runOnce(ctx)
	if err != nil {
		return Sample{}, doing(fmt.Sprintf("sample %d", s.samples+1), err)
	}
	if err := s.fault.delay(ctx, s, &w); err != nil {
		return Sample{}, err
	}
	s.samples++
	out := Sample{Seconds: float64(w.done-w.opened) * 1e-9 / float64(reps)}
	if s.deal != nil {
		return out, s.readDeal(w, &out)
	}
	if s.main.queries != nil {
		if err := s.readTimes(w, &out); err != nil {
			return Sample{}, err
		}
	}
	return out, nil
}

// readTimes turns the ticks of a run into sums and spans.
func (s *Session) readTimes(w wall, out *Sample) error {
	rec := s.main
	for i, q := range rec.queries {
		if err := q.Read(rec.ticks[i]); err != nil {
			return err
		}
	}
	n := len(s.team)
	reps := float64(rec.counted)
	t := &result.SampleTimes{Compute: make([]float64, n), Transfer: make([]float64, n)}
	var drift bool // with tails, devices are not together at the end of a phase
	for p := rec.skip; p < rec.timedPhases(); p++ {
		var critical, device, busy float64 // busy: with the tails, during which devices wait for nobody
		for i := range n {
			shape := rec.present[p][i]
			if !shape.used {
				continue
			}
			ticks := rec.ticks[i][p*queriesPerPhase : (p+1)*queriesPerPhase]
			compute, transfer := s.phaseTimes(i, shape, ticks)
			behind := s.tailTime(i, shape, ticks)
			drift = drift || behind > 0
			t.Compute[i] += (compute + behind) / reps
			t.Transfer[i] += transfer / reps
			critical = max(critical, compute+behind)
			device = max(device, compute+transfer)
			busy = max(busy, compute+transfer+behind)
			if len(out.Spans) < maxSpans {
				out.Spans = append(out.Spans, s.phaseSpans(i, shape, ticks, w)...)
			}
		}
		moved := max(device+s.moveTimes(p, w, out)-busy, 0) // the rest is hidden behind a tail
		for i := range rec.moves[p].devices {
			t.Transfer[i] += moved / reps
		}
		t.Critical += critical / reps
		t.Device += (busy + moved) / reps
	}
	if drift { // what is slow in one phase need not be behind what was slow in the one before
		t.Device = min(t.Device, out.Seconds)
	}
	t.Skew = s.startSkew(w)
	out.Times = t
	return nil
}

// moveTimes is how long copy engines worked after phase p, in seconds, once all
// devices were through it; it adds their spans. Copies that began with the phase are
// hidden behind its work up to there: their span shows it, the time leaves it out.
func (s *Session) moveTimes(p int, w wall, out *Sample) float64 {
	m := s.main.moves[p]
	if len(m.devices) == 0 {
		return 0
	}
	began := m.from
	if m.early {
		began = w.opened
		if p > 0 {
			began = s.main.moves[p-1].to
		}
	}
	for i := range s.team {
		if m.devices[i] && s.clocks.known() && len(out.Spans) < maxSpans {
			out.Spans = append(out.Spans, result.Span{Device: s.team[i].Info().Index, Kind: "transfer", Start: float64(began-w.opened) * 1e-9, End: float64(m.to-w.opened) * 1e-9})
		}
	}
	return float64(m.to-m.from) * 1e-9
}

// maxSpans bounds the spans of one sample.
const maxSpans = 512

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

// phaseSpans places the intervals of a phase on the time axis of the sample;
// empty when the device's clock is not tied to the host's.
func (s *Session) phaseSpans(i int, shape laneShape, ticks []uint64, w wall) []result.Span {
	if !s.clocks.known() {
		return nil
	}
	var out []result.Span
	add := func(kind string, from, to uint64) {
		a, b := s.clocks.host(i, s.team[i], from), s.clocks.host(i, s.team[i], to)
		out = append(out, result.Span{Device: s.team[i].Info().Index, Kind: kind, Start: (a - float64(w.opened)) * 1e-9, End: (b - float64(w.opened)) * 1e-9})
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

// startSkew is the time between the first and the last device's start, from the
// common clock where there is one, else between the signals of the gate.
func (s *Session) startSkew(w wall) float64 {
	if !s.clocks.known() || len(s.team) < 2 {
		return float64(w.skew) * 1e-9
	}
	var first, last float64
	seen := false
	for i := range s.team {
		if !s.main.present[0][i].used {
			continue
		}
		at := s.clocks.host(i, s.team[i], s.main.ticks[i][0])
		if !seen {
			first, last, seen = at, at, true
		}
		first, last = min(first, at), max(last, at)
	}
	return (last - first) * 1e-9
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
	sched, err := vk.NewSchedule(s.team, []vk.Phase{phase})
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
