//go:build mpi

package cluster

import (
	"errors"
	"fmt"
	"time"

	"github.com/amgpu/amgpu/suites/cluster/internal/mpi"
)

// world is MPI's as a World.
type world struct{ *mpi.World }

func (w world) Engine(channel int) (Engine, error) { return w.World.Engine(channel) }

// Library names the MPI that this amgpu is built with.
func Library() string { return mpi.Library() }

// Connect joins the job that a launcher started; nil: there is none, or this process is all
// of it. It gives up after a time in which not all ranks have come.
func Connect(most time.Duration) (World, error) {
	rank, size := Launched()
	if size == 1 {
		return nil, nil
	}
	w, err := mpi.Init(most)
	if errors.Is(err, mpi.ErrLate) {
		return nil, fmt.Errorf("%w: rank %d of %d: %w: a process hangs or a node is down, the launcher knows which (--rank-timeout sets the limit to a quarter)", ErrNotStarted, rank, size, err)
	}
	if err != nil {
		return nil, err
	}
	if w.Size() != size {
		return nil, fmt.Errorf("the launcher started %d ranks, and MPI (%s) knows of %d: the launcher must be of the MPI that amgpu is built with (srun: --mpi=pmix or pmi2)", size, mpi.Library(), w.Size())
	}
	return world{w}, nil
}
