package engine

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// Job is what a launch needs whose team lies in several processes. Each of them makes the
// same launch, in which the adapters of the others are absent (vk.Absent), and calls the
// session's methods in the same order. One process leads: what its methods return counts.
// When one process fails, the methods of the others return an error soon.
type Job interface {
	// Post carries what the devices send each other; its Home says where each is.
	Post() peer.Post
	// Leads says whether this process leads.
	Leads() bool
	// Gather brings the parts of all processes to the one that leads, its own first; the
	// others get nil.
	Gather(ctx context.Context, part []byte) ([][]byte, error)
	// Share brings what the process that leads gives to all.
	Share(ctx context.Context, value []byte) ([]byte, error)
	// Gate waits until all processes are ready and returns the time at which they start
	// together, on vk.Now of this process. Leading converts from that clock to the one of
	// the process that leads.
	Gate(ctx context.Context) (at int64, err error)
	Leading(at int64) int64
	// Stop makes the post give up what is under way.
	Stop()
}

// here says whether device i is one of this process.
func (s *Session) here(i int) bool { return !s.team[i].Absent() }

// own lists the devices of this process in the team.
func (s *Session) own() []int {
	var out []int
	for i := range s.team {
		if s.here(i) {
			out = append(out, i)
		}
	}
	return out
}

// near is how many devices of the team each process has, where they follow each other and are
// equally many, a power of two: then each process is a subtree of the canonical tree over
// devices. 0: they are not, or there is one process, or one device in each.
func (s *Session) near() int {
	if s.spec.Job == nil {
		return 0
	}
	home := s.spec.Job.Post().Home
	size := 1
	for size < len(home) && home[size] == home[0] {
		size++
	}
	if size < 2 || size&(size-1) != 0 || size == len(home) || len(home)%size != 0 {
		return 0
	}
	seen := map[int]bool{}
	for i, h := range home {
		if i%size == 0 && seen[h] || i%size != 0 && h != home[i-1] {
			return 0
		}
		seen[h] = true
	}
	return size
}

// leads says whether this process makes the decisions.
func (s *Session) leads() bool { return s.spec.Job == nil || s.spec.Job.Leads() }

// gather brings the values of all processes to the one that leads.
func gather[T any](ctx context.Context, s *Session, value T) ([]T, error) {
	if s.spec.Job == nil {
		return []T{value}, nil
	}
	part, err := encode(value)
	if err != nil {
		return nil, err
	}
	parts, err := s.spec.Job.Gather(ctx, part)
	if err != nil {
		return nil, err
	}
	out := make([]T, len(parts))
	for i, p := range parts {
		if err := decode(p, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// swap gives what each process says to all of them (peer.Post).
func (s *Session) swap(ctx context.Context, part []byte) (map[int][]byte, error) {
	type said struct {
		Process int
		Part    []byte
	}
	all, err := gather(ctx, s, said{s.spec.Job.Post().Self, part})
	if err == nil {
		all, err = share(ctx, s, all)
	}
	out := map[int][]byte{}
	for _, p := range all {
		out[p.Process] = p.Part
	}
	return out, err
}

// longest is the largest of the values of all processes.
func (s *Session) longest(ctx context.Context, here float64) (float64, error) {
	all, err := gather(ctx, s, here)
	if err != nil {
		return 0, err
	}
	for _, v := range all {
		here = max(here, v)
	}
	return share(ctx, s, here)
}

// share gives the value of the process that leads to all.
func share[T any](ctx context.Context, s *Session, value T) (T, error) {
	if s.spec.Job == nil {
		return value, nil
	}
	var part []byte
	var err error
	if s.leads() {
		if part, err = encode(value); err != nil {
			return value, err
		}
	}
	if part, err = s.spec.Job.Share(ctx, part); err != nil {
		return value, err
	}
	var out T
	return out, decode(part, &out)
}

func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		return nil, fmt.Errorf("for other processes: %w", err)
	}
	return b.Bytes(), nil
}

func decode(part []byte, value any) error {
	if err := gob.NewDecoder(bytes.NewReader(part)).Decode(value); err != nil {
		return fmt.Errorf("from another process: %w", err)
	}
	return nil
}

// schedule prepares phases of the team on the devices of this process; nil: it has none.
func (s *Session) schedule(phases []vk.Phase) (*vk.Schedule, error) {
	own := s.own()
	if len(own) == len(s.team) {
		return vk.NewSchedule(s.team, phases)
	}
	if len(own) == 0 {
		return nil, nil
	}
	team, place := make([]*vk.Device, len(own)), map[int]int{}
	for at, i := range own {
		team[at], place[i] = s.team[i], at
	}
	pick := func(all [][]*vk.Commands) (out [][]*vk.Commands) {
		for _, i := range own {
			if i < len(all) {
				out = append(out, all[i])
			}
		}
		return out
	}
	mine := make([]vk.Phase, len(phases))
	for p, ph := range phases {
		mine[p] = vk.Phase{Submissions: pick(ph.Submissions), Tails: pick(ph.Tails), Beside: pick(ph.Beside), Copies: ph.Copies, Peers: slices.Clone(ph.Peers), Parcels: slices.Clone(ph.Parcels)}
		for k := range mine[p].Peers {
			c := &mine[p].Peers[k]
			if c.From = place[c.From]; c.Away == 0 {
				c.To = place[c.To]
			}
		}
		for k := range mine[p].Parcels {
			after := slices.Clone(mine[p].Parcels[k].After)
			for j := range after {
				after[j] = place[after[j]]
			}
			mine[p].Parcels[k].After = after
		}
	}
	return vk.NewSchedule(team, mine)
}
