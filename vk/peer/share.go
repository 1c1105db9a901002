package peer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/vk"
)

// Push is a copy by the sender's copy engine into memory of a device of another process. It
// becomes a vk.PeerCopy when its process has been told where that memory is (Apart.Settle).
type Push struct {
	From, To       int // in the team
	Src, Dst       *vk.Buffer
	SrcOff, DstOff uint64
	Size           uint64
}

// Settle finds out where the pushes of a schedule go: every process tells those that write to
// its devices which blocks their memory is in. All processes call it with the same pushes, by
// phase; the result holds, likewise, the copies that this process makes.
func (t *Apart) Settle(ctx context.Context, phases [][]Push) ([][]vk.PeerCopy, error) {
	if t.between == nil || len(t.between.links) == 0 {
		return make([][]vk.PeerCopy, len(phases)), nil
	}
	out, err := t.between.settle(ctx, phases)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return out, err
}

// bundle are notices to one process, with the descriptors that go with them.
type bundle struct {
	notices []notice
	fds     []int
	blocks  map[uint64]bool // in it
}

func (u *bundle) add(n notice, fd int) {
	u.notices, u.fds = append(u.notices, n), append(u.fds, fd)
}

func (u *bundle) close() error {
	var errs []error
	for _, fd := range u.fds {
		if fd >= 0 {
			errs = append(errs, unix.Close(fd))
		}
	}
	return errors.Join(errs...)
}

func (b *between) settle(ctx context.Context, phases [][]Push) (copies [][]vk.PeerCopy, err error) {
	b.step++
	bundles, spots, expected := map[int]*bundle{}, map[int][]spot{}, map[int]int{}
	defer func() {
		for _, u := range bundles {
			err = errors.Join(err, u.close())
		}
	}()
	for _, list := range phases {
		for _, m := range list {
			if b.own(m.From) {
				expected[b.post.Home[m.To]]++
			}
			if !b.own(m.To) {
				continue
			}
			p := b.post.Home[m.From]
			if bundles[p] == nil {
				bundles[p] = &bundle{}
			}
			at, err := b.spot(m.To, m.Dst, m.DstOff, m.Size)
			if err == nil {
				err = b.tell(p, m.To, at.Block, bundles[p])
			}
			if err != nil {
				return nil, errors.Join(err, b.refuse(ctx, phases, err))
			}
			spots[p] = append(spots[p], at)
		}
	}
	for p := range spots {
		for part := range slices.Chunk(b.gone(p), mostSpots) {
			bundles[p].add(notice{Gone: part}, -1)
		}
	}
	for p, list := range spots { // last: who has them all hears no more
		for part := range slices.Chunk(list, mostSpots) {
			bundles[p].add(notice{Places: part}, -1)
		}
	}
	got, err := b.exchange(ctx, bundles, expected)
	if err != nil {
		return nil, err
	}
	copies = make([][]vk.PeerCopy, len(phases))
	for k, list := range phases {
		for _, m := range list {
			if !b.own(m.From) {
				continue
			}
			p := b.post.Home[m.To]
			c, err := b.copy(m, got[p][0])
			if err != nil {
				return nil, err
			}
			got[p] = got[p][1:]
			copies[k] = append(copies[k], c)
		}
	}
	return copies, nil
}

// refuse tells those that wait for spots why there are none.
func (b *between) refuse(ctx context.Context, phases [][]Push, why error) error {
	var errs []error
	told := map[int]bool{}
	for _, list := range phases {
		for _, m := range list {
			p := b.post.Home[m.From]
			if !b.own(m.To) || told[p] {
				continue
			}
			told[p] = true
			free := b.lines[p].bound(ctx)
			errs = append(errs, b.say(p, notice{Text: why.Error()}, -1))
			free()
		}
	}
	return errors.Join(errs...)
}

