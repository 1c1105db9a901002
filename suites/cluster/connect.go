//go:build !mpi

package cluster

import "time"

// Library names the MPI that this amgpu is built with; empty: none.
func Library() string { return "" }

// Connect joins the job that a launcher started; nil: there is none. It gives up after a time in
// which not all ranks have come.
func Connect(_ time.Duration) (World, error) {
	if _, size := Launched(); size > 1 {
		return nil, ErrNoMPI
	}
	return nil, nil
}
