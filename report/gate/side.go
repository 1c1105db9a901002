package gate

import (
	"fmt"
	"math"
	"strings"

	gstat "gonum.org/v1/gonum/stat"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// side is one row of one result.
type side struct {
	res *result.Result
	row *stat.Row
}

// unusable tells why a side carries no verdict (G2).
func (s *side) unusable(metric string) (code, reason string) {
	r := s.row
	tooMany, invalid := stat.TooManyInvalid(r.Trials)
	switch {
	case r.Basis == "within launch":
		return "too_few_launches", "quick preset: no verdict may rest on it; measure with --preset default"
	case r.Status == result.AbovePeak:
		return "above_peak", strings.TrimSuffix("the rate cannot be: "+r.Reason, ": ")
	case len(r.Times) == 0:
		return "invalid_samples", strings.TrimSuffix(r.Status+": "+r.Reason, ": ")
	case tooMany:
		return "invalid_samples", invalid
	case s.warned("not-steady"):
		w, _ := s.warning("not-steady")
		return "not_steady", w.Text
	case len(s.values(metric)) < leastLaunch:
		return "too_few_launches", fmt.Sprintf("%d launches, a verdict takes %d or more; use --launches 7", len(s.values(metric)), leastLaunch)
	}
	return "", ""
}

func (s *side) values(metric string) []float64 {
	if metric == Efficiency {
		return s.row.Efficiencies
	}
	return s.row.Times
}

func (s *side) warning(code string) (result.Warning, bool) {
	for _, w := range s.row.Warnings {
		if w.Code == code {
			return w, true
		}
	}
	return result.Warning{}, false
}

func (s *side) warned(code string) bool {
	_, ok := s.warning(code)
	return ok
}

// medianVariance is the variance of the median of normal values with the spread of
// the logarithms of xs.
func medianVariance(xs []float64) float64 {
	return math.Pi / 2 * gstat.Variance(logs(xs, 1), nil) / float64(len(xs))
}
