package stat

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/report/result"
)

// Ask is what to compute besides what every summary holds.
type Ask struct {
	Predict []int // counts to predict for every series
	Far     bool  // also beyond twice the largest count measured
}

// reach is how far beyond the largest count a law is believed.
const reach = 2

// model is a law fitted to points: the throughput at n devices.
type model struct {
	name  string
	fit   func([]point) func(n float64) float64
	slope bool // Gustafson's law, which has no covariance of its own here
	fixed bool // kappa is fixed at 0
}

var (
	uslModel = model{name: "usl", fit: func(pts []point) func(float64) float64 { return fitUSL(pts, false).at }}
	amdahl   = model{name: "amdahl", fixed: true, fit: func(pts []point) func(float64) float64 { return fitUSL(pts, true).at }}
	// Gustafson's law scales the rate of one device (S5).
	gustafson = model{name: "gustafson", slope: true, fit: func(pts []point) func(float64) float64 {
		share, one := share(pts), pts[0].x
		return func(n float64) float64 { return one * (n + (1-n)*share) }
	}}
)

// choose takes the richest law that the counts identify.
func choose(l *result.Law) (m model, reason string) {
	switch {
	case l.USL != nil && l.USL.Identifiable:
		return uslModel, ""
	case l.Amdahl != nil && l.Amdahl.Identifiable:
		return amdahl, ""
	case l.Gustafson != nil && l.Gustafson.Identifiable:
		return gustafson, ""
	case l.Amdahl != nil:
		return m, "no law can tell: " + l.Amdahl.Reason
	case l.Gustafson != nil:
		return m, "no law can tell: " + l.Gustafson.Reason
	}
	return m, "no law can tell"
}

// predict evaluates the chosen law at the counts asked for. The efficiency is
// relative to base by the law itself; unit is that of the rate, empty if none.
func (f *fitter) predict(l *result.Law, base int, unit string, ask Ask) []result.Prediction {
	if len(ask.Predict) == 0 {
		return nil
	}
	m, reason := choose(l)
	switch {
	case reason != "":
	case l.Descriptive:
		reason = "the devices are unequal: which ones would be added is not known"
	case base == 0:
		reason = "nothing to compare with"
	}
	out := make([]result.Prediction, len(ask.Predict))
	var within []int // indexes of those that can be predicted
	for i, n := range ask.Predict {
		out[i] = result.Prediction{Count: n, Reason: reason}
		switch {
		case reason != "":
		case n > reach*f.top && !ask.Far:
			out[i].Reason = fmt.Sprintf("more than twice the largest count measured (%d); --far predicts it all the same", f.top)
		default:
			out[i].Law = m.name
			within = append(within, i)
		}
	}
	if len(within) > 0 {
		f.evaluate(m, base, unit, out, within)
	}
	return out
}

// evaluate fills the predictions at the indexes given, with intervals from refits
// to resampled launches, or linearised for one value per count (S17), no wider than
// the law itself can be.
func (f *fitter) evaluate(m model, base int, unit string, out []result.Prediction, within []int) {
	pts := f.points()
	rate := m.fit(pts)
	b := float64(base)
	relative := func(rate func(float64) float64, n float64) float64 { return rate(n) * b / (n * rate(b)) }
	rates, shares := make([][]float64, len(out)), make([][]float64, len(out))
	if f.replicated() {
		f.bootstrap(pts, func(pts []point) {
			again := m.fit(pts)
			for _, i := range within {
				n := float64(out[i].Count)
				rates[i], shares[i] = append(rates[i], again(n)), append(shares[i], relative(again, n))
			}
		})
	}
	for _, i := range within {
		p := &out[i]
		n := float64(p.Count)
		x, e := result.Value{Value: rate(n), Unit: unit}, result.Value{Value: relative(rate, n)}
		if !(x.Value > 0 && x.Value < tooLarge && e.Value > 0) { // s' > 1 far out
			p.Law, p.Reason = "", "the law expects no throughput there"
			continue
		}
		if f.replicated() {
			bound(&x, rates[i])
			bound(&e, shares[i])
		} else if dx, de, ok := f.linear(m, pts, n, b); ok {
			around(&x, dx)
			around(&e, de)
		}
		p.Cut = cut(&x, &e, f.ceiling(m, pts, n), n, b, rate(b))
		if unit != "" {
			p.Rate = &x
		}
		p.Efficiency, p.Speedup = &e, times(e, n/b)
	}
}

// bound sets the percentile interval of draws.
func bound(v *result.Value, draws []float64) {
	if lo, hi := percentiles(draws); lo > -tooLarge && hi < tooLarge {
		v.Low, v.High = &lo, &hi
	}
}

// around sets v +- half, not below 0.
func around(v *result.Value, half float64) {
	if half < tooLarge {
		lo, hi := max(0, v.Value-half), v.Value+half
		v.Low, v.High = &lo, &hi
	}
}

// linear gives the half widths of the 95 % intervals of rate and efficiency at n,
// to first order in the parameters.
func (f *fitter) linear(m model, pts []point, n, base float64) (rate, efficiency float64, ok bool) {
	if m.slope {
		_, half, ok := slopeInterval(pts)
		if !ok {
			return 0, 0, false
		}
		return pts[0].x * (n - 1) * half, (n - 1) / n * half, true // its base is 1
	}
	p := fitUSL(pts, m.fixed)
	cov, ok := p.covariance(pts, m.fixed)
	if !ok {
		return 0, 0, false
	}
	df := len(pts) - 3
	if m.fixed {
		df = len(pts) - 2
	}
	g, h := p.gradient(n), p.gradient(base)
	e := p.at(n) * base / (n * p.at(base))
	var d [3]float64
	for k := range d {
		d[k] = e * (g[k]/p.at(n) - h[k]/p.at(base))
	}
	t := student(df)
	return t * spread(cov, g), t * spread(cov, d), true
}

// slopeInterval is Gustafson's s' with the half width of its 95 % interval.
func slopeInterval(pts []point) (value, half float64, ok bool) {
	value = share(pts)
	df := len(pts) - 2 // the first point fixes the scale
	if df < 1 {
		return value, 0, false
	}
	var rss, sxx float64
	for _, q := range pts {
		x, y := q.n-1, q.n-q.x/pts[0].x
		rss += (y - value*x) * (y - value*x)
		sxx += x * x
	}
	return value, student(df) * math.Sqrt(rss/float64(df)/sxx), true
}

// unit is that of the rates of s; empty where its trials name no work.
func (s *series) unit() string {
	for _, c := range s.cells {
		for _, l := range c.launches {
			if l.trial.Work.Value > 0 {
				return l.trial.Work.Unit + "/s"
			}
		}
	}
	return ""
}
