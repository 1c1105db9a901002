package peer

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/amgpu/amgpu/internal/near"
	"github.com/amgpu/amgpu/vk"
)

// faultEnv makes a transport deliver less than it says, so that everything that follows
// can be tested: AMGPU_FAULT=transport:host.
const faultEnv = "AMGPU_FAULT"

// lossy is a transport that loses the last word of every move and reports success.
type lossy struct{ Transport }

// shortened counts the moves that lost something since CheckFault.
var shortened atomic.Int64

// faultedTransport is the transport that AMGPU_FAULT names; empty: none.
func faultedTransport() string {
	name, ok := strings.CutPrefix(os.Getenv(faultEnv), "transport:")
	if !ok {
		return ""
	}
	return name
}

// CheckFault says what is wrong with AMGPU_FAULT=transport:NAME, and begins to count what
// it changes.
func CheckFault() error {
	shortened.Store(0)
	name, ok := strings.CutPrefix(os.Getenv(faultEnv), "transport:")
	if !ok || slices.Contains(Names(), name) {
		return nil
	}
	return fmt.Errorf("%s=transport:%s: no transport is called so%s", faultEnv, name, near.HintOrAll(name, Names()))
}

// CheckFaultFor says why AMGPU_FAULT=transport:NAME can change nothing in launches that ask
// for one of these transports, on these devices; nil: it may, or none is asked for.
func CheckFaultFor(asked []string, pool []*vk.Info) error {
	name := faultedTransport()
	if name == "" {
		return nil
	}
	for _, a := range asked {
		if try, err := candidates(a); err == nil && slices.ContainsFunc(try, func(k kind) bool { return k.name == name }) {
			return faultableOn(name, pool)
		}
	}
	return fmt.Errorf("%s=transport:%s: no link uses this transport with --transport %s: use --transport %s", faultEnv, name, strings.Join(asked, ", "), name)
}

// faultableOn says why no two devices of a pool can use a transport, as far as that is
// known before they are opened.
func faultableOn(name string, pool []*vk.Info) error {
	if name != CUDA {
		return nil
	}
	meant := 0
	for _, i := range pool {
		if _, is := cudaUUID(i); is {
			meant++
		}
	}
	if meant < 2 {
		return fmt.Errorf("%s=transport:%s: it copies between NVIDIA GPUs, and the pool has %d: name another transport (%s)", faultEnv, name, meant, strings.Join(Names(), ", "))
	}
	return nil
}

// FaultUnmet says why AMGPU_FAULT=transport:NAME has changed nothing since CheckFault;
// empty: it has, or none is asked for.
func FaultUnmet() string {
	name := faultedTransport()
	if name == "" || shortened.Load() > 0 {
		return ""
	}
	return "nothing crossed a link over the transport " + name
}

// lostBytes is how much the fault that the environment asks for takes from every move of a
// transport.
func lostBytes(transport string) uint64 {
	if faultedTransport() == transport {
		return 4
	}
	return 0
}

// faulted puts the fault that the environment asks for under a transport.
func faulted(t Transport) Transport {
	if lostBytes(t.Name()) > 0 {
		return lossy{t}
	}
	return t
}

// shorten is what a transport delivers of size bytes.
func shorten(transport string, size uint64) uint64 {
	lost := min(size, lostBytes(transport))
	if lost > 0 {
		shortened.Add(1)
	}
	return size - lost
}

func (l lossy) Rounds(moves []Move, parity int) ([]Round, int, error) {
	moves = slices.Clone(moves)
	for i := range moves {
		moves[i].Size = shorten(l.Name(), moves[i].Size)
	}
	return l.Transport.Rounds(moves, parity)
}
