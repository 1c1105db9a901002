package peer

import (
	"fmt"

	"github.com/amgpu/amgpu/vk"
)

// Pushes take three rounds: the receiver says that its memory may be written to, when its
// device is through the phase; the sender's copy engine copies; the sender says that it has.
const pushRounds = 3

// Each token has a place of its own, so far apart that no two share a cache line.
const (
	tokenBytes = 4
	tokenRoom  = 64
)

// tokens are the memory of the host from which and into which tokens travel.
type tokens struct {
	block *vk.HostBlock
	next  int
}

// newTokens makes room for what a process receives in the rounds of one exchange.
func newTokens(devices int) (*tokens, error) {
	block, err := vk.NewHostBlock(uint64(tokenRoom * (devices*devices*2 + 1)))
	if err != nil {
		return nil, fmt.Errorf("memory for tokens: %w", err)
	}
	return &tokens{block: block}, nil
}

// outgoing is the one token that is sent, incoming the next place for one that is received.
func (t *tokens) outgoing() []byte { return t.block.Bytes()[:tokenBytes] }

func (t *tokens) incoming() []byte {
	t.next++
	at := t.next * tokenRoom
	return t.block.Bytes()[at : at+tokenBytes]
}

// push plans moves over links of CUDA to and from other processes. All processes list the
// same moves and so agree on the tokens and their order. Of all that a process writes to another
// one a single token tells: the round before it is over when the copies of all its devices are.
func (t *Apart) push(moves []Move) []Round {
	if len(moves) == 0 {
		return nil
	}
	rounds := make([]Round, pushRounds)
	for k := range rounds {
		rounds[k] = newRound(len(t.team))
	}
	ready, done := &rounds[0], &rounds[pushRounds-1]
	t.tokens.next = 0
	type hand struct{ one, other int }
	free, over := map[hand]bool{}, map[hand]bool{}
	for _, m := range moves {
		from, to := t.post.Home[m.From], t.post.Home[m.To]
		if key := (hand{m.To, from}); !free[key] {
			free[key] = true
			t.token(ready, m.To, to, from, []int{m.To})
		}
		if key := (hand{from, to}); !over[key] {
			over[key] = true
			t.token(done, m.From, from, to, nil)
		}
		rounds[1].Pushes = append(rounds[1].Pushes, Push{m.From, m.To, m.Src, m.Dst, m.SrcOff, m.DstOff, m.Size})
	}
	return rounds
}

// token appends one end of a token that goes from one process to another in the lane of a
// device, once the devices of after are through.
func (t *Apart) token(r *Round, device, from, to int, after []int) {
	p := vk.Parcel{Engine: t.post.Engine}
	switch t.post.Self {
	case from:
		p.Bytes, p.Word, p.After = t.tokens.outgoing(), t.post.Word(to, t.lane(device), true), after
	case to:
		p.Bytes, p.Word = t.tokens.incoming(), t.post.Word(from, t.lane(device), false)
	default:
		return
	}
	r.Parcels = append(r.Parcels, p)
}
