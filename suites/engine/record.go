package engine

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
)

// recording is a list of steps recorded reps times over as command buffers and
// schedules, ready to run any number of times.
type recording struct {
	reps     int
	limit    float64 // submission length it was cut for
	stages   int     // phases over all segments
	timed    int     // the first phases, which have timestamps; 0: all
	skip     int     // of these the first ones, which do not count
	counted  int     // repetitions that the others make up
	parts    []part
	commands [][]*vk.Commands // by device
	queries  []*vk.Queries    // by device; nil without usable timestamps
	ticks    [][]uint64       // by device: queriesPerPhase per phase
	present  [][]laneShape    // by phase and device
	moves    []moved          // by phase
	steps    []string         // by phase, for errors
}

// part is one schedule and the host step that follows it.
type part struct {
	schedule *vk.Schedule
	host     *program.Host
}

// moved is what copy engines did after a phase, on the devices of the set.
type moved struct {
	devices map[int]bool
	early   bool // some began with the phase
	// CLOCK_MONOTONIC_RAW, of the last run: all devices through the phase, copies of engines
	// done, those of the host made as well.
	from, to, copied int64
	step             string // the host step that follows; empty: none
	resumed          int64  // the gate after that
}

// movers are the devices of this process between which copies go.
func movers(copies []vk.PeerCopy) map[int]bool {
	set := map[int]bool{}
	for _, c := range copies {
		set[c.From] = true
		if c.Away == 0 {
			set[c.To] = true
		}
	}
	return set
}

// laneShape says which intervals a lane has.
type laneShape struct{ used, in, out, tail, beside bool }

// recordSetup turns the setup into a recording that is not timed.
func (s *Session) recordSetup(ctx context.Context) (*recording, error) {
	b := s.newBuilder()
	if err := b.steps(s.prog.Setup); err != nil {
		return nil, err
	}
	return s.record(ctx, b, 1, false)
}

// Where a sample has more than shortReps repetitions on GPUs, each takes less than 0.2 ms
// and only the first timedReps have timestamps: one costs 2 us, several of which in every
// repetition would be a quarter of a small collective. Elsewhere, and on software devices,
// all have them: the first repetitions are not quite like the others.
const (
	timedReps = 8
	shortReps = 50
)

// recordSample turns reps iterations into a recording with timestamps.
func (s *Session) recordSample(ctx context.Context, reps int) (*recording, error) {
	b := s.newBuilder()
	last := -1 // phase in which the repetitions with timestamps end, and another one begins
	for i := range reps {
		if i == timedReps && reps > s.shortReps {
			last = b.phases() - 1
		}
		if err := b.iteration(i > 0); err != nil {
			return nil, err
		}
	}
	rec := &recording{reps: reps, counted: reps}
	if last > 0 && last < b.phases()-1 {
		// As many phases from the second on: what the last one has of the next
		// repetition, the first had of its own.
		rec.timed, rec.skip, rec.counted = last+1, 1, timedReps
		if s.host != nil { // repetitions share no phase
			rec.skip = 0
		}
	}
	return s.recordInto(ctx, rec, b, true)
}

// phases is how many phases there are so far.
func (b *builder) phases() int {
	n := 0
	for _, seg := range b.segments {
		n += len(seg.stages)
	}
	return n
}

// record turns what a builder holds into schedules.
func (s *Session) record(ctx context.Context, b *builder, reps int, timed bool) (*recording, error) {
	return s.recordInto(ctx, &recording{reps: reps}, b, timed)
}

