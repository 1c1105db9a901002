package scale

import (
	"math"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
)

// outcomeOf is what a check saw of what was computed, for reports; nil: nothing to draw.
func outcomeOf(o suites.Outcome) *result.Outcome {
	if o.Training == nil && o.Comodulogram == nil {
		return nil
	}
	return &result.Outcome{Training: trainingOf(o.Training), Comodulogram: comodulogramOf(o.Comodulogram)}
}

func trainingOf(t *suites.Training) *result.Training {
	if t == nil {
		return nil
	}
	out := &result.Training{Steps: t.Steps}
	for _, loss := range t.Losses {
		out.Losses = append(out.Losses, result.Loss{Name: loss.Name, Values: finite(loss.Values)})
	}
	for _, m := range t.Measures {
		out.Measures = append(out.Measures, result.Measure{Name: m.Name, Value: finite([]float64{m.Value})[0]})
	}
	return out
}

func comodulogramOf(c *suites.Comodulogram) *result.Comodulogram {
	if c == nil {
		return nil
	}
	out := &result.Comodulogram{Measure: c.Measure, Phase: c.Phase, Amplitude: c.Amplitude, Signal: c.Signal}
	for _, row := range c.Values {
		out.Values = append(out.Values, finite(row))
	}
	return out
}

// finite are numbers as a file holds them: null for what is none.
func finite(x []float64) []*float64 {
	var out []*float64
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			out = append(out, nil)
			continue
		}
		out = append(out, &v)
	}
	return out
}
