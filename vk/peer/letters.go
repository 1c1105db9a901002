package peer

import (
	"errors"
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/vk"
)

// letter is what one device sends in a round, or what this process receives in it: slots
// by their places in memory of the host, and the runs of them that travel together.
type letter struct {
	device int // that sends, in the team
	slots  []slot
	runs   []run
	size   uint64
}

// run is a parcel: bytes from place on, to or from a process; lane is the sending device among
// those of its process.
type run struct {
	process, lane int
	place, size   uint64
}

// lane is the number of a device of the team among those of its process.
func (t *Apart) lane(device int) int {
	n := 0
	for d := range device {
		if t.post.Home[d] == t.post.Home[device] {
			n++
		}
	}
	return n
}

// append adds a slot behind the others and returns its place.
func (l *letter) append(s slot) uint64 {
	s.place = l.size
	l.slots = append(l.slots, s)
	l.size += (s.size + 255) &^ 255
	return s.place
}

// letters sorts the slots of a round: what own devices send, device by device, and what
// own devices receive. Sender and receiver cut them into the same runs in the same order,
// as both see all slots: one run is what lies together at the sender.
func (t *Apart) letters(slots []slot) (out []letter, in []letter) {
	var all letter // received
	for d := range t.team {
		home := t.post.Home[d]
		sent := letter{device: d}
		var processes []int // that receive something, ascending
		for _, s := range slots {
			if s.from != d {
				continue
			}
			sent.append(s)
			for _, m := range s.movers {
				if to := t.post.Home[m.To]; !slices.Contains(processes, to) {
					processes = append(processes, to)
				}
			}
		}
		slices.Sort(processes)
		for _, p := range processes {
			switch {
			case home == t.post.Self:
				sent.runs = append(sent.runs, t.runs(sent.slots, p, p, nil)...)
			case p == t.post.Self:
				all.runs = append(all.runs, t.runs(sent.slots, p, home, &all)...)
			}
		}
		if home == t.post.Self && len(sent.slots) > 0 {
			out = append(out, sent)
		}
	}
	if len(all.runs) > 0 {
		in = []letter{all}
	}
	return out, in
}

// runs are the stretches of a sender's slots that process to receives, named after the
// process with. The receiver lays them into its own letter.
func (t *Apart) runs(slots []slot, to, with int, into *letter) []run {
	var out []run
	next := ^uint64(0) // place behind the last slot taken
	for _, s := range slots {
		mine := slices.DeleteFunc(slices.Clone(s.movers), func(m Move) bool { return t.post.Home[m.To] != to })
		if len(mine) == 0 {
			continue
		}
		place, joins := s.place, s.place == next
		next = s.place + (s.size+255)&^255
		if into != nil {
			s.movers = mine
			place = into.append(s)
		}
		if joins {
			last := &out[len(out)-1]
			last.size = place + s.size - last.place
			continue
		}
		out = append(out, run{with, t.lane(s.from), place, s.size})
	}
	return out
}

// postKey names memory of the post: of a device that sends, or -1 of all that receive.
type postKey struct {
	device int
	block  blockKey
}

// postMemory is memory of the host that the post reads or writes.
type postMemory struct {
	bytes   []byte
	block   *vk.HostBlock // nil: it is a buffer's
	buffers []*vk.Buffer  // by own device: how it sees the memory, or a copy of it
}

// out is memory into which a device copies what it sends.
func (t *Apart) out(l letter, parity int) (*postMemory, error) {
	key := postKey{l.device, blockClass(l.size, parity)}
	if m := t.memory[key]; m != nil {
		return m, nil
	}
	b, err := t.team[l.device].NewBuffer(key.block.size, vk.HostRead)
	if err != nil {
		return nil, fmt.Errorf("memory for what %s sends: %w", t.team[l.device].Info().Name, err)
	}
	m := &postMemory{bytes: b.Bytes(), buffers: make([]*vk.Buffer, len(t.own))}
	m.buffers[t.place[l.device]] = b
	t.memory[key] = m
	return m, nil
}

// in is memory in which the devices of this process find what they receive: one block that
// all import, or, for those that cannot, a copy for each.
func (t *Apart) in(l letter, parity int) (*postMemory, error) {
	key := postKey{-1, blockClass(l.size, parity)}
	if m := t.memory[key]; m != nil {
		return m, nil
	}
	block, err := vk.NewHostBlock(key.block.size)
	if err != nil {
		return nil, fmt.Errorf("memory for %d bytes of other processes: %w", key.block.size, err)
	}
	m := &postMemory{bytes: block.Bytes(), block: block}
	for i, d := range t.own {
		var b *vk.Buffer
		if t.cannot[i] == nil {
			if b, err = t.team[d].Import(block); errors.Is(err, vk.ErrUnsupported) {
				t.cannot[i], err = err, nil
			}
		}
		if t.cannot[i] != nil {
			b, err = t.team[d].NewBuffer(key.block.size, vk.HostWrite)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("memory for what %s receives: %w", t.team[d].Info().Name, err), m.close())
		}
		m.buffers = append(m.buffers, b)
	}
	t.memory[key] = m
	return m, nil
}

func (m *postMemory) close() error {
	var errs []error
	for _, b := range m.buffers {
		errs = append(errs, b.Close())
	}
	return errors.Join(append(errs, m.block.Close())...)
}
