// Package peer carries bytes between devices. A Transport turns a set of moves
// into commands for both ends; a link (an ordered pair of devices) is used only
// after random data has crossed it unharmed.
package peer

import (
	"errors"
	"fmt"

	"github.com/amgpu/amgpu/vk"
)

// Move carries Size bytes from one device's buffer to another's. From and To
// index the team the transport was made for; offsets and Size are multiples of 4.
type Move struct {
	From, To       int
	Src, Dst       *vk.Buffer
	SrcOff, DstOff uint64
	Size           uint64
}

// Round is one hand-over: every device runs Out, the host makes Copies, every
// device runs In. Rounds of one exchange follow each other; the In of one round
// and the Out of the next may share a phase.
type Round struct {
	Out, In [][]vk.Op // by device
	Copies  []vk.HostCopy
}

// Transport carries moves between the devices of one team.
type Transport interface {
	Name() string
	// Rounds plans the moves. parity alternates between successive rounds of a
	// sample: memory of one parity is free again once the round after it is over.
	// It returns the parity the next exchange must use.
	Rounds(moves []Move, parity int) ([]Round, int, error)
	Close() error
}

// Names of the transports, in the order they are tried.
const (
	Host    = "host"
	Staging = "staging"
)

// Names lists the transports that --transport accepts beside "auto".
func Names() []string { return []string{Host, Staging} }

// ErrUnknown is returned for a transport name that does not exist.
var ErrUnknown = errors.New("unknown transport")

// New makes the named transport for a team, or with "auto" the first that works
// on every link. The links are verified before it is returned; excluded lists
// why faster transports were passed over.
func New(name string, team []*vk.Device) (t Transport, excluded []error, err error) {
	makers := map[string]func([]*vk.Device) (Transport, error){Host: newHost, Staging: newStaging}
	try := Names()
	if name != "auto" && name != "" {
		if makers[name] == nil {
			return nil, nil, fmt.Errorf("%w %q: use auto, %s or %s", ErrUnknown, name, Host, Staging)
		}
		try = []string{name}
	}
	for _, n := range try {
		t, err := makers[n](team)
		if err == nil {
			if err = VerifyAll(t, team); err == nil {
				return t, excluded, nil
			}
			err = errors.Join(err, t.Close())
		}
		excluded = append(excluded, fmt.Errorf("transport %s: %w", n, err))
	}
	return nil, excluded, fmt.Errorf("no transport carries data between these %d devices: %w", len(team), errors.Join(excluded...))
}
