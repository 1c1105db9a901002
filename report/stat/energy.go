package stat

import (
	"fmt"

	"github.com/amgpu/amgpu/report/result"
)

// meteredFor is how long the energy counters of a launch should run: those of some
// devices sample a quarter of the time only (measurement.md M31, M32; Yang et al.,
// arXiv 2312.02741).
const meteredFor = 5.0

// joules is the energy per unit of work of each launch; nil unless it is known for
// every one. shortest is the least time that counters ran, in seconds.
func (c *cell) joules() (each []float64, shortest float64) {
	for i, l := range c.launches {
		e := l.trial.Energy
		if e == nil || !(e.Joules > 0) || !(l.trial.Work.Value > 0) {
			return nil, 0
		}
		each = append(each, e.Joules/l.trial.Work.Value)
		if i == 0 || e.Seconds < shortest {
			shortest = e.Seconds
		}
	}
	return each, shortest
}

// energy fills what a row says of energy: joules per unit of work, as the median of
// launches, and the energy efficiency, joules per unit at the base over those here
// (measurement.md M33).
func (s *series) energy(c *cell, row *result.Summary) {
	here, shortest := c.joules()
	if here == nil {
		return
	}
	v := result.Value{Value: Median(here), Unit: "J/" + c.launches[0].trial.Work.Unit}
	if m, ok := MedianInterval(here); ok {
		v.Low, v.High = m.Low, m.High
	}
	row.Energy = &v
	if shortest < meteredFor {
		row.Warnings = append(row.Warnings, result.Warning{Code: "energy-short",
			Text: fmt.Sprintf("energy over %.2g s a launch only: energy counters need %g s for a mean", shortest, meteredFor)})
	}
	for _, base := range s.cells {
		if base.count != s.base || base == c {
			continue
		}
		if there, _ := base.joules(); there != nil {
			if ratio, ok := Ratio(there, here); ok {
				row.EnergyEfficiency = &ratio
			}
		}
	}
}
