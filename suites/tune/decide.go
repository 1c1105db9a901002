package tune

import (
	"context"
	"fmt"
	"maps"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// decide measures the defaults and the fastest candidate again, in turn: one that was the
// fastest of many by luck is not faster then. The winner must beat the defaults by more
// than the interval of their ratio (Hodges-Lehmann over the medians of launches).
func (st *state) decide(ctx context.Context) {
	tried := fmt.Sprintf("%d candidates tried", len(st.out.Candidates))
	if len(st.out.Candidates) == 1 {
		tried = "1 candidate tried"
	}
	if st.ended != "" {
		st.out.Verdict = "the defaults stay: " + st.ended + "; " + tried
		return
	}
	if maps.Equal(st.best, st.Default) {
		st.out.Verdict = "the defaults stay: nothing is faster; " + tried
		return
	}
	fastest := name(st.Tunables, st.best)
	defaults, best, failed := st.alternate(ctx)
	if failed != "" {
		st.out.Verdict = "the defaults stay: " + failed
		return
	}
	gain, ok := stat.Ratio(defaults, best)
	if !ok {
		st.out.Verdict = "the defaults stay: no launch of " + fastest + " could be compared"
		return
	}
	st.out.Gain, st.out.Launches = &gain, len(best)
	switch {
	case gain.Low == nil:
		st.out.Verdict = fmt.Sprintf("the defaults stay: %d launches give no interval for %s", len(best), fastest)
	case *gain.Low <= 1:
		st.out.Verdict = fmt.Sprintf("the defaults stay: %s is %.3g times as fast, interval %.3g to %.3g", fastest, gain.Value, *gain.Low, *gain.High)
	default:
		st.out.Winner = maps.Clone(st.best)
		st.out.Verdict = fmt.Sprintf("%s is %.3g times as fast as the defaults, interval %.3g to %.3g; %s", fastest, gain.Value, *gain.Low, *gain.High, tried)
	}
}

// alternate launches both sides in turn, the first one changing from pair to pair, and
// returns the medians of the launches in seconds.
func (st *state) alternate(ctx context.Context) (defaults, best []float64, failed string) {
	sides := []struct {
		constants map[string]int64
		into      *[]float64
	}{{st.Default, &defaults}, {st.best, &best}}
	for n := range st.Launches {
		for k := range sides {
			side := sides[(n+k)%2]
			trial, c := st.measure(ctx, side.constants)
			if c.Time == nil {
				st.keep(c)
			}
			switch {
			case st.ended != "":
				return nil, nil, st.ended
			case c.Time == nil:
				return nil, nil, name(st.Tunables, side.constants) + " failed when measured again: " + c.Status + reason(c.Reason)
			case !st.free && trial.Digest != st.digest:
				return nil, nil, name(st.Tunables, side.constants) + " gave other bits when measured again"
			}
			*side.into = append(*side.into, c.Time.Median)
		}
	}
	return defaults, best, ""
}

// Lost says whether a search ended because its device was lost.
func Lost(t result.Tuning) bool {
	for _, c := range t.Candidates {
		if c.Status == result.DeviceLost {
			return true
		}
	}
	return false
}
