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
	b, ok := f.uslBounds(p, pts)
	if !ok {
		out.Reason = "not identifiable: the fit has no standard errors"
		return out, nil
	}
	out.SigmaHigh, out.KappaHigh = &b.sigma[1], &b.kappa[1]
	sigma, kappa := b.sigma[0] > 0, b.kappa[0] > 0
	if sigma {
		out.SigmaLow = &b.sigma[0]
	}
	if kappa {
		out.KappaLow = &b.kappa[0]
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
	if f.lackOfFit(p) {
		doubts = append(doubts, result.Warning{Code: "lack-of-fit", Text: "the universal scalability law does not describe the data"})
	}
	return out, doubts
}

// uslBounds are 95 % intervals and the draws of the peak.
type uslBounds struct {
	sigma, kappa [2]float64
	peaks        []float64
}

func (f *fitter) uslBounds(p usl, pts []point) (b uslBounds, ok bool) {
	if f.replicated() {
		var sigmas, kappas []float64
		f.bootstrap(pts, func(pts []point) {
			q := fitUSL(pts, false)
			sigmas, kappas = append(sigmas, q.sigma), append(kappas, q.kappa)
			b.peaks = append(b.peaks, peakOf(q))
		})
		b.sigma[0], b.sigma[1] = percentiles(sigmas)
		b.kappa[0], b.kappa[1] = percentiles(kappas)
		return b, true
	}
	se, ok := p.errors(pts, false)
	if !ok {
		return b, false
	}
	t := student(len(pts) - 3)
	b.sigma = [2]float64{p.sigma - t*se[0], p.sigma + t*se[0]}
	b.kappa = [2]float64{p.kappa - t*se[1], p.kappa + t*se[1]}
	return b, true
}

// peakOf is N* = sqrt((1-sigma)/kappa), infinite for kappa 0.
func peakOf(p usl) float64 { return math.Sqrt((1 - p.sigma) / p.kappa) }

// peak is N*, withheld beyond twice the largest count (P4).
func (f *fitter) peak(p usl, b uslBounds) *result.Value {
	v := &result.Value{Value: peakOf(p)}
	if v.Value > 2*float64(f.top) || math.IsInf(v.Value, 0) {
		return nil
	}
	if len(b.peaks) > 0 {
		if lo, hi := percentiles(b.peaks); !math.IsInf(hi, 0) {
			v.Low, v.High = &lo, &hi
		}
	}
	return v
}

// lackOfFit is the F test of the residual against the error between launches at
// .01, on relative deviations (P5). Samples within a launch are no replicates.
func (f *fitter) lackOfFit(p usl) bool {
	var lack, pure float64
	dfLack, dfPure := len(f.cols)-3, 0
	if f.pooled || dfLack < 1 {
		return false
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
		return false
	}
	ratio := lack / float64(dfLack) / (pure / float64(dfPure))
	return distuv.F{D1: float64(dfLack), D2: float64(dfPure)}.Survival(ratio) < 0.01
}
