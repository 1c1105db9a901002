package peer

import (
	"os"
	"slices"
	"strings"
)

// faultEnv makes a transport deliver less than it says, so that everything that follows
// can be tested: AMGPU_FAULT=transport:host.
const faultEnv = "AMGPU_FAULT"

// lossy is a transport that loses the last word of every move and reports success.
type lossy struct{ Transport }

// faulted puts the fault that the environment asks for under a transport.
func faulted(t Transport) Transport {
	if name, ok := strings.CutPrefix(os.Getenv(faultEnv), "transport:"); ok && name == t.Name() {
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
