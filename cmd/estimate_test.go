package cmd

import (
	"math"
	"slices"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/suites/scale"
)

// launchOf is a trial of n units in all, one work a unit, and seconds a sample.
func launchOf(mode string, total int64, devices []int, seconds float64) result.Trial {
	t := result.Trial{Count: len(devices), Devices: devices, Status: result.OK, Total: total, Verified: true,
		Work: result.Work{Value: float64(total), Unit: "cell"}, Samples: []float64{seconds, seconds, seconds}}
	t.Workload, t.Mode, t.Size, t.Strategy = "a/b", mode, result.Size{Label: "S", N: 100}, "equal"
	for range devices {
		t.Shares = append(t.Shares, total/int64(len(devices)))
	}
	return t
}

// Rows of one device that came later give estimates; a device that was not measured has
// those of its model, and one of another model leaves them unknown. Nothing that was
// known before is touched.
func TestEstimateAfter(t *testing.T) {
	known := launchOf("strong", 100, []int{0, 1}, 0.6)
	known.Division = &result.Division{Basis: fromCalibration, Estimated: []float64{7, 7}}
	dealt := launchOf("strong", 100, []int{0, 1}, 0.6)
	dealt.Division = &result.Division{Assign: "steal"}
	res := &result.Result{
		Devices: []result.Device{{Index: 0, Name: "X"}, {Index: 1, Name: "Y"}, {Index: 2, Name: "Y"}, {Index: 3, Name: "Z"}},
		Trials: []result.Trial{
			launchOf("strong", 100, []int{0, 1}, 1.25),
			launchOf("strong", 100, []int{0}, 1),
			launchOf("strong", 100, []int{1}, 2),
			launchOf("weak", 200, []int{0, 1}, 2),
			launchOf("strong", 100, []int{0, 2}, 1),
			launchOf("strong", 100, []int{0, 3}, 1),
			known, dealt,
		},
	}
	estimateAfter(res)
	for i, want := range [][]float64{{0.5, 1}, nil, nil, {1, 2}, {0.5, 1}, nil, {7, 7}, nil} {
		var got []float64
		if d := res.Trials[i].Division; d != nil {
			got = d.Estimated
		}
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("trial %d: estimated %v, want %v", i, got, want)
		}
	}
	for i, basis := range map[int]string{0: fromRows, 4: fromLike} {
		if d := res.Trials[i].Division; d.Basis != basis || !d.Hindsight || len(d.Rates) != 2 {
			t.Errorf("trial %d: %+v, want %s in hindsight", i, d, basis)
		}
	}
	if res.Trials[6].Division.Hindsight {
		t.Error("an estimate from before is said to be from after")
	}
	// The prediction error reaches the row.
	one := &result.Result{Devices: res.Devices, Trials: res.Trials[:3]}
	stat.Fill(one)
	for _, row := range one.Summary {
		if row.Count == 2 && (row.Balance == nil || row.Balance.Error == nil || math.Abs(*row.Balance.Error+0.2) > 1e-12) {
			t.Errorf("balance %+v, want an error of -0.2", row.Balance)
		}
	}
}

// What a sweep measures on one device is known of its model, and of nothing else.
func TestWillKnow(t *testing.T) {
	pool := []result.Device{{Name: "X"}, {Name: "X"}, {Name: "Y"}}
	k := launchOf("weak", 100, []int{0}, 1).Key
	other := k
	other.Workload = "c/d"
	know := willKnow(pool, []scale.Cell{{Key: k, Count: 1, Devices: []int{1}}, {Key: other, Count: 2, Devices: []int{0, 2}}}, nil)
	k.Mode, k.Strategy, k.Transport = "strong", "memory", "staging"
	for at, want := range []bool{true, true, false} {
		if know[aloneOf(k, at)] != want || know[aloneOf(other, at)] {
			t.Errorf("device %d: %v, want %v", at, know[aloneOf(k, at)], want)
		}
	}
	if !willKnow(pool, nil, []result.Trial{launchOf("strong", 100, []int{2}, 1)})[aloneOf(k, 2)] {
		t.Error("an earlier row counts for nothing")
	}
}
