package peer

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/amgpu/amgpu/vk"
)

// tryFor bounds one try of a link between processes.
const tryFor = 30 * time.Second

// verified leaves the links over which random data arrives unharmed: the sender's copy engine
// copies it, the receiver compares. Both processes of a link go through all of theirs in one
// order. Links that both know are left out.
func (b *between) verified(ctx context.Context, o Options, try []pair, known map[pair]bool) ([]pair, error) {
	p := newProber(b.team)
	var remarks []remark
	var open []int // places in try
	for i, l := range try {
		if (b.own(l.from) || b.own(l.to)) && !known[l] {
			open = append(open, i)
		}
	}
	const passes = 2
	for pass := 0; pass < passes && len(open) > 0 && ctx.Err() == nil; pass++ {
		var good []int
		rest := false
		for _, i := range open {
			l := try[i]
			b.step = uint64(pass*len(try) + i + 1) // the same number in all processes
			if err := b.try(ctx, p, l); err != nil {
				if pass > 0 {
					err = fmt.Errorf("after a rest of %v: %w", idle, err)
				}
				remarks = append(remarks, remarkOn(l, err))
				continue
			}
			good = append(good, i)
			rest = rest || !b.team[l.from].Info().Software()
		}
		if open = good; !rest {
			break
		}
		select {
		case <-time.After(idle):
		case <-ctx.Done():
		}
	}
	b.step = uint64(passes * len(try))
	err := errors.Join(b.forget(), p.close())
	left, _, failed := agree(ctx, b, try, remarks, 0)
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	learnt := false
	for _, l := range left {
		if o.Links != nil && !known[l] && (b.own(l.from) || b.own(l.to)) {
			learnt = o.Links.learn(acrossName, b.team[l.from].Info(), b.team[l.to].Info(), nil) || learnt
		}
	}
	if learnt {
		o.Links.save()
	}
	return left, nil
}

// try sends random data over one link, as its sender or as its receiver. What the other end
// says is an error here, too.
func (b *between) try(ctx context.Context, p *prober, l pair) error {
	ctx, cancel := context.WithTimeout(ctx, tryFor)
	defer cancel()
	process := b.post.Home[l.to]
	if b.own(l.to) {
		process = b.post.Home[l.from]
	}
	defer b.lines[process].bound(ctx)()
	if b.own(l.to) {
		return b.tryReceiving(ctx, p, l, process)
	}
	return b.trySending(ctx, p, l, process)
}

// report tells the other end how a part of a try went, and returns that.
func (b *between) report(process int, err error) error {
	var what notice
	if err != nil {
		what.Text, what.Wrong = err.Error(), errors.Is(err, ErrWrongData)
	}
	return errors.Join(err, b.say(process, what, -1))
}

// outcome waits for such a report.
func (b *between) outcome(process int) error {
	what, err := b.hear(process)
	if err == nil && what.Text != "" {
		err = reason{what.Text, what.Wrong}
	}
	return err
}

func (b *between) tryReceiving(ctx context.Context, p *prober, l pair, process int) error {
	var random [4]byte
	_, err := rand.Read(random[:])
	seed := binary.LittleEndian.Uint32(random[:])
	var e *probeEnd
	if err == nil {
		e, err = p.end(l.to)
	}
	if err == nil {
		err = p.alone(ctx, l.to, nil, e.fills(e.dstSet, sentinel, true))
	}
	var at spot
	u := &bundle{}
	if err == nil {
		at, err = b.spot(l.to, e.dst, 0, e.dst.Size())
	}
	if err == nil {
		err = b.tell(process, l.to, at.Block, u)
	}
	defer func() { _ = u.close() }() // copies of what the other end has
	if err != nil {
		return b.report(process, err)
	}
	u.add(notice{Seed: seed, Places: []spot{at}}, -1)
	for i, what := range u.notices {
		if err := b.say(process, what, u.fds[i]); err != nil {
			return err
		}
		if what.Block.ID != 0 {
			b.told[told{process, what.Block.ID}] = true
		}
	}
	if err := b.outcome(process); err != nil {
		return err
	}
	if err = p.alone(ctx, l.to, nil, e.checks(seed)...); err == nil {
		err = judge(words(e.report.Bytes()))
	}
	return b.report(process, err)
}

func (b *between) trySending(ctx context.Context, p *prober, l pair, process int) error {
	what, err := b.hear(process)
	for err == nil && what.Text == "" && len(what.Places) == 0 {
		what, err = b.hear(process)
	}
	if err == nil && what.Text != "" {
		err = reason{what.Text, what.Wrong}
	}
	if err != nil {
		return err
	}
	e, err := p.end(l.from)
	var r Round
	if err == nil {
		r, err = b.probeRound(e, l, what.Places[0])
	}
	if err == nil {
		err = p.alone(ctx, l.from, []Round{r}, e.fills(e.srcSet, what.Seed, false))
	}
	if err := b.report(process, err); err != nil {
		return err
	}
	return b.outcome(process)
}

// probeRound are the copies of a probe into the receiver's memory.
func (b *between) probeRound(e *probeEnd, l pair, to spot) (Round, error) {
	r := newRound(1)
	for _, m := range probeMoves(l, e.src, nil) {
		c, err := b.copy(Push{l.from, l.to, m.Src, nil, m.SrcOff, m.DstOff, m.Size}, spot{to.Block, to.Offset + m.DstOff, m.Size})
		if err != nil {
			return r, err
		}
		c.From = 0 // of a team of its own
		if c.Size > 0 {
			r.Peers = append(r.Peers, c)
		}
	}
	return r, nil
}

// alone runs work of one device, then rounds of it.
func (p *prober) alone(ctx context.Context, device int, rounds []Round, ops ...vk.Op) (err error) {
	c := newChain([]*vk.Device{p.team[device]}, rounds)
	defer func() { err = errors.Join(err, c.close()) }()
	c.before(0, append([]vk.Op{Barrier(vk.StageTransfer|vk.StageHost, vk.StageCompute|vk.StageTransfer)}, ops...)...)
	s, err := c.schedule()
	if err != nil {
		return err
	}
	_, err = s.Run(ctx)
	return err
}
