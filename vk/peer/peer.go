// Package peer carries bytes between devices. A Transport turns a set of moves
// into commands for both ends; a link (an ordered pair of devices) is used only
// after random data has crossed it unharmed.
package peer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/vk"
)

// Move carries Size bytes from one device's buffer to another's. From and To
// index the team the transport was made for; offsets and Size are multiples of 4.
type Move struct {
	From, To       int
	Src, Dst       *vk.Buffer
	SrcOff, DstOff uint64
	Size           uint64
	// Early: what it reads is ready when the phase begins, and nothing in the phase
	// touches what it writes, so a copy engine may start at once.
	Early bool
}

// Round is one hand-over: every device runs Out, then the host makes Copies and
// copy engines make Peers, then every device runs In. Rounds of one exchange
// follow each other; the In of one round and the Out of the next share a phase, and touch
// nothing in common: they may run beside each other, on two queues.
type Round struct {
	Out, In [][]vk.Op // by device
	Copies  []vk.HostCopy
	Peers   []vk.PeerCopy
	Parcels []vk.Parcel // to and from other processes, beside Peers
	Pushes  []Push      // of all processes, to be settled (Apart.Settle)
}

// Transport carries moves between the devices of one team.
type Transport interface {
	Name() string
	// Carries says why the transport has no way from one device to another; nil:
	// it has one.
	Carries(from, to int) error
	// Rounds plans the moves; those of one device are made in the order given. parity alternates between successive rounds of a
	// sample: memory of one parity is free again once the round after it is over.
	// It returns the parity the next exchange must use.
	Rounds(moves []Move, parity int) ([]Round, int, error)
	Close() error
}

// Names of the transports, in the order they are tried.
const (
	CUDA    = "cuda"
	Host    = "host"
	Staging = "staging"
	// Only when it is asked for.
	DmaBuf = "dmabuf"
	// Mixed is the name of a team's transport when its links use several.
	Mixed = "mixed"
)

// kind is one transport: its name and how it is made for a team. A transport that
// carries nothing in this team is an error; one that is not meant for devices of
// this sort wraps errNotMeant.
type kind struct {
	name  string
	make  func(team []*vk.Device) (Transport, error)
	asked bool // never tried under auto
}

var kinds = []kind{
	{CUDA, newCUDA, false},
	{Host, newHost, false},
	{Staging, newStaging, false},
	{DmaBuf, newDmaBuf, true},
}

// errNotMeant: the devices are not of the sort the transport is for, which is no
// news unless it was asked for.
var errNotMeant = errors.New("not for these devices")

// notMeant is such an error with its reason.
type notMeant string

func (e notMeant) Error() string { return string(e) }

func (e notMeant) Is(target error) bool { return target == errNotMeant || target == vk.ErrUnsupported }

// Names lists the transports that --transport accepts beside "auto".
func Names() []string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = k.name
	}
	return out
}

// ErrUnknown is returned for a transport name that does not exist.
var ErrUnknown = errors.New("unknown transport")

// candidates are the transports to try for a name: all that auto tries, or one.
func candidates(name string) ([]kind, error) {
	if name == "auto" || name == "" {
		return slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool { return k.asked }), nil
	}
	for _, k := range kinds {
		if k.name == name {
			return []kind{k}, nil
		}
	}
	return nil, fmt.Errorf("%w %q: use auto, %s", ErrUnknown, name, strings.Join(Names(), ", "))
}

func copyOp(src *vk.Buffer, srcOff uint64, dst *vk.Buffer, dstOff, size uint64) vk.Op {
	return vk.Op{Kind: vk.OpCopy, Src: src, SrcOff: srcOff, Dst: dst, DstOff: dstOff, Size: size}
}

func newRound(n int) Round {
	return Round{Out: make([][]vk.Op, n), In: make([][]vk.Op, n)}
}

// Barrier is the operation that makes writes of stage from visible to stage to.
func Barrier(from, to vk.Stage) vk.Op {
	return vk.Op{Kind: vk.OpBarrier, From: from, To: to}
}
