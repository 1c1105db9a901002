//go:build long

package stat

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestLargeResult: the statistics of 10,000 trials take less than a second. What is
// limited is processor time of all cores together, so that a busy machine fails nothing.
func TestLargeResult(t *testing.T) {
	res := large(7)
	before := processorTime(t)
	rows, laws, _ := Summary(res)
	took := processorTime(t) - before
	t.Logf("%d trials, %d rows, %d laws: %v of processor time", len(res.Trials), len(rows), len(laws), took)
	if took > slowdown*time.Second {
		t.Errorf("%v", took)
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