func (s *Session) recordInto(ctx context.Context, rec *recording, b *builder, timed bool) (_ *recording, err error) {
	rec.limit, rec.commands = b.limit, make([][]*vk.Commands, len(s.workers))
	defer func() {
		if err != nil {
			err = errors.Join(err, rec.close(s))
		}
	}()
	var stages []*stage
	for _, seg := range b.segments {
		stages = append(stages, seg.stages...)
	}
	rec.stages = len(stages)
	if err := s.settle(ctx, stages); err != nil {
		return rec, err
	}
	if timed {
		if err := s.makeQueries(rec); err != nil {
			return rec, err
		}
	}
	work := make([]vk.Phase, len(stages))
	rec.present, rec.moves = make([][]laneShape, len(stages)), make([]moved, len(stages))
	for p := range stages {
		rec.steps = append(rec.steps, stages[p].stepsText())
		n := len(s.workers)
		work[p] = vk.Phase{
			Submissions: make([][]*vk.Commands, n), Tails: make([][]*vk.Commands, n), Beside: make([][]*vk.Commands, n),
			Copies: stages[p].copies, Peers: stages[p].peers, Parcels: stages[p].parcels,
		}
		rec.present[p] = make([]laneShape, len(s.workers))
		rec.moves[p].devices = movers(stages[p].peers)
		maps.Copy(rec.moves[p].devices, stages[p].posted)
		rec.moves[p].early = slices.ContainsFunc(stages[p].peers, func(c vk.PeerCopy) bool { return c.Early })
	}
	err = s.each(func(i int, d *vk.Device) error {
		for p, st := range stages {
			var q *vk.Queries
			if rec.queries != nil && p < rec.timedPhases() {
				q = rec.queries[i]
			}
			if err := rec.recordLane(&work[p], st, i, d, q, p*queriesPerPhase); err != nil {
				return err
			}
			l := &st.lanes[i]
			rec.present[p][i] = laneShape{
				used: len(work[p].Submissions[i]) > 0, in: len(l.in) > 0, out: len(l.out) > 0,
				tail: len(work[p].Tails[i]) > 0, beside: len(work[p].Beside[i]) > 0,
			}
		}
		return nil
	})
	if err != nil {
		return rec, err
	}
	at := 0
	for _, seg := range b.segments {
		phases := work[at : at+len(seg.stages)]
		at += len(seg.stages)
		sched, err := s.schedule(phases)
		if err != nil {
			return rec, err
		}
		rec.parts = append(rec.parts, part{sched, seg.host})
		if seg.host != nil && at < len(stages) {
			rec.moves[at-1].step = cmp.Or(seg.host.Label, "host step")
		}
	}
	return rec, nil
}

// recordLane records what device i does in a phase, with timestamps from first on.
func (rec *recording) recordLane(phase *vk.Phase, st *stage, i int, d *vk.Device, q *vk.Queries, first int) error {
	l := &st.lanes[i]
	add := func(to *[]*vk.Commands, how func([]vk.Op) (*vk.Commands, error), ops []vk.Op) error {
		c, err := how(ops)
		if err != nil {
			return err
		}
		rec.commands[i] = append(rec.commands[i], c)
		*to = append(*to, c)
		return nil
	}
	var tail [][]vk.Op
	if st.tails != nil {
		tail = st.tails[i].tailOps(q, first)
		l.ahead = len(tail) > 0 // the phase must end somewhere
	}
	for _, ops := range l.ops(q, first) {
		if err := add(&phase.Submissions[i], d.Record, ops); err != nil {
			return err
		}
	}
	for _, ops := range tail {
		if err := add(&phase.Tails[i], d.Record, ops); err != nil {
			return err
		}
	}
	if ops := l.besideOps(q, first); ops != nil {
		return add(&phase.Beside[i], d.RecordBeside, ops)
	}
	return nil
}

// timedPhases is how many of the first phases have timestamps.
func (rec *recording) timedPhases() int {
	if rec.timed > 0 {
		return rec.timed
	}
	return rec.stages
}

// makeQueries gives every device a query pool, or none of them one: times of
// half a team say nothing.
func (s *Session) makeQueries(rec *recording) error {
	queries := make([]*vk.Queries, len(s.workers))
	err := s.each(func(i int, d *vk.Device) (err error) {
		queries[i], err = d.NewQueries(rec.timedPhases() * queriesPerPhase)
		return err
	})
	if errors.Is(err, vk.ErrUnsupported) {
		if s.samples == 0 {
			s.note("no-timestamps", "a device has no usable timestamps: only wall time is known")
		}
		return s.each(func(i int, _ *vk.Device) error { return queries[i].Close() })
	}
	if err != nil {
		return err
	}
	rec.queries = queries
	rec.ticks = make([][]uint64, len(s.workers))
	for i := range rec.ticks {
		rec.ticks[i] = make([]uint64, rec.timedPhases()*queriesPerPhase)
	}
	return nil
}
