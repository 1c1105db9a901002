package peer

import (
	"fmt"

	"github.com/amgpu/amgpu/vk"
)

// Lander is a transport of a team whose receivers may be able to read what was sent
// where it arrives: see Routes.
type Lander interface {
	Lands() bool
	Land(moves []Move, parity int) (Round, []vk.BufferRange, int, error)
}

// lander is a transport that can.
type lander interface {
	land(moves []Move, parity int) (Round, []vk.BufferRange, int, error)
}

// Lands says whether Land works: all links use one transport that goes through memory
// every device sees.
func (r *Routes) Lands() bool {
	if len(r.transports) != 1 {
		return false
	}
	_, ok := r.transports[0].(lander)
	return ok
}

// Land plans small moves whose receivers read the bytes in place, in memory of the
// host, instead of copying them in: the Dst of a move does not count, and the result
// says for each where its receiver finds the bytes until the round after this one is
// over. The round's In is empty. No device may send more than LandBytes in all.
func (r *Routes) Land(moves []Move, parity int) (Round, []vk.BufferRange, int, error) {
	if !r.Lands() {
		return Round{}, nil, parity, fmt.Errorf("transport %s: receivers cannot read in place: %w", r.Name(), vk.ErrUnsupported)
	}
	return r.transports[0].(lander).land(moves, parity)
}

// LandBytes is the most that one device sends in a Land.
const LandBytes = minRound

func (t *hostTransport) land(moves []Move, parity int) (Round, []vk.BufferRange, int, error) {
	rounds := batch(moves)
	if len(rounds) != 1 {
		return Round{}, nil, parity, fmt.Errorf("transport %s: moves to be read in place take %d rounds", t.Name(), len(rounds))
	}
	sb, err := t.block(total(rounds[0]), parity)
	if err != nil {
		return Round{}, nil, parity, err
	}
	type arrival struct {
		to   int
		from slotKey
	}
	at := map[arrival]vk.BufferRange{}
	r := newRound(len(t.team))
	for _, s := range rounds[0] {
		r.Out[s.from] = append(r.Out[s.from], copyOp(s.buf, s.off, sb.imports[s.from], s.place, s.size))
		for _, m := range s.movers {
			at[arrival{m.To, slotKey{s.from, s.buf, s.off, s.size}}] = vk.BufferRange{Buffer: sb.imports[m.To], Offset: s.place, Size: s.size}
		}
	}
	out := make([]vk.BufferRange, len(moves))
	for i, m := range moves {
		out[i] = at[arrival{m.To, slotKey{m.From, m.Src, m.SrcOff, m.Size}}]
	}
	return r, out, parity ^ 1, nil
}
