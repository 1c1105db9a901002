package peer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer/internal/cuda"
)

// between are the links by CUDA from devices of one process to those of others of its machine.
// Every process exports the memory of its devices as file descriptors; the others import it,
// and the copy engines of their devices write to it.
type between struct {
	team     []*vk.Device
	post     Post
	uuids    [][16]byte              // by device of the team
	links    map[pair]bool           // verified, of the whole team
	excluded []exclusion             // equal in all processes
	ends     map[int]*cudaEnd        // own devices, by place in the team
	made     map[int]*cudaEnd        // those of them that are not the routes'
	lines    map[int]*line           // by process
	told     map[told]bool           // blocks that other processes have
	fds      map[told]int            // of blocks of other processes
	sizes    map[told]uint64         // likewise
	mapped   map[mapped]*cuda.Memory // of these, for own devices
	// Processes go through one order of steps, tries of links and then settlements, and say with
	// every notice which step it is of: one that gave up a step that another one is still in, or
	// the other way round, takes no word of that step for one of the next.
	step   uint64 // in progress
	former uint64 // last step before all memory was forgotten
}

// told is a block that a process has of another one.
type told struct {
	process int
	block   uint64
}

// mapped is a block of another process as one device of this one sees it.
type mapped struct {
	told
	device int
}

// remark says why a link is not used.
type remark struct {
	From, To int
	Text     string
	Wrong    bool // the data was
}

// reason is a remark as an error.
type reason struct {
	text  string
	wrong bool
}

func (e reason) Error() string { return e.text }

func (e reason) Is(target error) bool {
	return e.wrong && target == ErrWrongData || !e.wrong && target == vk.ErrUnsupported
}

func remarkOn(l pair, err error) remark {
	return remark{l.from, l.to, err.Error(), errors.Is(err, ErrWrongData)}
}

// cudaUUID is by what CUDA knows a device that is meant for it. Where AMGPU_CUDA_LIBRARY names a
// driver made for tests, software devices are its first, its second and so on.
func cudaUUID(info *vk.Info) (uuid [16]byte, meant bool) {
	switch {
	case info.VendorID == nvidia:
		return info.UUID, true
	case info.Software() && os.Getenv("AMGPU_CUDA_LIBRARY") != "":
		return [16]byte{byte(info.Index + 1)}, true
	}
	return uuid, false
}

// hail is what a process says of itself first.
type hail struct {
	Where whereabouts
	UUIDs map[int][16]byte // own devices that are meant for CUDA
	Known [][2]int         // links from or to them that were verified before
}

// newBetween finds the links: who is on one machine, whose devices CUDA knows and shares, and
// what a copy over each link delivers. All processes call it; all find the same.
func newBetween(ctx context.Context, o Options, t *Apart) (*between, error) {
	b := &between{
		team: t.team, post: t.post, uuids: make([][16]byte, len(t.team)), links: map[pair]bool{}, ends: map[int]*cudaEnd{}, made: map[int]*cudaEnd{},
		lines: map[int]*line{}, told: map[told]bool{}, fds: map[told]int{}, sizes: map[told]uint64{}, mapped: map[mapped]*cuda.Memory{},
	}
	all, err := swap(ctx, b.post, b.hail(o))
	if err != nil {
		return b, err
	}
	try, known := b.meant(all)
	if len(try) > 0 {
		if try, err = b.meet(ctx, t.routes, t.place, try); err == nil {
			try, err = b.verified(ctx, o, try, known)
		}
	}
	for _, l := range try {
		b.links[l] = true
	}
	if err == nil {
		err = b.leave()
	}
	if err == nil && o.Transport == CUDA {
		err = b.forced(all)
	}
	return b, err
}

func (b *between) own(i int) bool { return b.post.Home[i] == b.post.Self }

// hail describes this process.
func (b *between) hail(o Options) hail {
	h := hail{Where: here(), UUIDs: map[int][16]byte{}}
	for i, d := range b.team {
		if uuid, meant := cudaUUID(d.Info()); meant && b.own(i) {
			h.UUIDs[i] = uuid
		}
	}
	for i := range b.team {
		for j := range b.team {
			if b.own(i) != b.own(j) && o.Links != nil && o.Links.knows(acrossName, b.team[i].Info(), b.team[j].Info()) {
				h.Known = append(h.Known, [2]int{i, j})
			}
		}
	}
	return h
}

