//go:build long

package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// look is what two devices had done at a time of the host's clock, in nanoseconds.
type look struct {
	at         int64
	done, busy [2]float64 // chunks; seconds
}

// watch looks at a deal every half millisecond until stop is closed.
func (g *dealing) watch(stop <-chan struct{}) (seen []look) {
	for {
		select {
		case <-stop:
			return seen
		case <-time.After(500 * time.Microsecond):
		}
		l := look{at: vk.Now()}
		g.mutex.Lock()
		for i := range 2 {
			l.done[i], l.busy[i] = float64(g.hands.Handed(i)), g.hands.Busy(i)
		}
		g.mutex.Unlock()
		seen = append(seen, l)
	}
}

// between is what was done from one time to another: batches are spread over the time
// that they took.
func between(seen []look, from, to int64) (d look) {
	at := func(x int64) (l look) {
		for i := range 2 {
			last := seen[0]
			for _, s := range seen[1:] {
				if s.done[i] == last.done[i] {
					continue
				}
				if s.at >= x {
					part := max(float64(x-last.at)/float64(s.at-last.at), 0)
					l.done[i] = last.done[i] + part*(s.done[i]-last.done[i])
					l.busy[i] = last.busy[i] + part*(s.busy[i]-last.busy[i])
					break
				}
				last = s
			}
		}
		return l
	}
	a, b := at(from), at(to)
	for i := range 2 {
		d.done[i], d.busy[i] = b.done[i]-a.done[i], b.busy[i]-a.busy[i]
	}
	return d
}

// share is the second device's part of the chunks.
func (l look) share() float64 { return l.done[1] / (l.done[0] + l.done[1]) }

// optimum is what its part would be by the rates of both.
func (l look) optimum() float64 {
	a, b := l.done[0]/l.busy[0], l.done[1]/l.busy[1]
	return b / (a + b)
}

// TestAdaptation: a device becomes four times as slow in the middle of iterations that
// follow each other without a pause. From 50 to 100 ms later both devices get chunks in
// proportion to the rates that they then have, within 5 %, by the median of 15 runs. By the
// rules that look at no rates they do not. Rates are those of the same window, so that
// whatever else runs on the machine is no error.
func TestAdaptation(t *testing.T) {
	t.Setenv("LP_NUM_THREADS", "1")
	_, adapters := vktest.Timed(t, "2")
	const from, after, runs, bin = 200 * time.Millisecond, 150 * time.Millisecond, 15, 10 * time.Millisecond
	t.Setenv("AMGPU_FAULT", fmt.Sprintf("slow:1:3:%g", from.Seconds()))
	for _, c := range []struct {
		rule   string
		adapts bool
	}{{"steal", true}, {"weighted", true}, {"latency", true}, {"round-robin", false}, {"capacity", false}} {
		s := chains(t, adapters, 1<<14, 256, c.rule)
		v, err := s.Verify(t.Context(), true)
		if err != nil || v.Outcome.Wrong != "" {
			t.Fatalf("%s: %s %v", c.rule, v.Outcome.Wrong, err)
		}
		var slower, followed []float64
		curve := make([][]float64, after/bin)
		for reps := 32; len(followed) < runs; {
			seen, opened, done := disturbed(t, s, reps)
			if time.Duration(done-opened) < from+after+2*bin {
				reps *= 2
				continue
			}
			window := func(a, b time.Duration) look {
				return between(seen, opened+(from+a).Nanoseconds(), opened+(from+b).Nanoseconds())
			}
			was, is := window(-100*time.Millisecond, 0), window(50*time.Millisecond, 100*time.Millisecond)
			slower = append(slower, is.optimum()/was.optimum())
			followed = append(followed, is.share()/is.optimum())
			for k := range curve {
				x := window(time.Duration(k)*bin, time.Duration(k+1)*bin)
				curve[k] = append(curve[k], x.share()/x.optimum())
			}
		}
		var line []float64
		for _, values := range curve {
			line = append(line, math.Round(100*middle(values))/100)
		}
		t.Logf("%s: optimum after %.2f of that before; share over the optimum, 50 to 100 ms after: %.3f (%.2f-%.2f), every 10 ms: %v",
			c.rule, middle(slower), middle(followed), followed[0], followed[runs-1], line)
		if middle(slower) > 0.8 {
			t.Errorf("%s: the device did not become slower", c.rule)
		}
		if off := math.Abs(middle(followed) - 1); c.adapts != (off <= 0.05) {
			t.Errorf("%s: %.1f %% off the optimum", c.rule, 100*off)
		}
	}
}

// middle sorts values and is the one in the middle.
func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// disturbed runs iterations back to back under watch.
func disturbed(t *testing.T, s *Session, reps int) (seen []look, opened, done int64) {
	t.Helper()
	stop, all := make(chan struct{}), make(chan []look)
	go func() { all <- s.deal.watch(stop) }()
	w, err := s.dealRound(context.Background(), reps)
	close(stop)
	seen = <-all
	if err != nil {
		t.Fatal(err)
	}
	return seen, w.opened, w.done
}
