package cluster

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// World is the net of a job that a launcher started.
type World interface {
	Net
	// Finalize leaves the job once all ranks are ready to, or fails after a time.
	Finalize(most time.Duration) error
	// Abort ends all processes of the job with an exit code.
	Abort(code int)
}

// ErrNoMPI says that a launcher started several ranks of an amgpu that is built without MPI.
var ErrNoMPI = errors.New("several ranks were started, and this amgpu is built without MPI: start amgpu-mpi (make build-mpi)")

// ErrNotStarted says that ranks which a launcher started do not come together. It is an
// ErrRankLost.
var ErrNotStarted = fmt.Errorf("%w: it has not started", ErrRankLost)

// launchers are the variables in which launchers tell a process its rank and how many there
// are: Open MPI's mpirun, MPICH's, Slurm's srun.
var launchers = []struct{ rank, size string }{
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
	{"PMI_RANK", "PMI_SIZE"},
	{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
}

// Launched says as which of how many ranks a launcher started this process; size is 1
// without one. The first launcher that says both counts: an mpirun of one process within a step of
// Slurm starts one rank.
func Launched() (rank, size int) {
	for _, l := range launchers {
		n, err := strconv.Atoi(os.Getenv(l.size))
		r, wrong := strconv.Atoi(os.Getenv(l.rank))
		if err == nil && wrong == nil && r >= 0 && r < n {
			return r, n
		}
	}
	return 0, 1
}
