package scale

import (
	"math"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
)

// outcomeOf is what a check saw of what was computed, for reports; nil: nothing to draw.
func outcomeOf(o suites.Outcome) *result.Outcome {
	if o.Training == nil {
		return nil
	}
	t := &result.Training{Steps: o.Training.Steps}
	for _, loss := range o.Training.Losses {
		out := result.Loss{Name: loss.Name}
		for _, v := range loss.Values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				out.Values = append(out.Values, nil)
				continue
			}
			out.Values = append(out.Values, &v)
		}
		t.Losses = append(t.Losses, out)
	}
	return &result.Outcome{Training: t}
}
