package scale

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
)

// Whatever a stored plan says, its replay is refused as an invalid sweep, or gives
// launches on devices of the pool by rules that end.
func FuzzReplay(f *testing.F) {
	c := config(2)
	c.Counts = []int{1, 2}
	cells, err := Plan(c)
	if err != nil {
		f.Fatal(err)
	}
	for _, item := range c.Items {
		if _, err := suites.Find(item.Workload.Info().ID); err != nil {
			suites.Register(item.Workload)
		}
	}
	seed := func(change func(*result.Plan)) {
		plan := result.Plan{Seed: 3, Preset: "quick", Launches: 1, Precision: 0.02, Samples: 7, MaxTime: 1.5, Order: Planned(cells[:2]), Params: map[string]int64{}}
		change(&plan)
		raw, err := json.Marshal(plan)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(raw))
	}
	seed(func(*result.Plan) {})
	seed(func(p *result.Plan) { p.Order = p.Order[:1]; p.Order[0].Devices = []int{1, 1} })
	seed(func(p *result.Plan) { p.Preset, p.Precision, p.MaxTime, p.Samples = "release", 9, -1, -5 })
	seed(func(p *result.Plan) {
		for _, item := range c.Items {
			for name := range item.Params {
				p.Params[ParamKey(item.Workload.Info().ID, name)] = 1 << 60
			}
		}
	})
	f.Fuzz(func(t *testing.T, text string) {
		var plan result.Plan
		if json.Unmarshal([]byte(text), &plan) != nil {
			return
		}
		cells, preset, err := Replay(plan, c.Pool, true)
		if err != nil {
			if !errors.Is(err, ErrConfig) {
				t.Fatal(err)
			}
			return
		}
		if err := preset.Rules.Check(); err != nil || preset.Launches < 1 {
			t.Fatalf("%d launches by rules that cannot be: %v", preset.Launches, err)
		}
		if len(cells) != len(plan.Order) {
			t.Fatalf("%d launches of %d", len(cells), len(plan.Order))
		}
		for _, cell := range cells {
			if cell.Count != len(cell.Devices) || cell.Total < 1 || cell.Item.Workload == nil || cell.Block < 0 || cell.Launch < 0 {
				t.Fatalf("%+v", cell)
			}
			for _, d := range cell.Devices {
				if !slices.ContainsFunc(c.Pool, func(have result.Device) bool { return have.Index == d }) {
					t.Fatalf("device %d", d)
				}
			}
		}
	})
}
