//go:build !mpi

package cluster

// Library names the MPI that this amgpu is built with; empty: none.
func Library() string { return "" }

// Connect joins the job that a launcher started; nil: there is none.
func Connect() (World, error) {
	if _, size := Launched(); size > 1 {
		return nil, ErrNoMPI
	}
	return nil, nil
}
