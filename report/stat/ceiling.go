package stat

import (
	"fmt"
	"math"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// limit is the throughput that contention alone allows, gamma/sigma, which the law
// comes near as devices are added (Amdahl's 1/f of the rate of one); infinite without
// contention.
func (p usl) limit() float64 {
	if p.sigma > 0 {
		return p.gamma / p.sigma
	}
	return math.Inf(1)
}

// ceiling of the rate by a law at n devices, infinite where it has none. That of
// Gustafson's law is n times the rate of one device, which is given where it comes
// from one value per count; else it scatters like all rates.
func (f *fitter) ceiling(m model, pts []point, n float64) float64 {
	switch {
	case !m.slope:
		return fitUSL(pts, m.fixed).limit()
	case !f.replicated():
		return n * pts[0].x
	}
	return math.Inf(1)
}

// cut ends the intervals of a prediction, rate x and efficiency e at n devices, at what
// the law cannot exceed: its limit and, beyond the base, efficiency 1. It returns what
// did; the limit is that of the fit, so that it is uncertain itself, and is named.
func cut(x, e *result.Value, limit, n, base, atBase float64) string {
	var by []string
	shorten := func(v *result.Value, most float64) bool {
		if most = max(most, v.Value); v.High == nil || *v.High <= most {
			return false
		}
		v.High = &most
		return true
	}
	byLimit := shorten(x, limit)
	if shorten(e, limit*base/(n*atBase)) || byLimit {
		by = append(by, strings.TrimSpace(fmt.Sprintf("the limit of the law as fitted, %.4g %s", limit, x.Unit)))
	}
	if n >= base && shorten(e, 1) {
		by = append(by, "efficiency 1, the most that the law allows")
	}
	return strings.Join(by, " and ")
}
