package measure

import (
	"context"
	"math"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// maxReps bounds the iterations of one sample.
const maxReps = 1 << 20

// calibrate finds how many iterations last as long as a sample should.
func (t *taker) calibrate(ctx context.Context) error {
	t.reps = 1
	for {
		s, err := t.one(ctx)
		if err != nil {
			return err
		}
		if !t.lengthen(s.Seconds) {
			return nil
		}
	}
}

// lengthen raises reps when samples of this time per iteration are too short,
// by a factor of 10 at most: the first iterations of a launch run slow or fast
// for reasons of their own. It tells whether it changed anything.
func (t *taker) lengthen(seconds float64) bool {
	most := maxReps
	if l, ok := t.session.(Limited); ok {
		most = min(most, l.MaxReps())
	}
	if seconds*float64(t.reps) >= t.length || t.reps >= most {
		return false
	}
	want := math.Ceil(1.05 * t.length / seconds)
	t.reps = int(min(max(want, float64(t.reps+1)), float64(10*t.reps), float64(most)))
	return true
}

// warmUp samples until the rate is steady: the medians of two successive windows agree,
// there is no trend over both, and no clock that can be read moved within the last.
func (t *taker) warmUp(ctx context.Context) (result.Warmup, error) {
	var w result.Warmup
	var recent []float64  // since the sample length was last changed
	var begun []time.Time // when each of them began
	start, busy := t.now(), 0.0
	for {
		begin := t.now()
		s, err := t.one(ctx)
		if err != nil {
			return w, err
		}
		w.Samples++
		busy += s.Seconds * float64(t.reps)
		recent, begun = append(recent, s.Seconds), append(begun, begin)
		w.Seconds = t.now().Sub(start).Seconds()

		if n := len(recent); n%t.rules.Window == 0 {
			if t.lengthen(stat.Median(recent[n-t.rules.Window:])) {
				recent, begun = recent[:0], begun[:0]
			} else if w.Samples >= t.rules.WarmMinSamples && busy >= t.rules.WarmMinBusy && t.steady(recent) && t.clocked(begun) {
				w.Steady = true
				return w, nil
			}
		}
		if w.Seconds >= t.rules.WarmCap {
			return w, nil
		}
	}
}

func (t *taker) steady(recent []float64) bool {
	w := t.rules.Window
	if len(recent) < 2*w {
		return false
	}
	last := recent[len(recent)-2*w:]
	before, now := stat.Median(last[:w]), stat.Median(last[w:])
	return math.Abs(now/before-1) < t.rules.Agreement && stat.MannKendall(last) > t.rules.Trend
}

// clocked tells whether the clocks kept still over the last window.
func (t *taker) clocked(begun []time.Time) bool {
	c, ok := t.session.(Clocked)
	return !ok || c.ClockSpread(begun[len(begun)-t.rules.Window], t.now()) < t.rules.ClockSpread
}
