package peer

import (
	"errors"
	"fmt"

	"github.com/amgpu/amgpu/vk"
)

// hostTransport moves data through page-aligned blocks of host memory that every
// device of the team that can has imported (VK_EXT_external_memory_host): the
// sender copies out of its memory, the receivers copy in, the CPU touches nothing.
// Works between any vendors.
type hostTransport struct {
	team   []*vk.Device
	cannot []error // by device: why it imports no host memory
	blocks map[blockKey]*sharedBlock
}

// sharedBlock is one block and its import in every device that can.
type sharedBlock struct {
	block   *vk.HostBlock
	imports []*vk.Buffer // by device
}

func newHost(team []*vk.Device) (Transport, error) {
	t := &hostTransport{team: team, cannot: make([]error, len(team)), blocks: map[blockKey]*sharedBlock{}}
	// The extension may be there and the import still fail.
	if _, err := t.block(1, 0); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	able := 0
	for _, err := range t.cannot {
		if err == nil {
			able++
		}
	}
	if able < 2 {
		return nil, errors.Join(errors.Join(t.cannot...), t.Close())
	}
	return t, nil
}

func (t *hostTransport) Carries(from, to int) error {
	return errors.Join(t.cannot[from], t.cannot[to])
}

func (t *hostTransport) Name() string { return Host }

// block returns the block of one parity that holds at least size bytes.
func (t *hostTransport) block(size uint64, parity int) (*sharedBlock, error) {
	key := blockClass(size, parity)
	if b := t.blocks[key]; b != nil {
		return b, nil
	}
	block, err := vk.NewHostBlock(key.size)
	if err != nil {
		return nil, fmt.Errorf("shared host block of %d bytes: %w", key.size, err)
	}
	sb := &sharedBlock{block: block}
	for i, d := range t.team {
		var b *vk.Buffer
		if t.cannot[i] == nil {
			b, err = d.Import(block)
		}
		if err != nil && len(t.blocks) == 0 { // the first block is the probe
			t.cannot[i], err = err, nil
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("import host memory in %s: %w", d.Info().Name, err), sb.close())
		}
		sb.imports = append(sb.imports, b)
	}
	t.blocks[key] = sb
	return sb, nil
}

func (t *hostTransport) Rounds(moves []Move, parity int) ([]Round, int, error) {
	var rounds []Round
	for _, slots := range batch(moves) {
		sb, err := t.block(total(slots), parity)
		if err != nil {
			return nil, parity, err
		}
		r := newRound(len(t.team))
		for _, s := range slots {
			r.Out[s.from] = append(r.Out[s.from], copyOp(s.buf, s.off, sb.imports[s.from], s.place, s.size))
			for _, m := range s.movers {
				r.In[m.To] = append(r.In[m.To], copyOp(sb.imports[m.To], s.place, m.Dst, m.DstOff, m.Size))
			}
		}
		rounds = append(rounds, r)
		parity ^= 1
	}
	return rounds, parity, nil
}

func (t *hostTransport) Close() error {
	var errs []error
	for _, b := range t.blocks {
		errs = append(errs, b.close())
	}
	clear(t.blocks)
	return errors.Join(errs...)
}

func (b *sharedBlock) close() error {
	var errs []error
	for _, i := range b.imports {
		errs = append(errs, i.Close())
	}
	return errors.Join(append(errs, b.block.Close())...)
}
