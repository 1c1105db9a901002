package tune

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
)

// few can be tried one and all, many cannot.
var (
	few = []suites.Tunable{
		{Name: "group", Values: []int64{64, 128, 256}, Default: 256},
		{Name: "unroll", Values: []int64{1, 2, 4}, Default: 1},
	}
	many = []suites.Tunable{
		{Name: "group", Values: []int64{32, 64, 128, 256, 512}, Default: 256},
		{Name: "unroll", Values: []int64{1, 2, 4, 8, 16}, Default: 1},
		{Name: "tile", Values: []int64{8, 16, 32}, Default: 16},
	}
)

func defaults(list []suites.Tunable) map[string]int64 {
	out := map[string]int64{}
	for _, t := range list {
		out[t.Name] = t.Default
	}
	return out
}

// trial is a launch of that many seconds an iteration, a little more or less by n.
func trial(seconds float64, n int) result.Trial {
	t := result.Trial{Status: result.OK, Verified: true, Digest: "d", Work: result.Work{Value: 1, Unit: "B"}}
	for i := range 7 {
		t.Samples = append(t.Samples, seconds*(1+0.001*float64((n*5+i*3)%7)))
	}
	return t
}

// run searches with a made-up time for each set of constants and counts the launches.
func run(list []suites.Tunable, at func(c map[string]int64) result.Trial) (result.Tuning, int) {
	n := 0
	s := Search{Tunables: list, Default: defaults(list), Launches: 5, Measure: func(_ context.Context, c map[string]int64) result.Trial {
		n++
		t := at(c)
		for i := range t.Samples {
			t.Samples[i] *= 1 + 0.0005*float64(n%3)
		}
		return t
	}}
	return s.Run(context.Background()), n
}

// A planted optimum is found, by trying all and by going through the tunables in turn.
func TestFindsThePlantedConstants(t *testing.T) {
	for _, list := range [][]suites.Tunable{few, many} {
		out, n := run(list, func(c map[string]int64) result.Trial {
			seconds := 10.0
			if c["group"] == 64 {
				seconds -= 2
			}
			if c["unroll"] == 4 {
				seconds -= 3
			}
			return trial(seconds, 0)
		})
		if out.Winner["group"] != 64 || out.Winner["unroll"] != 4 || out.Gain == nil || *out.Gain.Low < 1.9 || *out.Gain.High > 2.1 || out.Launches != 5 {
			t.Errorf("found %+v", out)
		}
		if !maps.Equal(out.Candidates[0].Constants, defaults(list)) || out.Candidates[0].Time == nil {
			t.Errorf("the first candidate is %+v, not the defaults", out.Candidates[0])
		}
		if n > 45 {
			t.Errorf("%d launches", n)
		}
	}
}

// What is faster only at first sight does not replace the defaults.
func TestLuckIsNoWin(t *testing.T) {
	seen := map[int64]int{}
	out, _ := run(few, func(c map[string]int64) result.Trial {
		seen[c["group"]*100+c["unroll"]]++
		if c["group"] == 128 && c["unroll"] == 2 && seen[12802] == 1 {
			return trial(5, 0)
		}
		return trial(10, seen[c["group"]*100+c["unroll"]])
	})
	if out.Winner != nil || out.Gain == nil || !strings.Contains(out.Verdict, "the defaults stay: group=128 unroll=2 is") {
		t.Errorf("found %+v", out)
	}
}

// Candidates that are wrong, cannot run or change bits are dropped with their reasons,
// however fast they are.
func TestDropsWhatMustNotWin(t *testing.T) {
	out, _ := run(few, func(c map[string]int64) result.Trial {
		switch {
		case c["group"] == 64 && c["unroll"] == 1:
			return result.Trial{Status: result.WrongResult, Reason: "x[3] = 1, expected 2", Samples: []float64{1, 1, 1, 1, 1, 1}}
		case c["group"] == 64 && c["unroll"] == 2:
			return result.Trial{Status: result.Unsupported, Reason: "too much shared memory"}
		case c["group"] == 64:
			fast := trial(1, 0)
			fast.Digest = "other"
			return fast
		}
		return trial(10, 0)
	})
	if out.Winner != nil || !strings.HasPrefix(out.Verdict, "the defaults stay") {
		t.Errorf("found %+v", out)
	}
	reasons := map[string]string{"group=64 unroll=1": "x[3] = 1", "group=64 unroll=2": "shared memory", "group=64 unroll=4": "other bits"}
	for _, c := range out.Candidates {
		id := name(few, c.Constants)
		if want := reasons[id]; want != "" && (c.Time != nil || c.Status == result.OK || !strings.Contains(c.Reason, want)) {
			t.Errorf("%s: %+v", id, c)
		}
		delete(reasons, id)
	}
	if len(reasons) > 0 {
		t.Errorf("not tried: %v", reasons)
	}
}

// Outputs that differ by nature between runs are not compared.
func TestFreeBits(t *testing.T) {
	n := 0
	out, _ := run(few, func(c map[string]int64) result.Trial {
		n++
		x := trial(float64(c["group"]), 0)
		x.CountDependent, x.Digest = true, strings.Repeat("x", n)
		return x
	})
	if out.Winner["group"] != 64 {
		t.Errorf("found %+v", out)
	}
}

// A lost device ends the search with what is known.
func TestLostDevice(t *testing.T) {
	out, n := run(many, func(c map[string]int64) result.Trial {
		if c["group"] == 128 {
			return result.Trial{Status: result.DeviceLost, Reason: "vkQueueSubmit"}
		}
		return trial(10, 0)
	})
	last := out.Candidates[len(out.Candidates)-1]
	if !Lost(out) || out.Winner != nil || last.Status != result.DeviceLost || n != len(out.Candidates) || !strings.Contains(out.Verdict, "lost with group=128 unroll=1 tile=16, vkQueueSubmit") {
		t.Errorf("%d launches, found %+v", n, out)
	}
	// Also where it is lost when both sides are measured again.
	launches := 0
	out, _ = run(few, func(c map[string]int64) result.Trial {
		if launches++; launches > 12 {
			return result.Trial{Status: result.DeviceLost}
		}
		return trial(float64(c["group"]), 0)
	})
	if !Lost(out) || out.Winner != nil {
		t.Errorf("found %+v", out)
	}
}

// Without the defaults nothing can be compared.
func TestDefaultsFail(t *testing.T) {
	out, n := run(few, func(map[string]int64) result.Trial {
		return result.Trial{Status: result.Unsupported, Reason: "too large"}
	})
	if n != 1 || out.Winner != nil || out.Verdict != "the defaults were not measured: unsupported, too large" {
		t.Errorf("%d launches, found %+v", n, out)
	}
}

// The end of the context ends the search; the defaults stay.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	n := 0
	s := Search{Tunables: many, Default: defaults(many), Launches: 5, Measure: func(_ context.Context, c map[string]int64) result.Trial {
		if n++; n == 4 {
			stop()
		}
		return trial(float64(c["group"]), 0)
	}}
	if out := s.Run(ctx); n != 4 || out.Winner != nil || !strings.Contains(out.Verdict, "interrupted") {
		t.Errorf("%d launches, found %+v", n, out)
	}
}
