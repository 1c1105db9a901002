package engine

import (
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// queriesPerPhase: start, after copies in, after compute, after copies out; begin and end
// of the tail; begin and end of what goes beside.
const (
	queriesPerPhase = 8
	tailQuery       = 4
	besideQuery     = 6
)

// stage is one phase of a team under construction.
type stage struct {
	lanes   []lane
	tails   []lane // dispatches beside the hand-over that ends the phase; nil: none
	copies  []vk.HostCopy
	peers   []vk.PeerCopy
	parcels []vk.Parcel
	pushes  []peer.Push  // of all processes
	posted  map[int]bool // devices of this process with a part in parcels
	steps   []string     // that have a part in it, for errors
}

// segment is a run of phases between host steps.
type segment struct {
	stages []*stage
	host   *program.Host // runs after the stages
}

// builder turns steps into phases. A phase ends where data must cross between
// devices or to the host; where nothing crosses (a team of one), it goes on.
type builder struct {
	s        *Session
	segments []*segment
	main     route
	relay    route
	over     *route             // what the step in progress goes over
	shader   bool               // its copies through host memory are made by shaders
	body     []program.Dispatch // run beside the next hand-over
	inTail   bool               // dispatches go to the tail of the phase
	unitCost float64            // nominal operations of one unit in one dispatch
	limit    float64            // most cost of one submission on a GPU; 0: no limit
	doing    string             // in progress, for errors
}

// route is a transport with the parity of its next round.
type route struct {
	transport peer.Transport
	parity    int
}

// take makes the step that follows go over the transport of its way.
func (b *builder) take(w way) {
	b.over = &b.main
	if w.relay {
		b.over = &b.relay
	}
	b.shader = w.shader
}

func (s *Session) newBuilder() *builder {
	b := &builder{s: s, segments: []*segment{{}}, main: route{s.transport, 0}, relay: route{s.relay, 0}}
	b.over = &b.main
	n := max(dispatches(s.prog.Steps), 1)
	b.unitCost = s.cost() / float64(n) / float64(max(s.prog.Units, 1))
	b.limit = s.submitLimit
	b.advance()
	return b
}

// A submission holds a bounded number of nominal operations, a byte counting as
// bytesCost of them. The first iteration uses firstSubmit, which even a GPU of
// 1 TFLOP/s ends in 0.2 s; later ones what the device did in submitSeconds: well
// below the half second after which drivers' watchdogs become a danger, and far
// above the cost of a submit.
const (
	firstSubmit   = 2e11
	bytesCost     = 10
	submitSeconds = 0.25
)

// cost is the nominal cost of one iteration over all devices.
func (s *Session) cost() float64 { return max(s.prog.Flops, bytesCost*s.prog.Bytes) }

// learn sets the submission length from the wall time of one iteration.
func (s *Session) learn(seconds float64) {
	if s.submitLimit > 0 && seconds > 0 {
		s.submitLimit = max(s.submitLimit, s.cost()/float64(len(s.team))/seconds*submitSeconds)
	}
}

// now is the phase being built.
func (b *builder) now() *stage {
	seg := b.segments[len(b.segments)-1]
	return seg.stages[len(seg.stages)-1]
}

// advance starts the next phase.
func (b *builder) advance() {
	seg := b.segments[len(b.segments)-1]
	st := &stage{lanes: make([]lane, len(b.s.workers))}
	st.does(b.doing)
	if n := len(seg.stages); n > 0 && seg.stages[n-1].tails != nil {
		for d := range st.lanes {
			st.lanes[d].behind = len(seg.stages[n-1].tails[d].compute) > 0
		}
	}
	seg.stages = append(seg.stages, st)
}

// handOver ends the phase for data to cross, beside which an overlapping body runs.
func (b *builder) handOver() error {
	if body := b.body; body != nil {
		b.body, b.inTail = nil, true
		b.now().tails = make([]lane, len(b.s.workers))
		for d := range b.now().tails {
			b.now().tails[d].dirty = vk.StageCompute | vk.StageTransfer
		}
		err := b.dispatchAll(body)
		b.inTail = false
		if err != nil {
			return err
		}
	}
	b.advance()
	return nil
}

// lane is where the dispatches of a device go.
func (b *builder) lane(d int) *lane {
	if b.inTail {
		return &b.now().tails[d]
	}
	return &b.now().lanes[d]
}

// steps appends a list of steps.
func (b *builder) steps(list []program.Step) error {
	for _, st := range list {
		if err := b.step(st); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) step(st program.Step) error {
	if name := stepName(st); name != "" {
		b.doing = name
		b.now().does(name)
		defer func() { b.doing = "" }()
	}
	switch st := st.(type) {
	case program.Dispatch:
		return b.dispatch(st)
	case program.Exchange:
		b.take(b.s.wayOf(st))
		return b.exchange(st)
	case program.AllReduce, program.ReduceScatter, program.AllGather, program.Broadcast, program.AllToAll, program.Send:
		return b.collective(st)
	case program.Overlap:
		return b.overlap(st)
	case program.Host:
		return b.host(st)
	case program.Repeat:
		for range st.Times {
			if err := b.steps(st.Body); err != nil {
				return err
			}
		}
	}
	return nil
}

// move carries data between devices: local moves run in place, the rest ends
// the phase and arrives at the start of the next.
func (b *builder) move(moves []peer.Move) error {
	var across []peer.Move
	started := make([]bool, len(b.s.workers))
	for _, m := range moves {
		if m.From != m.To {
			across = append(across, m)
			continue
		}
		op, at, err := b.s.localCopy(m)
		if err != nil {
			return err
		}
		b.now().lanes[m.From].run(op, at, started[m.From]) // moves of one exchange never touch each other
		started[m.From] = true
	}
	if len(across) == 0 {
		return nil
	}
	rounds, parity, err := b.over.transport.Rounds(across, b.over.parity)
	if err != nil {
		return err
	}
	b.over.parity = parity
	if b.shader {
		if rounds, err = b.s.byShader(rounds); err != nil {
			return err
		}
	}
	held := make([]bool, len(b.s.workers)) // the next work of a device follows a tail
	for k, r := range rounds {
		for d := range b.now().lanes {
			b.now().lanes[d].out = append(b.now().lanes[d].out, r.Out[d]...)
		}
		b.now().copies = append(b.now().copies, r.Copies...)
		b.now().peers = append(b.now().peers, r.Peers...)
		b.now().parcels = append(b.now().parcels, r.Parcels...)
		b.now().pushes = append(b.now().pushes, r.Pushes...)
		b.now().posted = posted(b.s.team, across)
		if err := b.handOver(); err != nil {
			return err
		}
		for _, p := range r.Peers {
			b.now().lanes[p.To].landed = true
		}
		for d := range b.now().lanes {
			l := &b.now().lanes[d]
			more := k+1 < len(rounds)
			out := more && len(rounds[k+1].Out[d]) > 0
			if out {
				l.beside = append(l.beside, r.In[d]...)
			} else {
				l.in = append(l.in, r.In[d]...)
			}
			// A device without work in a phase goes on with its tail, which nothing waits for.
			held[d] = held[d] || l.behind
			l.behind = held[d] && (!more || out || len(r.In[d]) > 0)
			held[d] = held[d] && !l.behind
		}
	}
	for _, r := range rounds {
		for _, p := range r.Pushes {
			b.now().lanes[p.To].landed = true
		}
	}
	return nil
}

// host ends the segment: the function runs between two schedules.
func (b *builder) host(h program.Host) error {
	seg := b.segments[len(b.segments)-1]
	seg.host = &h
	b.segments = append(b.segments, &segment{})
	b.advance()
	return nil
}
