package stat

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/amgpu/amgpu/report/result"
)

// oneSided makes the interval of a parameter between 0 and 1 that the fit puts on one
// of these bounds a one-sided bound (measurement.md P6) and names it; low and high are
// clipped to what the parameter can be. Where all refits end there too, resampling
// says nothing about how far the parameter may be from its bound, and reach does.
func oneSided(value float64, low, high **float64, reach func() float64) (bound string) {
	clip := func(end *float64) {
		if end != nil {
			*end = min(max(*end, 0), 1)
		}
	}
	clip(*low)
	clip(*high)
	switch bound = onBound(value); bound {
	case result.OnLower:
		*low = nil
		if *high != nil && **high == 0 {
			**high = min(reach(), 1)
		}
	case result.OnUpper:
		*high = nil
		if *low != nil && **low == 1 {
			**low = max(1-reach(), 0)
		}
	}
	return bound
}

// onBound names the bound of a parameter between 0 and 1 that a value lies on.
func onBound(value float64) string {
	switch value {
	case 0:
		return result.OnLower
	case 1:
		return result.OnUpper
	}
	return ""
}

// reach is how far each parameter may be from the fit by the scatter between
// launches alone: t times the standard error, to first order; 0 where it is not
// known. It is what remains where the refits do not scatter.
func (f *fitter) reach(p usl, free []int) (out [3]float64) {
	pts, df := f.points(), 0
	for i, c := range f.cols {
		if len(c.values) < 2 {
			return out
		}
		// The standard error of a median of normal values.
		se := stat.StdDev(c.values, nil) * math.Sqrt(math.Pi/2/float64(len(c.values)))
		se = max(se, 1e-9*pts[i].x)
		pts[i].w = 1 / (se * se)
		df += len(c.values) - 1
	}
	c, ok := p.inverse(pts, free)
	if !ok {
		return out
	}
	t := student(df)
	for k := range out {
		if half := t * math.Sqrt(c[k][k]); half < tooLarge { // NaN is not
			out[k] = half
		}
	}
	return out
}
