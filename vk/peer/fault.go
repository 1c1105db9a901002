package peer

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/internal/near"
)

// faultEnv makes a transport deliver less than it says, so that everything that follows
// can be tested: AMGPU_FAULT=transport:host.
const faultEnv = "AMGPU_FAULT"

// lossy is a transport that loses the last word of every move and reports success.
type lossy struct{ Transport }

// CheckFault says what is wrong with AMGPU_FAULT=transport:NAME.
func CheckFault() error {
	name, ok := strings.CutPrefix(os.Getenv(faultEnv), "transport:")
	if !ok || slices.Contains(Names(), name) {
		return nil
	}
	return fmt.Errorf("%s=transport:%s: no transport is called so%s", faultEnv, name, near.HintOrAll(name, Names()))
}

// lostBytes is how much the fault that the environment asks for takes from every move of a
// transport.
func lostBytes(transport string) uint64 {
	if name, ok := strings.CutPrefix(os.Getenv(faultEnv), "transport:"); ok && name == transport {
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

func (l lossy) Rounds(moves []Move, parity int) ([]Round, int, error) {
	moves = slices.Clone(moves)
	for i := range moves {
		moves[i].Size -= min(moves[i].Size, 4)
	}
	return l.Transport.Rounds(moves, parity)
}
