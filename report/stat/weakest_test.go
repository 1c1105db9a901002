package stat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// cluster is two nodes of two GPUs whose solo rates are proportional to speed.
func cluster(speed [4]float64) *result.Result {
	res := &result.Result{Schema: result.Schema, Job: &result.Job{}}
	for i := range 4 {
		res.Devices = append(res.Devices, result.Device{Index: i, Name: "GPU", Node: fmt.Sprintf("n%d", i/2)})
	}
	for block := range 5 {
		for i, s := range speed {
			t := result.Trial{Key: result.Key{Workload: "memory/triad", Mode: "strong"}, Count: 1, Devices: []int{i}, Block: block, Launch: 4*block + i,
				Status: result.OK, Verified: true, Work: result.Work{Value: 1e9, Unit: "B"}}
			for k := range 5 {
				t.Samples = append(t.Samples, 1e-3/s*(1+1e-4*float64((block+k)%3)))
			}
			res.Trials = append(res.Trials, t)
		}
	}
	return res
}

// TestSlowNode: a node is named where most of its devices are slow, one slow device is named
// with its node only, and among equal nodes none is.
func TestSlowNode(t *testing.T) {
	for _, c := range []struct {
		speed  [4]float64
		device string // the text has it
		node   bool   // n1 is called slow
	}{
		{[4]float64{1, 1, 1, 1}, "", false},
		{[4]float64{1, 1, 1, 0.8}, "device 3 (GPU, on n1) alone is slower", false},
		{[4]float64{1, 1, 0.9, 0.88}, "", true},
	} {
		_, _, warnings := Summary(cluster(c.speed))
		var text strings.Builder
		for _, w := range warnings {
			text.WriteString(w.Code + ": " + w.Text + "\n")
		}
		if c.device == "" && !c.node && text.Len() > 0 || !strings.Contains(text.String(), c.device) {
			t.Errorf("%v: %s", c.speed, text.String())
		}
		if got := strings.Contains(text.String(), "slow-node: node n1 is slower than its peers: 2 of its 2 devices are"); got != c.node || strings.Contains(text.String(), "node n0") {
			t.Errorf("%v: node %v\n%s", c.speed, got, text.String())
		}
	}
}

// TestWeakest: from rates alone, and where there are none from the times of a team.
func TestWeakest(t *testing.T) {
	res := cluster([4]float64{1, 0.96, 0.98, 0.95})
	band := func(v float64) *float64 { return &v }
	res.Links = []result.Link{
		{From: 0, To: 2, Transport: "mpi", Kind: "NET", Bandwidth: band(20e9)}, {From: 2, To: 0, Transport: "mpi", Kind: "NET", Bandwidth: band(15e9)},
		{From: 0, To: 1, Transport: "cuda", Kind: "NV18", Bandwidth: band(3e9)}, // nothing is like it
	}
	w := WeakestOf(res)
	if w.Node != "n1" || w.Device != 3 || w.Link == nil || w.Link.From != 2 {
		t.Errorf("alone: %+v", w)
	}
	if want := 0.95 / 0.97; w.DeviceShare < want-0.001 || w.DeviceShare > want+0.001 || w.LinkShare < 0.857 || w.LinkShare > 0.858 {
		t.Errorf("shares %g and %g, want %g and 15/17.5", w.DeviceShare, w.LinkShare, want)
	}
	team := result.Trial{Key: result.Key{Workload: "memory/triad", Mode: "strong"}, Count: 4, Devices: []int{3, 2, 1, 0}, Status: result.OK, Verified: true,
		Samples: []float64{1}, Shares: []int64{10, 10, 10, 20}, Times: result.TimesOf(result.SampleTimes{Compute: []float64{1, 1.25, 1, 2}})}
	res.Trials = []result.Trial{team}
	if w := WeakestOf(res); w.Device != 2 || w.DeviceShare != 0.8 || w.Node != "n1" {
		t.Errorf("in a team: %+v", w)
	}
	team.Staged = true // a pipeline: devices do different things
	res.Trials = []result.Trial{team}
	if w := WeakestOf(res); w.DeviceShare != 0 {
		t.Errorf("of stages: %+v", w)
	}
	res.Trials = nil
	if w := WeakestOf(res); w.DeviceShare != 0 || w.NodeShare != 0 {
		t.Errorf("without trials: %+v", w)
	}
}
