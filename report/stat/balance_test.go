package stat

import (
	"math"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// TestBalance computes the four definitions by hand: loads of 6, 8 and 10 ms in 10 ms,
// units 3, 3 and 6.
func TestBalance(t *testing.T) {
	trial := &result.Trial{
		Count: 3, Devices: []int{0, 1, 2}, Status: result.OK, Samples: []float64{0.010}, Shares: []int64{3, 3, 6},
		Times:    result.TimesOf(result.SampleTimes{Compute: []float64{0.006, 0.008, 0.010}, Transfer: make([]float64, 3)}),
		Division: &result.Division{Estimated: []float64{0.008, 0.008, 0.009}},
	}
	c := &cell{count: 3, launches: []launch{{trial: trial, times: trial.Samples}}}
	b := c.balance()
	sd := 0.002 * math.Sqrt(2.0/3)
	for name, x := range map[string]struct {
		got  *float64
		want float64
	}{
		"utilization_sd": {b.UtilizationSD, sd / 0.010}, "load_cv": {b.LoadCV, sd / 0.008}, "count_deviation": {b.CountDeviation, 0.5},
		"max_min": {b.MaxMin, 0.4}, "expected": {b.Expected, 0.009}, "error": {b.Error, -0.1},
	} {
		if x.got == nil || math.Abs(*x.got-x.want) > 1e-12 {
			t.Errorf("%s: %v, want %g", name, x.got, x.want)
		}
	}
	if one := (&cell{count: 1, launches: c.launches}).balance(); one != nil {
		t.Errorf("of one device: %+v", one)
	}
	trial.Times, trial.Division = result.Times{}, nil
	if b = c.balance(); b.LoadCV != nil || b.Error != nil || b.CountDeviation == nil {
		t.Errorf("without device times: %+v", b)
	}
}
