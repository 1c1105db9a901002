package scale

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
)

// TestReplay: a stored plan gives the same launches in the same order.
func TestReplay(t *testing.T) {
	c := config(2)
	c.Counts = []int{1, 2}
	c.Residencies, c.SelfTest = Residencies, true
	cells, err := Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range c.Items {
		if _, err := suites.Find(item.Workload.Info().ID); err != nil {
			suites.Register(item.Workload)
		}
	}
	plan := result.Plan{Seed: c.Seed, Preset: "default", Launches: c.Preset.Launches, Precision: 0.02, Samples: 7, MaxTime: 1.5, Order: Planned(cells), Params: map[string]int64{}}
	for _, item := range c.Items {
		for name, v := range item.Params {
			plan.Params[ParamKey(item.Workload.Info().ID, name)] = v
		}
	}
	again, preset, err := Replay(plan, c.Pool, true)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Planned(cells), Planned(again)); d != "" {
		t.Error(d)
	}
	for i := range cells {
		if cells[i].Seed != again[i].Seed || !cmp.Equal(cells[i].Item.Params, again[i].Item.Params, cmpopts.EquateEmpty()) {
			t.Fatalf("launch %d: seed %d and %v, stored %d and %v", i, again[i].Seed, again[i].Item.Params, cells[i].Seed, cells[i].Item.Params)
		}
	}
	if r := preset.Rules; r.Precision != 0.02 || r.MaxSamples != 7 || r.MinSamples > 7 || r.MaxTime != 1.5 || r.Check() != nil {
		t.Errorf("rules %+v", r)
	}

	for what, spoil := range map[string]func(*result.Plan){
		"not in the pool":     func(p *result.Plan) { p.Order[0].Devices = append([]int{9}, p.Order[0].Devices[1:]...) },
		"unknown workload":    func(p *result.Plan) { p.Order[0].Workload = "no/such" },
		"residency and cache": func(p *result.Plan) { p.Order[0].Residency = "" },
		"devices for a count": func(p *result.Plan) { p.Order[0].Count = 7 },
		`side "C"`:            func(p *result.Plan) { p.Order[0].Side = "C" },
		"once more":           func(p *result.Plan) { p.Order = append(p.Order, p.Order[1]) },
		`strategy "fair"`:     func(p *result.Plan) { p.Order[0].Strategy = "fair" },
		"lists no launches":   func(p *result.Plan) { p.Order = nil },
		"unknown preset":      func(p *result.Plan) { p.Preset = "slow" },
	} {
		bad := plan
		bad.Order = append([]result.PlannedCell{}, plan.Order...)
		spoil(&bad)
		if _, _, err := Replay(bad, c.Pool, true); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
