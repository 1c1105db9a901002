//go:build long

package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/report/result"
)

// TestLarge: the gate of two results of 10,000 trials takes less than 3 s, reading
// included: at most launches, up to which tests are exact, with and without ties
// among them, and at many rows. What is limited is processor time of all cores
// together, so that a busy machine fails nothing.
func TestLarge(t *testing.T) {
	for _, shape := range []struct {
		workloads, launches int
		tied                bool
	}{{100, 50, false}, {100, 50, true}, {125, 40, true}, {167, 30, true}, {714, 7, false}} {
		t.Run(fmt.Sprintf("%d rows of %d launches, ties %t", 2*shape.workloads, shape.launches, shape.tied), func(t *testing.T) {
			var files [2][]byte
			for i := range files {
				raw, err := json.Marshal(repeated(i+1, shape.workloads, shape.launches, shape.tied))
				if err != nil {
					t.Fatal(err)
				}
				files[i] = raw
			}
			before := processorTime(t)
			var sides [2]*result.Result
			for i, raw := range files {
				res, err := result.Decode(bytes.NewReader(raw))
				if err != nil {
					t.Fatal(err)
				}
				sides[i] = res
			}
			r, err := Run(one(sides[0]), sides[1], Options{})
			if err != nil || r.Compared != 2*shape.workloads {
				t.Fatal(r, err)
			}
			took := processorTime(t) - before
			t.Logf("%d trials: %v of processor time", len(sides[0].Trials), took)
			if took > slowdown*3*time.Second {
				t.Errorf("%v", took)
			}
		})
	}
}

// BenchmarkSamples reads and judges two results of 10,000 trials with as many samples as the
// default preset takes at most, 200 of two devices: what a command does, and its memory.
func BenchmarkSamples(b *testing.B) {
	var paths [2]string
	for i := range paths {
		res := repeated(i+1, 100, 50, false)
		for k := range res.Trials {
			t := &res.Trials[k]
			t.Samples = slices.Repeat(t.Samples, 40)
			t.Times = result.TimesOf(slices.Repeat(t.Times.List(), 40)...)
		}
		paths[i] = filepath.Join(b.TempDir(), "r.json")
		if err := result.Write(paths[i], res); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		var sides [2]*result.Result
		for i, path := range paths {
			res, err := result.ReadSamples(path)
			if err != nil {
				b.Fatal(err)
			}
			sides[i] = res
		}
		if r, err := Run(one(sides[0]), sides[1], Options{}); err != nil || r.Compared != 200 {
			b.Fatal(r, err)
		}
	}
}

// repeated is made with more launches, whose times are all different or, tied, some
// equal ones and those otherwise in every row.
func repeated(day, workloads, launches int, tied bool) *result.Result {
	names := make([]string, workloads)
	for i := range names {
		names[i] = fmt.Sprintf("a/w%03d", i)
	}
	res := made(day, as, names...)
	res.Plan.Launches = launches
	few := res.Trials
	res.Trials = nil
	random := rand.New(rand.NewPCG(uint64(day), 1))
	for row := 0; row < len(few); row += 7 {
		for launch := range launches {
			t := few[row+launch%7]
			t.Launch, t.Block = launch, launch
			step := float64((launch*37+day*11+row*5)%101) + 0.01*float64(launch)
			if tied {
				step = float64(random.IntN(60))
			}
			t.Samples = nil
			var times []result.SampleTimes
			for i := range 5 {
				seconds := 0.01 / float64(t.Count) * (1 + 1e-4*step)
				x := result.SampleTimes{}
				for range t.Count {
					x.Compute, x.Transfer = append(x.Compute, 0.95*seconds), append(x.Transfer, 0)
				}
				t.Samples, times = append(t.Samples, seconds*(1+0.001*float64(i-2))), append(times, x)
			}
			t.Times = result.TimesOf(times...)
			res.Trials = append(res.Trials, t)
		}
	}
	return res
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
