package stat

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/amgpu/amgpu/report/result"
)

// usl fits the universal scalability law where the counts identify it
// (measurement.md 2.4) and says which parameters can be told from 0 (P2-P6).
func (f *fitter) usl() (*result.USL, []result.Warning) {
	n := len(f.cols)
	pure := 0 // degrees of freedom of pure error
	for _, c := range f.cols {
		pure += len(c.values) - 1
	}
	if n < 5 || n == 5 && (f.pooled || pure < 10) {
		return &result.USL{Reason: notIdentifiable(n)}, nil
	}
	pts := f.points()
	p := fitUSL(pts, false)
	out := &result.USL{Sigma: &p.sigma, Kappa: &p.kappa, Gamma: &p.gamma}
	cov, ok := p.covariance(pts, false)
	if !ok {
		out.Reason = "not identifiable: the fit has no standard errors"
		out.SigmaBound, out.KappaBound = onBound(p.sigma), onBound(p.kappa)
		return out, nil
	}
	f.describe(out, p, pts, cov)
	b := f.uslBounds(p, pts, cov)
	if b.refits > 0 {
		share := float64(b.zero) / float64(b.refits)
		out.KappaZero = &share
	}
	sigma, kappa := b.sigma[0] > 0, b.kappa[0] > 0
	reach := func(k int) func() float64 { return func() float64 { return f.reach(p, []int{0, 1, 2})[k] } }
	out.SigmaLow, out.SigmaHigh, out.KappaLow, out.KappaHigh = &b.sigma[0], &b.sigma[1], &b.kappa[0], &b.kappa[1]
	out.SigmaBound = oneSided(p.sigma, &out.SigmaLow, &out.SigmaHigh, reach(0))
	out.KappaBound = oneSided(p.kappa, &out.KappaLow, &out.KappaHigh, reach(1))
	if !sigma {
		out.SigmaLow = nil
	}
	if !kappa {
		out.KappaLow = nil
	}
	upper := func(name string, high float64) string {
		return fmt.Sprintf("%s not distinguishable from 0 (95 %% upper bound %.3g)", name, high)
	}
	out.Identifiable = sigma || kappa
	switch {
	case !sigma && !kappa:
		out.Reason = "not identifiable: " + upper("sigma", b.sigma[1]) + ", " + upper("kappa", b.kappa[1])
	case !sigma:
		out.Reason = upper("sigma", b.sigma[1])
	case !kappa:
		out.Reason = upper("kappa", b.kappa[1])
	}
	var doubts []result.Warning
	if kappa {
		out.Peak = f.peak(p, b)
		if out.Peak != nil && out.Peak.Value > float64(f.top) {
			doubts = append(doubts, result.Warning{Code: "extrapolated", Text: fmt.Sprintf("the largest throughput is expected at N=%.1f, beyond the %d measured", out.Peak.Value, f.top)})
		}
	}
	if value, ok := f.lackOfFit(p); ok {
		out.LackOfFit = &value
	}
	if out.LackOfFit != nil && *out.LackOfFit < 0.01 {
		doubts = append(doubts, result.Warning{Code: "lack-of-fit", Text: "the universal scalability law does not describe the data"})
	}
	return out, doubts
}

// describe adds the standard errors and the rate that contention alone allows.
func (f *fitter) describe(out *result.USL, p usl, pts []point, cov [3][3]float64) {
	se := [3]float64{math.Sqrt(cov[0][0]), math.Sqrt(cov[1][1]), math.Sqrt(cov[2][2])}
	out.SigmaSE, out.KappaSE, out.GammaSE = &se[0], &se[1], &se[2]
	if !f.replicated() { // every weight is 1
		residual := math.Sqrt(p.rss(pts) / float64(len(pts)-3))
		out.ResidualSE = &residual
	}
	if limit := p.gamma / p.sigma; p.sigma > 0 && limit < tooLarge {
		out.Limit = &limit
	}
}

// uslBounds are 95 % intervals of the parameters and of the peak.
type uslBounds struct {
	sigma, kappa, peak [2]float64
	refits, zero       int // of these have kappa 0
}

// uslBounds resamples launches; with one value per count it is linearised (S17).
func (f *fitter) uslBounds(p usl, pts []point, cov [3][3]float64) (b uslBounds) {
	if f.replicated() {
		sigmas, kappas, peaks := make([]float64, 0, f.size()), make([]float64, 0, f.size()), make([]float64, 0, f.size())
		f.bootstrap(pts, func(pts []point) {
			q := refit(pts, p, false)
			sigmas, kappas, peaks = append(sigmas, q.sigma), append(kappas, q.kappa), append(peaks, peakOf(q))
			if q.kappa == 0 {
				b.zero++
			}
		})
		b.refits = len(sigmas)
		b.sigma[0], b.sigma[1] = percentiles(sigmas)
		b.kappa[0], b.kappa[1] = percentiles(kappas)
		b.peak[0], b.peak[1] = percentiles(peaks)
		return b
	}
	around := func(v, se float64) [2]float64 {
		half := student(len(pts)-3) * se
		return [2]float64{v - half, v + half}
	}
	b.sigma = around(p.sigma, math.Sqrt(cov[0][0]))
	b.kappa = around(p.kappa, math.Sqrt(cov[1][1]))
	top := peakOf(p)
	b.peak = around(top, spread(cov, [3]float64{-top / 2 / (1 - p.sigma), -top / 2 / p.kappa, 0}))
	return b
}

// peakOf is N* = sqrt((1-sigma)/kappa), infinite for kappa 0.
func peakOf(p usl) float64 {
	if p.kappa == 0 {
		return math.Inf(1)
	}
	return math.Sqrt((1 - p.sigma) / p.kappa)
}

// peak is N*, withheld beyond twice the largest count (P4).
func (f *fitter) peak(p usl, b uslBounds) *result.Value {
	v := &result.Value{Value: peakOf(p)}
	if v.Value > 2*float64(f.top) || math.IsInf(v.Value, 0) {
		return nil
	}
	if lo, hi := b.peak[0], b.peak[1]; lo > 0 && hi < tooLarge {
		v.Low, v.High = &lo, &hi
	}
	return v
}

// lackOfFit is the F test of the residual against the error between launches at
// .01 (P5), on relative deviations: its p-value. Samples within a launch are no
// replicates; ok is false without any.
func (f *fitter) lackOfFit(p usl) (value float64, ok bool) {
	var lack, pure float64
	dfLack, dfPure := len(f.cols)-3, 0
	if f.pooled || dfLack < 1 {
		return 0, false
	}
	for _, c := range f.cols {
		m, fit := mean(c.values), p.at(float64(c.count))
		lack += float64(len(c.values)) * (m/fit - 1) * (m/fit - 1)
		for _, v := range c.values {
			pure += (v - m) * (v - m) / (fit * fit)
		}
		dfPure += len(c.values) - 1
	}
	if dfPure < 1 || pure == 0 {
		return 0, false
	}
	ratio := lack / float64(dfLack) / (pure / float64(dfPure))
	return distuv.F{D1: float64(dfLack), D2: float64(dfPure)}.Survival(ratio), true
}
