package peer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/vk"
)

// Post carries bytes between the processes that a team lies in. Parcels between two of
// them arrive in the order in which they were given to it.
type Post struct {
	Name   string
	Engine *vk.CopyEngine
	Self   int   // this process
	Home   []int // by device of the team: its process
	// Word tells the engine whom a parcel goes to or comes from, and which device of its process
	// sends it: parcels of one device stay in order, those of several need not, as each begins
	// when its device is ready.
	Word func(process, lane int, send bool) uint64
	// Swap gives what each process of the team says to all of them, by process. Each calls it
	// as often as the others. nil: processes share nothing but parcels.
	Swap func(ctx context.Context, part []byte) (map[int][]byte, error)
}

// Apart is the transport of a team that lies in several processes. Moves within this
// process go over its own routes; those to and from others leave by the post, out of and
// into memory of the host: the sender copies out of its memory, the post carries the
// bytes, the receivers copy in. Between GPUs of one machine the copy engine of the sender may
// write into the receiver's memory instead (between). Moves of others leave no trace but their rounds: every
// process plans the same moves and so agrees on what is sent in which order.
type Apart struct {
	team   []*vk.Device
	post   Post
	own    []int   // devices of this process, in the team
	place  []int   // by device of the team: among own; -1: of another process
	routes *Routes // between own devices; nil: there is at most one
	memory map[postKey]*postMemory
	cannot []error // by own device: why it imports no memory of the host

	between *between // links by CUDA to other processes of this machine; nil: not looked for
	tokens  *tokens
}

// NewApart finds routes between the devices of this process, as New does, looks for links by
// CUDA to devices of other processes of its machine, where the options leave that open or ask
// for it, and uses the post for the rest. All processes of the team call it. What it returns
// must be closed even after an error.
func NewApart(ctx context.Context, o Options, team []*vk.Device, post Post) (*Apart, error) {
	t := &Apart{team: team, post: post, place: make([]int, len(team)), memory: map[postKey]*postMemory{}}
	var own []*vk.Device
	for i, d := range team {
		t.place[i] = -1
		if post.Home[i] == post.Self {
			t.place[i] = len(own)
			t.own, own = append(t.own, i), append(own, d)
		}
	}
	t.cannot = make([]error, len(own))
	var err error
	if len(own) > 1 {
		if t.routes, err = New(o, own); err != nil {
			return t, err
		}
	}
	if post.Swap == nil || o.Transport != CUDA && o.Transport != "auto" && o.Transport != "" {
		return t, nil
	}
	if t.between, err = newBetween(ctx, o, t); err != nil {
		return t, err
	}
	if len(t.between.links) > 0 {
		t.tokens, err = newTokens(len(team))
	}
	return t, err
}

// pushes says whether a link between two processes is one of CUDA.
func (t *Apart) pushes(from, to int) bool { return t.between != nil && t.between.links[pair{from, to}] }

// crossings counts the links between processes, and those of CUDA among them.
func (t *Apart) crossings() (all, pushed int) {
	for i, p := range t.post.Home {
		for j, q := range t.post.Home {
			if p != q {
				all++
				if t.pushes(i, j) {
					pushed++
				}
			}
		}
	}
	return all, pushed
}

// Engines says whether copy engines carry something between processes.
func (t *Apart) Engines() bool {
	_, pushed := t.crossings()
	return pushed > 0
}

// Name is that of the post where every link needs it, that of CUDA where every link uses that,
// else Mixed.
func (t *Apart) Name() string {
	switch all, pushed := t.crossings(); {
	case pushed > 0 && pushed == all && (t.routes == nil || t.routes.Name() == CUDA):
		return CUDA
	case pushed > 0:
		return Mixed
	}
	if t.routes == nil && len(t.own) < 2 {
		return t.post.Name
	}
	return Mixed
}

// String lists the links of this process's devices and those between processes with their
// transports.
func (t *Apart) String() string {
	var out []string
	all, pushed := t.crossings()
	switch pushed {
	case 0:
		out = append(out, "between processes "+t.post.Name)
	case all:
		out = append(out, "between processes "+CUDA)
	}
	for i, p := range t.post.Home {
		for j, q := range t.post.Home {
			switch {
			case p == q || pushed == 0 || pushed == all:
			case t.pushes(i, j):
				out = append(out, fmt.Sprintf("%d -> %d %s", i, j, CUDA))
			default:
				out = append(out, fmt.Sprintf("%d -> %d %s", i, j, t.post.Name))
			}
		}
	}
	if t.routes != nil {
		for i, a := range t.own {
			for j, b := range t.own {
				if i != j {
					out = append(out, fmt.Sprintf("%d -> %d %s", a, b, t.routes.Via(i, j)))
				}
			}
		}
	}
	return strings.Join(out, ", ")
}

// Excluded says which transports were passed over in this process, and why.
func (t *Apart) Excluded() []error {
	var out []error
	if t.routes != nil {
		out = t.routes.Excluded()
	}
	if t.between != nil {
		for _, e := range t.between.excluded {
			out = append(out, e)
		}
	}
	return out
}

// Carries implements Transport.
func (t *Apart) Carries(_, _ int) error { return nil }

