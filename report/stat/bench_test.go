package stat

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/report/result"
)

// large is 10,000 trials with device times: perRow launches a row, counts 1 to 8.
func large(perRow int) *result.Result {
	b := newBench("default", make([]float64, 8)...)
	for i := 0; len(b.res.Trials) < 10_000; i++ {
		for block := range perRow {
			for _, n := range []int{1, 2, 3, 4, 6, 8} {
				p := phases{compute: [][]float64{make([]float64, n)}, transfer: [][]float64{make([]float64, n)}}
				for d := range n {
					p.compute[0][d], p.transfer[0][d] = 1/float64(n), .01
				}
				t := b.add("strong", block, 1, 1000, devicesOf(n)...)
				p.time(t, .01+.001*b.random.NormFloat64())
				t.Size.N = int64(100 + i)
			}
		}
	}
	return b.res
}

func BenchmarkSummary(b *testing.B) {
	for name, perRow := range map[string]int{"7 launches a row": 7, "200 launches a row": 200} {
		res := large(perRow)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Summary(res)
			}
		})
	}
}

// TestLargeResult: the statistics of 10,000 trials take less than a second of an
// idle machine; what is limited is processor time, so that a busy one fails nothing.
func TestLargeResult(t *testing.T) {
	res := large(7)
	before := processorTime(t)
	rows, laws, _ := Summary(res)
	took := processorTime(t) - before
	t.Logf("%d trials, %d rows, %d laws: %v of processor time", len(res.Trials), len(rows), len(laws), took)
	// Two cores share it; a busy machine makes it longer, too.
	if took > slowdown*1800*time.Millisecond {
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
