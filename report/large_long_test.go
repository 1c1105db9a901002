//go:build long

package report_test

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/result"
)

// TestLarge: the report of 10,000 trials of few samples takes less than 3 s, reading
// included, however they divide into series. What is limited is processor time of all
// cores together, so that a busy machine fails nothing.
func TestLarge(t *testing.T) {
	for _, shape := range []struct{ series, launches int }{{1430, 7}, {720, 14}, {200, 50}} {
		path := filepath.Join(t.TempDir(), "large.json")
		if err := result.Write(path, large(shape.series, shape.launches)); err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"text", "html"} {
			t.Run(fmt.Sprintf("%d series of %d launches/%s", shape.series, shape.launches, format), func(t *testing.T) {
				before := processorTime(t)
				peak := watchHeap(t, func() {
					res, err := result.Read(path)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := report.Render(res, []string{format}, t.TempDir(), io.Discard); err != nil {
						t.Fatal(err)
					}
				})
				took := processorTime(t) - before
				t.Logf("%v of processor time, peak heap %d MB", took, peak>>20)
				if took > slowdown*3*time.Second || peak > 500<<20 {
					t.Errorf("%v, %d MB", took, peak>>20)
				}
			})
		}
	}
}

// large is series of one count with tuned constants and outputs that nothing was
// compared with: what headings say of them is looked up in the launches.
func large(series, launches int) *result.Result {
	base := ten()
	res, one := *base, base.Trials[0]
	res.Trials = nil
	for i := range series {
		for launch := range launches {
			t := one
			t.Size.N = int64(1000 + i)
			t.Block, t.Launch, t.Total, t.Digest = launch, launch, t.Size.N, fmt.Sprint(i)
			t.Verified, t.Check = false, &result.Check{Class: "E2"}
			t.Constants = []result.Constant{{Name: "group", Value: 64, From: result.FromDefault}, {Name: "tile", Value: int64(8 << (i % 3)), From: result.FromTuned}}
			res.Trials = append(res.Trials, t)
		}
	}
	return &res
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
