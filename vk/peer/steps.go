package peer

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// say sends a notice of the step in progress to another process.
func (b *between) say(process int, n notice, fd int) error {
	n.Step = b.step
	return b.lines[process].send(n, fd)
}

// hear waits for a notice of the step in progress. Those of steps that were given up here are
// passed over; one of a later step says that the other process has given up this one, and waits
// for its own.
func (b *between) hear(process int) (notice, error) {
	l := b.lines[process]
	for {
		var n notice
		var err error
		if l.early != nil {
			n, l.early = *l.early, nil
		} else if n, err = b.take(process); err != nil {
			return n, err
		}
		switch {
		case n.Step == b.step:
			return n, nil
		case n.Step > b.step:
			l.early = &n
			return notice{}, fmt.Errorf("rank %d has given up what rank %d waits for", process, b.post.Self)
		}
	}
}

// gone lists the blocks that a process has of this one and that were freed since, and takes them
// as given back: the other end, which goes through the same steps, records nothing with them any more.
func (b *between) gone(process int) (out []uint64) {
	for t := range b.told {
		there := false
		for _, e := range b.ends {
			there = there || slices.ContainsFunc(e.blocks, func(l lentBlock) bool { return l.id == t.block })
		}
		if t.process == process && !there {
			out = append(out, t.block)
			delete(b.told, t)
		}
	}
	return out
}

// drop unmaps a block of another process, whose memory is free only then.
func (b *between) drop(process int, block uint64) error {
	key := told{process, block}
	fd, have := b.fds[key]
	if !have {
		return nil
	}
	errs := []error{unix.Close(fd)}
	delete(b.fds, key)
	delete(b.sizes, key)
	for at, m := range b.mapped {
		if at.told == key {
			errs = append(errs, m.Close())
			delete(b.mapped, at)
		}
	}
	return errors.Join(errs...)
}

// take receives a notice, keeps the block that comes with it, unless it is of a time before
// all memory was forgotten, and gives back those that are no more.
func (b *between) take(process int) (notice, error) {
	n, fd, err := b.lines[process].receive()
	for _, block := range n.Gone {
		err = errors.Join(err, b.drop(process, block))
	}
	if err != nil || fd < 0 {
		return n, err
	}
	if n.Step <= b.former {
		return n, unix.Close(fd)
	}
	key := told{process, n.Block.ID}
	if _, have := b.fds[key]; have || n.Block.ID == 0 {
		return n, errors.Join(fmt.Errorf("rank %d sent block %d twice, or none", process, n.Block.ID), unix.Close(fd))
	}
	b.fds[key], b.sizes[key] = fd, n.Block.Size
	return n, nil
}