// meant lists the links that CUDA may carry, and those of them that both ends know.
func (b *between) meant(all map[int]hail) (try []pair, known map[pair]bool) {
	known = map[pair]bool{}
	for i := range b.team {
		for j := range b.team {
			p, q := b.post.Home[i], b.post.Home[j]
			from, ok := all[p].UUIDs[i]
			to, ok2 := all[q].UUIDs[j]
			a, z := all[p].Where, all[q].Where
			if p == q || !ok || !ok2 || !a.machine(z) {
				continue
			}
			b.uuids[i], b.uuids[j] = from, to
			l := pair{i, j}
			if a.Net == "" || a.Net != z.Net {
				b.exclude(l, reason{text: fmt.Sprintf("ranks %d and %d are in different network namespaces of one machine, between which no file descriptor is passed", min(p, q), max(p, q))})
				continue
			}
			try = append(try, l)
			at := [2]int{i, j}
			known[l] = slices.Contains(all[p].Known, at) && slices.Contains(all[q].Known, at)
		}
	}
	return try, known
}

func (b *between) exclude(l pair, err error) {
	for i := range b.excluded {
		if e := &b.excluded[i]; e.err.Error() == err.Error() {
			e.links = append(e.links, l)
			return
		}
	}
	b.excluded = append(b.excluded, exclusion{acrossName, []pair{l}, err})
}

// acrossName is what remarks and the cache of links call CUDA between processes.
const acrossName = CUDA + " between ranks"

// agree brings the remarks of all processes together and leaves the links on which nobody has
// one. What else a process has to say goes with them.
func agree[T any](ctx context.Context, b *between, try []pair, mine []remark, more T) (left []pair, all map[int]T, err error) {
	type said struct {
		Remarks []remark
		More    T
	}
	parts, err := swap(ctx, b.post, said{mine, more})
	if err != nil {
		return nil, nil, err
	}
	all = map[int]T{}
	out := map[pair]bool{}
	for _, process := range slices.Sorted(maps.Keys(parts)) {
		all[process] = parts[process].More
		for _, r := range parts[process].Remarks {
			if l := (pair{r.From, r.To}); !out[l] {
				out[l] = true
				b.exclude(l, reason{r.Text, r.Wrong})
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(try), func(l pair) bool { return out[l] }), all, nil
}

// leave gives up what no link needs.
func (b *between) leave() error {
	var errs []error
	for i, e := range b.made {
		if !b.uses(i) {
			errs = append(errs, b.team[i].SetSource(nil), e.stream.Close())
			delete(b.made, i)
			delete(b.ends, i)
		}
	}
	for process, n := range b.lines {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(b.links)), func(l pair) bool {
			return b.post.Home[l.from] == process && b.own(l.to) || b.post.Home[l.to] == process && b.own(l.from)
		}) {
			errs = append(errs, n.close())
			delete(b.lines, process)
		}
	}
	return errors.Join(errs...)
}

func (b *between) uses(device int) bool {
	for l := range b.links {
		if l.from == device || l.to == device {
			return true
		}
	}
	return false
}

// forced says what is missing where nothing else than CUDA may be used within a machine.
func (b *between) forced(all map[int]hail) error {
	for i := range b.team {
		for j := range b.team {
			p, q := b.post.Home[i], b.post.Home[j]
			if p == q || !all[p].Where.machine(all[q].Where) || b.links[pair{i, j}] {
				continue
			}
			var why []error
			for _, e := range b.excluded {
				why = append(why, e)
			}
			return fmt.Errorf("no transport carries data from device %d to device %d of ranks %d and %d of one node: %w",
				b.team[i].Info().Index, b.team[j].Info().Index, p, q, cmp.Or(errors.Join(why...), error(notMeant("transport cuda copies between NVIDIA GPUs"))))
		}
	}
	return nil
}

// forget unmaps all memory of other processes, and lets them do likewise: all forget after the
// same step.
func (b *between) forget() error {
	var errs []error
	b.former = b.step
	for _, m := range b.mapped {
		errs = append(errs, m.Close())
	}
	for _, fd := range b.fds {
		errs = append(errs, unix.Close(fd))
	}
	clear(b.mapped)
	clear(b.fds)
	clear(b.sizes)
	clear(b.told)
	return errors.Join(errs...)
}

// close ends all links. Memory of own devices stays until its buffers are closed.
func (b *between) close() error {
	if b == nil {
		return nil
	}
	errs := []error{b.forget()}
	for _, n := range b.lines {
		errs = append(errs, n.close())
	}
	for i, e := range b.made {
		errs = append(errs, b.team[i].SetSource(nil), e.stream.Close())
	}
	clear(b.lines)
	clear(b.made)
	clear(b.ends)
	return errors.Join(errs...)
}
