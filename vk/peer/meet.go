package peer

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer/internal/cuda"
)

// swap gives what each process of a team says to all of them.
func swap[T any](ctx context.Context, post Post, mine T) (map[int]T, error) {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(mine); err != nil {
		return nil, err
	}
	parts, err := post.Swap(ctx, body.Bytes())
	if err != nil {
		return nil, err
	}
	out := map[int]T{}
	for process, part := range parts {
		var said T
		if err := gob.NewDecoder(bytes.NewReader(part)).Decode(&said); err != nil {
			return nil, fmt.Errorf("from rank %d: %w", process, err)
		}
		out[process] = said
	}
	return out, nil
}

// calling is where a process waits for lines.
type calling struct{ Name, Token string }

// meetFor is how long processes of one machine wait for each other's lines.
const meetFor = 10 * time.Second

// meet lets CUDA have the devices of links to try, and opens a line between the processes of
// each. It leaves the links for which all that went well.
func (b *between) meet(ctx context.Context, routes *Routes, place []int, try []pair) ([]pair, error) {
	remarks := b.prepare(routes, place, try)
	var at calling
	var l *listener
	if slices.ContainsFunc(try, func(l pair) bool { return b.own(l.from) || b.own(l.to) }) {
		var err error
		if l, err = listen(); err != nil {
			for _, l := range try {
				if b.own(l.from) || b.own(l.to) {
					remarks = append(remarks, remarkOn(l, fmt.Errorf("no socket to pass file descriptors: %w", err)))
				}
			}
		} else {
			at = calling{l.name, l.token}
		}
	}
	try, all, err := agree(ctx, b, try, remarks, at)
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	wrong := b.connect(ctx, l, all, try)
	shut := l.close()
	if ctx.Err() != nil {
		return nil, errors.Join(context.Cause(ctx), shut)
	}
	remarks = nil
	for _, l := range try {
		for _, end := range []int{l.from, l.to} {
			if err := wrong[b.post.Home[end]]; err != nil && (b.own(l.from) || b.own(l.to)) {
				remarks = append(remarks, remarkOn(l, err))
			}
		}
	}
	try, _, err = agree(ctx, b, try, remarks, 0)
	return try, errors.Join(err, shut)
}

// prepare opens the own devices of links in CUDA.
func (b *between) prepare(routes *Routes, place []int, try []pair) (out []remark) {
	var lib *cuda.Library
	failed := map[int]error{}
	for i, d := range b.team {
		if !b.own(i) || !slices.ContainsFunc(try, func(l pair) bool { return l.from == i || l.to == i }) {
			continue
		}
		if e := routes.cudaEnd(place[i]); e != nil {
			b.ends[i] = e
			continue
		}
		var err error
		if lib == nil {
			lib, err = cuda.Open()
		}
		if err == nil {
			var e *cudaEnd
			if e, err = newEnd(lib, d, b.uuids[i]); err == nil {
				b.ends[i], b.made[i] = e, e
			}
		}
		failed[i] = err
	}
	for _, l := range try {
		for _, i := range []int{l.from, l.to} {
			if err := failed[i]; err != nil {
				out = append(out, remarkOn(l, fmt.Errorf("device %d (%s): %w", b.team[i].Info().Index, b.team[i].Info().Name, err)))
			}
		}
		if e := b.ends[l.from]; e != nil {
			// What the driver hides may be reached all the same: the import will tell.
			can, shown, err := e.device.ReachesUUID(b.uuids[l.to])
			if err == nil && shown && !can {
				err = fmt.Errorf("the driver gives device %d no access to the memory of device %d", b.team[l.from].Info().Index, b.team[l.to].Info().Index)
			}
			if err != nil {
				out = append(out, remarkOn(l, err))
			}
		}
	}
	return out
}

// newEnd opens a device in CUDA and lets its memory come from there.
func newEnd(lib *cuda.Library, d *vk.Device, uuid [16]byte) (*cudaEnd, error) {
	c, err := lib.Device(uuid)
	if err != nil {
		return nil, err
	}
	e := &cudaEnd{device: c}
	if err := e.open(); err != nil {
		return nil, err
	}
	if err := d.SetSource(e); err != nil {
		return nil, errors.Join(err, e.stream.Close())
	}
	return e, nil
}

// connect opens a line to each process that a link leads to or from: the one with the larger
// number calls. It returns what went wrong, by process.
func (b *between) connect(ctx context.Context, l *listener, all map[int]calling, try []pair) map[int]error {
	ctx, cancel := context.WithTimeout(ctx, meetFor)
	defer cancel()
	wrong := map[int]error{}
	var wait []int
	for _, link := range try {
		p := b.post.Home[link.from]
		switch {
		case b.own(link.from):
			p = b.post.Home[link.to]
		case !b.own(link.to):
			continue
		}
		if b.lines[p] != nil || wrong[p] != nil || slices.Contains(wait, p) {
			continue
		}
		if p > b.post.Self {
			wait = append(wait, p)
			continue
		}
		n, err := dial(ctx, all[p].Name, all[p].Token, p, b.post.Self)
		if err != nil {
			wrong[p] = fmt.Errorf("rank %d does not reach rank %d by a socket: %w", b.post.Self, p, err)
			continue
		}
		b.lines[p] = n
	}
	for len(wait) > 0 {
		n, err := l.accept(ctx)
		if err != nil {
			for _, p := range wait {
				wrong[p] = fmt.Errorf("rank %d does not reach rank %d by a socket (%v are allowed for it): %w", p, b.post.Self, meetFor, err)
			}
			break
		}
		at := slices.Index(wait, n.process)
		if at < 0 {
			_ = n.close() // it has one already
			continue
		}
		b.lines[n.process] = n
		wait = slices.Delete(wait, at, at+1)
	}
	return wrong
}
