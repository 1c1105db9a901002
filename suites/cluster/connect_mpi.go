//go:build mpi

package cluster

import (
	"fmt"

	"github.com/amgpu/amgpu/suites/cluster/internal/mpi"
)

// world is MPI's as a World.
type world struct{ *mpi.World }

func (w world) Engine(channel int) (Engine, error) { return w.World.Engine(channel) }

// Library names the MPI that this amgpu is built with.
func Library() string { return mpi.Library() }

// Connect joins the job that a launcher started; nil: there is none, or this process is all
// of it.
func Connect() (World, error) {
	_, size := Launched()
	if size == 1 {
		return nil, nil
	}
	w, err := mpi.Init()
	if err != nil {
		return nil, err
	}
	if w.Size() != size {
		return nil, fmt.Errorf("the launcher started %d ranks, and MPI (%s) knows of %d: the launcher must be of the MPI that amgpu is built with (srun: --mpi=pmix or pmi2)", size, mpi.Library(), w.Size())
	}
	return world{w}, nil
}
