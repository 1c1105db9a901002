package peer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/vk"
)

// Routes is the transport of a team: for every ordered pair of devices the best
// one that was verified. It is itself a Transport.
type Routes struct {
	team       []*vk.Device
	transports []Transport
	via        [][]Transport // [from][to]
	excluded   []exclusion
}

// exclusion says why a transport is not used: on some links, or (none) in the
// whole team. Links index the team.
type exclusion struct {
	transport string
	links     []pair
	err       error
}

func (e exclusion) Error() string {
	text := "transport " + e.transport
	for i, l := range e.links {
		switch {
		case i > 0:
			text += ","
		case len(e.links) > 1:
			text += ", links"
		default:
			text += ", link"
		}
		text += fmt.Sprintf(" %d -> %d", l.from, l.to)
	}
	return fmt.Sprintf("%s: %v", text, e.err)
}

func (e exclusion) Unwrap() error { return e.err }

// exclude notes why a transport is not used on a link; links with the same reason
// share a note.
func (r *Routes) exclude(transport string, l pair, err error) {
	for i := range r.excluded {
		e := &r.excluded[i]
		if e.transport == transport && len(e.links) > 0 && e.err.Error() == err.Error() {
			e.links = append(e.links, l)
			return
		}
	}
	r.excluded = append(r.excluded, exclusion{transport, []pair{l}, err})
}

// Options choose the transports of a team.
type Options struct {
	Transport string // one of Names; "auto" or empty: the best on each link
	Links     *Cache // what is known of this machine's links; nil: nothing
}

// New finds a verified transport for every link of a team. Buffers that are to
// cross must be made after it, as transports may decide where memory comes from.
// When some link has none, the error says why each was passed over; it wraps
// ErrWrongData when one was refused for its data.
func New(o Options, team []*vk.Device) (*Routes, error) {
	try, err := candidates(o.Transport)
	if err != nil {
		return nil, err
	}
	return newRoutes(try, o.Links, team)
}

func newRoutes(try []kind, known *Cache, team []*vk.Device) (*Routes, error) {
	r := &Routes{team: team, via: make([][]Transport, len(team))}
	for i := range team {
		r.via[i] = make([]Transport, len(team))
	}
	p := newProber(team)
	for _, k := range try {
		if len(r.open()) == 0 {
			break
		}
		if err := r.add(k, len(try) == 1, known, p); err != nil {
			return nil, errors.Join(err, p.close(), r.Close())
		}
	}
	err := p.close()
	if left := r.open(); len(left) > 0 {
		err = errors.Join(fmt.Errorf("no transport carries data from device %d to device %d of these %d: %w",
			team[left[0].from].Info().Index, team[left[0].to].Info().Index, len(team), errors.Join(r.Excluded()...)), err)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// pair is an ordered pair of devices of a team.
type pair struct{ from, to int }

// open lists the links that have no transport yet.
func (r *Routes) open() []pair {
	var out []pair
	for i := range r.team {
		for j := range r.team {
			if i != j && r.via[i][j] == nil {
				out = append(out, pair{i, j})
			}
		}
	}
	return out
}

// add makes a transport and gives it the open links on which it is verified. A
// transport that gets none is closed again.
func (r *Routes) add(k kind, only bool, known *Cache, p *prober) error {
	t, err := k.make(r.team)
	if err != nil {
		if only || !errors.Is(err, errNotMeant) {
			r.excluded = append(r.excluded, exclusion{k.name, nil, err})
		}
		return nil
	}
	t = faulted(t)
	var try []pair
	for _, l := range r.open() {
		err := t.Carries(l.from, l.to)
		if err == nil {
			try = append(try, l)
			continue
		}
		r.exclude(k.name, l, err)
	}
	used := false
	for i, err := range known.verify(t, r.team, try, p) {
		l := try[i]
		if err != nil {
			r.exclude(k.name, l, err)
			continue
		}
		r.via[l.from][l.to], used = t, true
	}
	if !used {
		return errors.Join(p.release(), t.Close())
	}
	r.transports = append(r.transports, t)
	return nil
}

// Name is the transport's name, or Mixed.
func (r *Routes) Name() string {
	switch len(r.transports) {
	case 0:
		return ""
	case 1:
		return r.transports[0].Name()
	}
	return Mixed
}

// Via is the name of the transport of one link of the team.
func (r *Routes) Via(from, to int) string {
	if t := r.via[from][to]; t != nil {
		return t.Name()
	}
	return ""
}

// String lists the links of the team with their transports.
func (r *Routes) String() string {
	var out []string
	for i := range r.team {
		for j := range r.team {
			if i != j {
				out = append(out, fmt.Sprintf("%d -> %d %s", i, j, r.Via(i, j)))
			}
		}
	}
	return strings.Join(out, ", ")
}

// Excluded says which transports were passed over, and why.
func (r *Routes) Excluded() []error {
	out := make([]error, len(r.excluded))
	for i, e := range r.excluded {
		out[i] = e
	}
	return out
}

// excludedOn is Excluded for one link.
func (r *Routes) excludedOn(from, to int) []string {
	var out []string
	for _, e := range r.excluded {
		if len(e.links) == 0 || slices.Contains(e.links, pair{from, to}) {
			out = append(out, fmt.Sprintf("transport %s: %v", e.transport, e.err))
		}
	}
	return out
}

// Carries implements Transport.
func (r *Routes) Carries(from, to int) error {
	if r.via[from][to] == nil {
		return fmt.Errorf("no link %d -> %d", from, to)
	}
	return nil
}

// Rounds plans every move by its link's transport; rounds of different
// transports run side by side.
func (r *Routes) Rounds(moves []Move, parity int) ([]Round, int, error) {
	if len(r.transports) == 1 {
		return r.transports[0].Rounds(moves, parity)
	}
	var all []Round
	for _, t := range r.transports {
		mine := slices.DeleteFunc(slices.Clone(moves), func(m Move) bool { return r.via[m.From][m.To] != t })
		rounds, _, err := t.Rounds(mine, parity)
		if err != nil {
			return nil, parity, err
		}
		all = alongside(all, rounds, len(r.team))
	}
	// Every transport's round k used parity+k: as many rounds later as there are in
	// all, each finds the other parity's memory free.
	return all, (parity + len(all)) & 1, nil
}

// alongside merges two lists of rounds, the first with the first and so on.
func alongside(a, b []Round, n int) []Round {
	for i, round := range b {
		if i == len(a) {
			a = append(a, newRound(n))
		}
		for d := range n {
			a[i].Out[d] = append(a[i].Out[d], round.Out[d]...)
			a[i].In[d] = append(a[i].In[d], round.In[d]...)
		}
		a[i].Copies = append(a[i].Copies, round.Copies...)
		a[i].Peers = append(a[i].Peers, round.Peers...)
		a[i].Parcels = append(a[i].Parcels, round.Parcels...)
		a[i].Pushes = append(a[i].Pushes, round.Pushes...)
	}
	return a
}

// Close closes all transports. Safe on nil.
func (r *Routes) Close() error {
	if r == nil {
		return nil
	}
	var errs []error
	for _, t := range r.transports {
		errs = append(errs, t.Close())
	}
	r.transports = nil
	return errors.Join(errs...)
}
