package relativity

import (
	"math"

	"github.com/amgpu/amgpu/suites"
)

const (
	placeTolerance  = 5e-4
	energyTolerance = 2e-5
	// nearCapture is how close to the limit radius float32 may decide either way.
	nearCapture = 2e-3
)

// Verify integrates in float64 and compares places and both invariants. A particle that
// comes close to the radius of capture may be frozen a step earlier or later, or not.
func (geodesic) Verify(c *suites.Check) (suites.Outcome, error) {
	steps := max(c.Build.Params["steps"], 1)
	scale := math.Pow(max(float64(steps)/1000, 1), 2)
	tally, err := c.EachUnit("state", c.Build.Size, func(i int64, got []uint32, t *suites.Tally) {
		var end orbit
		for j := range end.x {
			end.x[j] = float64(math.Float32frombits(got[j]))
			end.v[j] = float64(math.Float32frombits(got[4+j]))
		}
		start := startOrbit(c.Build.Seed, i)
		want, captured, least := start.integrate(steps, float64(properStep))
		flag := math.Float32frombits(got[3]) == 1
		if flag != captured || captured && math.Abs(least-capture) < nearCapture {
			near := math.Abs(least-capture) < nearCapture
			if !near {
				t.Near("state", 8*i+3, got[3], map[bool]float64{false: 0, true: 1}[captured], 0)
			}
			return
		}
		t.Bits("state", 8*i+3, got[3], map[bool]uint32{false: 0, true: math.Float32bits(1)}[captured])
		r := math.Sqrt(dot(want.x, want.x))
		for j := range want.x {
			t.Near("state", 8*i+int64(j), got[j], want.x[j], placeTolerance*scale*r)
		}
		h2 := start.spin()
		t.Near("state", 8*i+7, got[7], h2, 1e-6*h2+1e-6)
		t.Identity("angular momentum", i, end.spin(), h2, placeTolerance*scale*(h2+1))
		t.Identity("energy", i, end.energy(), want.energy(), energyTolerance*scale)
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E3", "angular momentum and E^2 kept"), nil
}