// Rounds plans the moves. What goes by post takes one round where it is short; else it is
// cut, and while one part is on its way the next one is copied out and the one before in:
// one round more than there are parts. What copy engines push takes pushRounds.
func (t *Apart) Rounds(moves []Move, parity int) ([]Round, int, error) {
	var inside, across, pushed []Move
	for _, m := range moves {
		switch a, b := t.post.Home[m.From], t.post.Home[m.To]; {
		case a != b && t.pushes(m.From, m.To):
			if m.Size > 0 {
				pushed = append(pushed, m)
			}
		case a != b:
			across = append(across, m)
		case a == t.post.Self:
			inside = append(inside, m)
		}
	}
	rounds, err := t.inside(inside, parity)
	if err != nil {
		return nil, parity, err
	}
	sent, err := t.across(across, parity)
	if err != nil {
		return nil, parity, err
	}
	rounds = alongside(rounds, sent, len(t.team))
	rounds = alongside(rounds, t.push(pushed), len(t.team))
	// As many as in any other process, so that all number their phases alike.
	for most := t.most(moves); len(rounds) < most; {
		rounds = append(rounds, newRound(len(t.team)))
	}
	return rounds, (parity + len(rounds)) & 1, nil
}

// most is the number of rounds of the process that needs most of them.
func (t *Apart) most(moves []Move) int {
	across, inside, pushed := []Move{}, map[int][]Move{}, 0
	for _, m := range moves {
		switch home := t.post.Home[m.From]; {
		case home == t.post.Home[m.To]:
			inside[home] = append(inside[home], m)
		case t.pushes(m.From, m.To):
			if m.Size > 0 {
				pushed = pushRounds
			}
		default:
			across = append(across, m)
		}
	}
	n := len(batch(across))
	if n > 1 {
		n++
	}
	n = max(n, pushed)
	for _, list := range inside {
		n = max(n, len(batch(list)))
	}
	return n
}

// inside plans moves between devices of this process.
func (t *Apart) inside(moves []Move, parity int) ([]Round, error) {
	if len(moves) == 0 {
		return nil, nil
	}
	moves = slices.Clone(moves)
	for i := range moves {
		moves[i].From, moves[i].To = t.place[moves[i].From], t.place[moves[i].To]
	}
	list, _, err := t.routes.Rounds(moves, parity)
	if err != nil {
		return nil, err
	}
	out := make([]Round, len(list))
	for k, r := range list {
		out[k] = newRound(len(t.team))
		for i, d := range t.own {
			out[k].Out[d], out[k].In[d] = r.Out[i], r.In[i]
		}
		out[k].Copies, out[k].Peers = r.Copies, r.Peers
		for i := range out[k].Peers {
			p := &out[k].Peers[i]
			p.From, p.To = t.own[p.From], t.own[p.To]
		}
	}
	return out, nil
}

// across plans moves by post.
func (t *Apart) across(moves []Move, parity int) ([]Round, error) {
	parts := batch(moves)
	if len(parts) == 0 {
		return nil, nil
	}
	early := len(parts) > 1
	rounds := []Round{newRound(len(t.team))}
	for k, slots := range parts {
		if early {
			rounds = append(rounds, newRound(len(t.team)))
		}
		send, receive := &rounds[k], &rounds[len(rounds)-1]
		if err := t.part(slots, (parity+k)&1, early, send, receive); err != nil {
			return nil, err
		}
	}
	return rounds, nil
}

// part plans one part of an exchange: copies out in one round, the post and the copies
// in behind it with another, which may be the same.
func (t *Apart) part(slots []slot, parity int, early bool, send, receive *Round) error {
	out, in := t.letters(slots)
	for _, l := range out {
		m, err := t.out(l, parity)
		if err != nil {
			return err
		}
		for _, s := range l.slots {
			send.Out[s.from] = append(send.Out[s.from], copyOp(s.buf, s.off, m.buffers[t.place[s.from]], s.place, s.size))
		}
		var after []int
		if !early {
			after = []int{l.device}
		}
		for _, r := range l.runs {
			receive.Parcels = append(receive.Parcels, vk.Parcel{Engine: t.post.Engine, Bytes: m.bytes[r.place : r.place+r.size], Word: t.post.Word(r.process, r.lane, true), After: after})
		}
	}
	for _, l := range in {
		m, err := t.in(l, parity)
		if err != nil {
			return err
		}
		for _, r := range l.runs {
			receive.Parcels = append(receive.Parcels, vk.Parcel{Engine: t.post.Engine, Bytes: m.bytes[r.place : r.place+r.size], Word: t.post.Word(r.process, r.lane, false)})
		}
		for _, s := range l.slots {
			for _, mv := range s.movers {
				i := t.place[mv.To]
				receive.In[mv.To] = append(receive.In[mv.To], copyOp(m.buffers[i], s.place, mv.Dst, mv.DstOff, mv.Size))
				if t.cannot[i] != nil {
					to := m.buffers[i].Bytes()
					receive.Copies = append(receive.Copies, vk.HostCopy{Dst: to[s.place : s.place+s.size], Src: m.bytes[s.place : s.place+s.size]})
				}
			}
		}
	}
	return nil
}

// Close frees the memory and the routes.
func (t *Apart) Close() error {
	var errs []error
	for _, m := range t.memory {
		errs = append(errs, m.close())
	}
	clear(t.memory)
	if t.tokens != nil {
		errs = append(errs, t.tokens.block.Close())
		t.tokens = nil
	}
	errs = append(errs, t.between.close())
	if t.routes != nil {
		errs = append(errs, t.routes.Close())
	}
	return errors.Join(errs...)
}
