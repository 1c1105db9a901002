package stat

import (
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// meter gives every launch of a count an energy per iteration, in joules.
func (b *bench) meter(count int, joules, seconds float64) {
	for i := range b.res.Trials {
		if tr := &b.res.Trials[i]; tr.Count == count {
			tr.Energy = &result.Energy{Joules: joules, Seconds: seconds}
		}
	}
}

// TestEnergy: joules per unit of work, and their ratio to the base; both absent where
// one launch has no counter.
func TestEnergy(t *testing.T) {
	b := team(phases{compute: [][]float64{{.5, .5}}}, .01)
	if r := b.row(t, "strong", 2); r.Energy != nil || r.EnergyEfficiency != nil {
		t.Fatalf("energy that nobody counted: %+v", r)
	}
	b.meter(1, 100, 6)
	b.meter(2, 125, 0.5)
	work := b.res.Trials[0].Work.Value
	one, two := b.row(t, "strong", 1), b.row(t, "strong", 2)
	near(t, "joules per unit", one.Energy.Value, 100/work, 1e-12)
	near(t, "energy efficiency", two.EnergyEfficiency.Value, 0.8, 1e-12)
	if one.EnergyEfficiency != nil || !strings.HasPrefix(one.Energy.Unit, "J/") {
		t.Errorf("base %+v", one)
	}
	short := func(r result.Summary) bool {
		for _, w := range r.Warnings {
			if w.Code == "energy-short" {
				return true
			}
		}
		return false
	}
	if short(one) || !short(two) {
		t.Errorf("warnings of 6 s %+v, of 0.5 s %+v", one.Warnings, two.Warnings)
	}
	b.res.Trials[len(b.res.Trials)-1].Energy = nil
	b.res.Trials[0].Energy = nil
	if one, two := b.row(t, "strong", 1), b.row(t, "strong", 2); one.Energy != nil || two.EnergyEfficiency != nil {
		t.Errorf("energy of some launches only: %+v, %+v", one.Energy, two.EnergyEfficiency)
	}
}
