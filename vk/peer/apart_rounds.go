package peer

import (
	"slices"

	"github.com/amgpu/amgpu/vk"
)

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
