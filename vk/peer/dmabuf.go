package peer

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/vk"
)

// dmabufTransport lets a sender write straight into memory of the receiver, which
// it imports as a dma-buf; the receiver copies from there to where the data
// belongs. For drivers that offer VK_EXT_external_memory_dma_buf on both ends
// (Mesa's for AMD and Intel). Only used when it is asked for: it needs peer-to-peer
// DMA in the kernel, and was slower than host memory where others measured it.
// Never measured here.
type dmabufTransport struct {
	team  []*vk.Device
	zones map[zoneKey]*zone
}

type zoneKey struct {
	from, to int
	block    blockKey
}

// zone is memory of a receiver that one sender writes.
type zone struct{ receivers, senders *vk.Buffer }

func newDmaBuf(team []*vk.Device) (Transport, error) {
	t := &dmabufTransport{team: team, zones: map[zoneKey]*zone{}}
	able := 0
	for _, d := range team {
		if d.Shares(vk.DmaBuf) {
			able++
		}
	}
	if able < 2 {
		return nil, fmt.Errorf("%w: it needs VK_EXT_external_memory_dma_buf on both ends, and %d of these %d devices have it", vk.ErrUnsupported, able, len(team))
	}
	return t, nil
}

func (t *dmabufTransport) Name() string { return DmaBuf }

func (t *dmabufTransport) Carries(from, to int) error {
	for _, i := range []int{from, to} {
		if !t.team[i].Shares(vk.DmaBuf) {
			return fmt.Errorf("device %d (%s): %w: no VK_EXT_external_memory_dma_buf", t.team[i].Info().Index, t.team[i].Info().Name, vk.ErrUnsupported)
		}
	}
	return nil
}

// zone returns the memory of one link that holds at least size bytes.
func (t *dmabufTransport) zone(from, to int, size uint64, parity int) (*zone, error) {
	key := zoneKey{from, to, blockClass(size, parity)}
	if z := t.zones[key]; z != nil {
		return z, nil
	}
	b, fd, err := t.team[to].NewShared(key.block.size, vk.DmaBuf, vk.DeviceLocal)
	if err != nil {
		return nil, fmt.Errorf("memory to share on %s: %w", t.team[to].Info().Name, err)
	}
	imported, err := t.team[from].ImportDmaBuf(fd, key.block.size)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("import in %s: %w", t.team[from].Info().Name, err), unix.Close(fd), b.Close())
	}
	z := &zone{b, imported}
	t.zones[key] = z
	return z, nil
}

func (t *dmabufTransport) Rounds(moves []Move, parity int) ([]Round, int, error) {
	var rounds []Round
	for _, slots := range batch(moves) {
		r := newRound(len(t.team))
		for _, s := range slots {
			for _, m := range s.movers {
				if err := t.Carries(s.from, m.To); err != nil {
					return nil, parity, err
				}
				z, err := t.zone(s.from, m.To, total(slots), parity)
				if err != nil {
					return nil, parity, err
				}
				r.Out[s.from] = append(r.Out[s.from], copyOp(s.buf, s.off, z.senders, s.place, s.size))
				r.In[m.To] = append(r.In[m.To], copyOp(z.receivers, s.place, m.Dst, m.DstOff, m.Size))
			}
		}
		rounds = append(rounds, r)
		parity ^= 1
	}
	return rounds, parity, nil
}

func (t *dmabufTransport) Close() error {
	var errs []error
	for _, z := range t.zones {
		errs = append(errs, z.senders.Close(), z.receivers.Close())
	}
	clear(t.zones)
	return errors.Join(errs...)
}
