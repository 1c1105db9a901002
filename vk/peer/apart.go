package peer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/amgpu/amgpu/vk"
)

// Post carries bytes between the processes that a team lies in. Parcels between two of
// them arrive in the order in which they were given to it.
type Post struct {
	Name   string
	Engine *vk.CopyEngine
	Self   int   // this process
	Home   []int // by device of the team: its process
	// Word tells the engine whom a parcel goes to or comes from, and which device of its process
	// sends it: parcels of one device stay in order, those of several need not, as each begins
	// when its device is ready.
	Word func(process, lane int, send bool) uint64
	// Swap gives what each process of the team says to all of them, by process. Each calls it
	// as often as the others. nil: processes share nothing but parcels.
	Swap func(ctx context.Context, part []byte) (map[int][]byte, error)
}

// Apart is the transport of a team that lies in several processes. Moves within this
// process go over its own routes; those to and from others leave by the post, out of and
// into memory of the host: the sender copies out of its memory, the post carries the
// bytes, the receivers copy in. Between GPUs of one machine the copy engine of the sender may
// write into the receiver's memory instead (between). Moves of others leave no trace but their rounds: every
// process plans the same moves and so agrees on what is sent in which order.
type Apart struct {
	team   []*vk.Device
	post   Post
	own    []int   // devices of this process, in the team
	place  []int   // by device of the team: among own; -1: of another process
	routes *Routes // between own devices; nil: there is at most one
	memory map[postKey]*postMemory
	cannot []error // by own device: why it imports no memory of the host

	between *between // links by CUDA to other processes of this machine; nil: not looked for
	tokens  *tokens
}

// NewApart finds routes between the devices of this process, as New does, looks for links by
// CUDA to devices of other processes of its machine, where the options leave that open or ask
// for it, and uses the post for the rest. All processes of the team call it. What it returns
// must be closed even after an error.
func NewApart(ctx context.Context, o Options, team []*vk.Device, post Post) (*Apart, error) {
	t := &Apart{team: team, post: post, place: make([]int, len(team)), memory: map[postKey]*postMemory{}}
	var own []*vk.Device
	for i, d := range team {
		t.place[i] = -1
		if post.Home[i] == post.Self {
			t.place[i] = len(own)
			t.own, own = append(t.own, i), append(own, d)
		}
	}
	t.cannot = make([]error, len(own))
	var err error
	if len(own) > 1 {
		if t.routes, err = New(o, own); err != nil {
			return t, err
		}
	}
	if post.Swap == nil || o.Transport != CUDA && o.Transport != "auto" && o.Transport != "" {
		return t, nil
	}
	if t.between, err = newBetween(ctx, o, t); err != nil {
		return t, err
	}
	if len(t.between.links) > 0 {
		t.tokens, err = newTokens(len(team))
	}
	return t, err
}

// pushes says whether a link between two processes is one of CUDA.
func (t *Apart) pushes(from, to int) bool { return t.between != nil && t.between.links[pair{from, to}] }

// crossings counts the links between processes, and those of CUDA among them.
func (t *Apart) crossings() (all, pushed int) {
	for i, p := range t.post.Home {
		for j, q := range t.post.Home {
			if p != q {
				all++
				if t.pushes(i, j) {
					pushed++
				}
			}
		}
	}
	return all, pushed
}

// Engines says whether copy engines carry something between processes.
func (t *Apart) Engines() bool {
	_, pushed := t.crossings()
	return pushed > 0
}

// Name is that of the post where every link needs it, that of CUDA where every link uses that,
// else Mixed.
func (t *Apart) Name() string {
	switch all, pushed := t.crossings(); {
	case pushed > 0 && pushed == all && (t.routes == nil || t.routes.Name() == CUDA):
		return CUDA
	case pushed > 0:
		return Mixed
	}
	if t.routes == nil && len(t.own) < 2 {
		return t.post.Name
	}
	return Mixed
}

// String lists the links of this process's devices and those between processes with their
// transports.
func (t *Apart) String() string {
	var out []string
	all, pushed := t.crossings()
	switch pushed {
	case 0:
		out = append(out, "between processes "+t.post.Name)
	case all:
		out = append(out, "between processes "+CUDA)
	}
	for i, p := range t.post.Home {
		for j, q := range t.post.Home {
			switch {
			case p == q || pushed == 0 || pushed == all:
			case t.pushes(i, j):
				out = append(out, fmt.Sprintf("%d -> %d %s", i, j, CUDA))
			default:
				out = append(out, fmt.Sprintf("%d -> %d %s", i, j, t.post.Name))
			}
		}
	}
	if t.routes != nil {
		for i, a := range t.own {
			for j, b := range t.own {
				if i != j {
					out = append(out, fmt.Sprintf("%d -> %d %s", a, b, t.routes.Via(i, j)))
				}
			}
		}
	}
	return strings.Join(out, ", ")
}

// Excluded says which transports were passed over in this process, and why.
func (t *Apart) Excluded() []error {
	var out []error
	if t.routes != nil {
		out = t.routes.Excluded()
	}
	if t.between != nil {
		for _, e := range t.between.excluded {
			out = append(out, e)
		}
	}
	return out
}

// Carries implements Transport.
func (t *Apart) Carries(_, _ int) error { return nil }

// Close frees the memory and the routes.
func (t *Apart) Close() error {
	var errs []error
	for _, m := range t.memory {
		errs = append(errs, m.close())
	}
	clear(t.memory)
	if t.tokens != nil {
		errs = append(errs, t.tokens.block.Close())
		t.tokens = nil
	}
	errs = append(errs, t.between.close())
	if t.routes != nil {
		errs = append(errs, t.routes.Close())
	}
	return errors.Join(errs...)
}