// exchange sends bundles and receives as many spots from each process as are expected.
func (b *between) exchange(ctx context.Context, bundles map[int]*bundle, expected map[int]int) (map[int][]spot, error) {
	for _, n := range b.lines {
		defer n.bound(ctx)()
	}
	var senders sync.WaitGroup
	failed := make([]error, 0, len(bundles))
	var mutex sync.Mutex
	for p, u := range bundles {
		senders.Go(func() {
			for i, n := range u.notices {
				err := b.say(p, n, u.fds[i])
				mutex.Lock()
				if err == nil && n.Block.ID != 0 {
					b.told[told{p, n.Block.ID}] = true
				}
				if err != nil {
					failed = append(failed, err)
				}
				mutex.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	got, err := map[int][]spot{}, error(nil)
	for _, p := range slices.Sorted(maps.Keys(expected)) {
		for len(got[p]) < expected[p] && err == nil {
			var n notice
			if n, err = b.hear(p); err == nil {
				got[p] = append(got[p], n.Places...)
			}
			if err == nil && n.Text != "" {
				err = fmt.Errorf("rank %d: %s", p, n.Text)
			}
		}
		if err == nil && len(got[p]) != expected[p] {
			err = fmt.Errorf("rank %d says where %d copies go, rank %d makes %d: the ranks must run the same amgpu", p, len(got[p]), b.post.Self, expected[p])
		}
	}
	senders.Wait()
	return got, errors.Join(append(failed, err)...)
}

// spot finds the block that a buffer of an own device lies in.
func (b *between) spot(device int, buf *vk.Buffer, off, size uint64) (spot, error) {
	at := buf.Address() + off
	if buf.Address() != 0 {
		for _, l := range b.ends[device].blocks {
			if first := l.memory.Address(); at >= first && at+size <= first+l.memory.Size() {
				return spot{l.id, at - first, size}, nil
			}
		}
	}
	return spot{}, fmt.Errorf("transport %s: a buffer of device %d that was made before the transport cannot be written to by another rank", CUDA, b.team[device].Info().Index)
}

// tell adds the descriptor of a block of an own device for a process that does not have it.
func (b *between) tell(process, device int, id uint64, to *bundle) error {
	if b.told[told{process, id}] || to.blocks[id] {
		return nil
	}
	for _, l := range b.ends[device].blocks {
		if l.id != id {
			continue
		}
		fd, err := l.memory.Export()
		if err != nil {
			return fmt.Errorf("device %d: its memory for rank %d: %w", b.team[device].Info().Index, process, err)
		}
		to.add(notice{Block: lent{id, device, l.memory.Size()}}, fd)
		if to.blocks == nil {
			to.blocks = map[uint64]bool{}
		}
		to.blocks[id] = true
	}
	return nil
}

// address is where a device of this process finds bytes of a block of another one.
func (b *between) address(process, device int, at spot) (uint64, error) {
	key := mapped{told{process, at.Block}, device}
	m, have := b.mapped[key]
	if !have {
		fd, ok := b.fds[key.told]
		if !ok {
			return 0, fmt.Errorf("rank %d names block %d and has not sent it", process, at.Block)
		}
		memory, err := b.ends[device].device.Import(fd, b.sizes[key.told])
		if err != nil {
			return 0, fmt.Errorf("device %d cannot map memory of rank %d: %w", b.team[device].Info().Index, process, err)
		}
		m = memory
		b.mapped[key] = m
	}
	if at.Offset+at.Size > m.Size() {
		return 0, fmt.Errorf("rank %d names bytes %d to %d of a block of %d", process, at.Offset, at.Offset+at.Size, m.Size())
	}
	return m.Address() + at.Offset, nil
}

// copy is the copy of a push to a spot.
func (b *between) copy(m Push, to spot) (vk.PeerCopy, error) {
	p := b.post.Home[m.To]
	if to.Size != m.Size {
		return vk.PeerCopy{}, fmt.Errorf("rank %d expects %d bytes from device %d, which sends %d: the ranks must run the same amgpu", p, to.Size, b.team[m.From].Info().Index, m.Size)
	}
	at, err := b.address(p, m.From, to)
	if err != nil {
		return vk.PeerCopy{}, err
	}
	size := shorten(CUDA, m.Size)
	return vk.PeerCopy{Engine: b.ends[m.From].engine, From: m.From, To: -1, Src: m.Src, SrcOff: m.SrcOff, Away: at, Size: size}, nil
}
