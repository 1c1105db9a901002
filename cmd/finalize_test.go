package cmd

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/suites/cluster"
)

// stubborn is a job whose MPI does not let go.
type stubborn struct {
	cluster.World
	err error
}

func (s stubborn) Rank() int                    { return 1 }
func (s stubborn) Finalize(time.Duration) error { return s.err }
func (s stubborn) Abort(int)                    {}

// TestFinalize: whether MPI comes back from its end or not, the job is not aborted any more
// and the command ends as it did; only the second is said.
func TestFinalize(t *testing.T) {
	for _, err := range []error{nil, errors.New("MPI_Finalize did not come back within 20s")} {
		endJob = func(int) { t.Error("the job is aborted") }
		var said strings.Builder
		finalize(stubborn{err: err}, streams{Out: io.Discard, Err: &said})
		if endJob != nil {
			t.Error("the end of the command would abort the job")
		}
		if want := err != nil; strings.Contains(said.String(), "rank 1 leaves the job without it") != want || want && !strings.Contains(said.String(), err.Error()) {
			t.Errorf("%v: said %q", err, said.String())
		}
	}
}
