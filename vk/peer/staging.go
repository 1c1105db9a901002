package peer

import (
	"errors"
	"fmt"

	"github.com/amgpu/amgpu/vk"
)

// stagingTransport is the reference that always works: copy to the sender's
// host-visible memory, wait, memcpy on the CPU, copy up from the receiver's.
type stagingTransport struct {
	team []*vk.Device
	up   map[stagingKey]*vk.Buffer // receivers' upload memory
	down map[stagingKey]*vk.Buffer // senders' download memory
}

type stagingKey struct {
	device int
	block  blockKey
}

func newStaging(team []*vk.Device) (Transport, error) {
	return &stagingTransport{team: team, up: map[stagingKey]*vk.Buffer{}, down: map[stagingKey]*vk.Buffer{}}, nil
}

func (t *stagingTransport) Name() string { return Staging }

func (t *stagingTransport) Carries(_, _ int) error { return nil }

func (t *stagingTransport) buffer(m map[stagingKey]*vk.Buffer, kind vk.MemKind, device int, size uint64, parity int) (*vk.Buffer, error) {
	key := stagingKey{device, blockClass(size, parity)}
	if b := m[key]; b != nil {
		return b, nil
	}
	b, err := t.team[device].NewBuffer(key.block.size, kind)
	if err != nil {
		return nil, fmt.Errorf("staging memory on %s: %w", t.team[device].Info().Name, err)
	}
	m[key] = b
	return b, nil
}

func (t *stagingTransport) Rounds(moves []Move, parity int) ([]Round, int, error) {
	var rounds []Round
	for _, slots := range batch(moves) {
		r := newRound(len(t.team))
		size := total(slots)
		for _, s := range slots {
			down, err := t.buffer(t.down, vk.HostRead, s.from, size, parity)
			if err != nil {
				return nil, parity, err
			}
			r.Out[s.from] = append(r.Out[s.from], copyOp(s.buf, s.off, down, s.place, s.size))
			for _, m := range s.movers {
				up, err := t.buffer(t.up, vk.HostWrite, m.To, size, parity)
				if err != nil {
					return nil, parity, err
				}
				// One receiver may take a slot twice: its staging copy is the same.
				r.In[m.To] = append(r.In[m.To], copyOp(up, s.place, m.Dst, m.DstOff, m.Size))
				r.Copies = append(r.Copies, vk.HostCopy{
					Dst: up.Bytes()[s.place : s.place+s.size],
					Src: down.Bytes()[s.place : s.place+s.size],
				})
			}
		}
		rounds = append(rounds, r)
		parity ^= 1
	}
	return rounds, parity, nil
}

func (t *stagingTransport) Close() error {
	var errs []error
	for _, m := range []map[stagingKey]*vk.Buffer{t.up, t.down} {
		for _, b := range m {
			errs = append(errs, b.Close())
		}
		clear(m)
	}
	return errors.Join(errs...)
}
