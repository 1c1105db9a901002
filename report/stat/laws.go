package stat

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/amgpu/amgpu/report/result"
)

const (
	resamples    = 2000
	resampleSeed = 0x616d677075 // fixed: the same result gives the same numbers
)

// column is what laws know of one count.
type column struct {
	count   int
	speedup *result.Value
	values  []float64 // see scaling.values
}

// laws gives the scaling laws of s from its rows; nil with fewer than two counts,
// when nothing can be said about scaling.
func (s *series) laws(cols []column, uneven, relative bool, ask Ask) *result.Law {
	if s.key.Mode == "solo" || len(cols) < 2 {
		return nil
	}
	l := &result.Law{Key: s.key, KarpFlatt: []result.Point{}, Descriptive: uneven}
	for _, c := range cols {
		l.Counts = append(l.Counts, c.count)
		if s.base == 1 && c.count > 1 && c.speedup != nil {
			l.KarpFlatt = append(l.KarpFlatt, karpFlatt(c.count, *c.speedup))
		}
	}
	f := fitter{cols: cols, pooled: s.pooled, absolute: relative, top: cols[len(cols)-1].count}
	switch s.key.Mode {
	case "strong":
		l.Amdahl = f.amdahl()
	case "weak":
		l.Gustafson = f.gustafson(s.base)
	}
	l.USL, l.Warnings = f.usl()
	for _, c := range cols {
		if superlinear(c.count, s.base, c.speedup) {
			l.Warnings = append(l.Warnings, result.Warning{Code: "superlinear",
				Text: fmt.Sprintf("superlinear at N=%d: the cause is outside the model (cache, clock)", c.count)})
		}
	}
	l.Predictions = f.predict(l, s.base, s.unit(), ask)
	return l
}

// superlinear tells whether a speedup over base exceeds the ideal beyond an interval
// that a statement may rest on.
func superlinear(count, base int, s *result.Value) bool {
	low, _ := s.Firm()
	return low != nil && *low*float64(base) > float64(count)
}

// karpFlatt is the experimentally determined serial fraction
// (1/S - 1/N)/(1 - 1/N) (Karp and Flatt, CACM 1990), N > 1. It falls as S grows,
// so the interval's ends change places.
func karpFlatt(n int, s result.Value) result.Point {
	e := func(s float64) float64 { return (1/s - 1/float64(n)) / (1 - 1/float64(n)) }
	p := result.Point{Count: n, Value: result.Value{Value: e(s.Value), Method: s.Method}}
	if s.Low != nil && s.High != nil {
		lo, hi := e(*s.High), e(*s.Low)
		p.Low, p.High = &lo, &hi
	}
	return p
}

// fitter fits laws to the medians of columns and resamples their values.
type fitter struct {
	cols     []column
	pooled   bool // values are samples, not launches
	absolute bool // values are speedups already
	top      int  // largest count
	draws    int  // of each bootstrap; 0: resamples
	drawn    []float64
}

func notIdentifiable(counts int) string {
	if counts == 1 {
		return "not identifiable with 1 count"
	}
	return fmt.Sprintf("not identifiable with %d counts", counts)
}

// replicated tells whether every count has values to resample.
func (f *fitter) replicated() bool {
	return !slices.ContainsFunc(f.cols, func(c column) bool { return len(c.values) < 2 })
}

// points are the medians with weights: 1/SE^2 of a median of launches where five
// or more launches give every count one, else 1/X^2 (noise of GPUs is
// multiplicative), and 1 for series with one value per count (S12).
func (f *fitter) points() []point {
	out := make([]point, len(f.cols))
	known := !f.pooled
	for i, c := range f.cols {
		x := Median(c.values)
		out[i] = point{n: float64(c.count), x: x, w: 1}
		if f.replicated() {
			out[i].w = 1 / (x * x)
		}
		known = known && len(c.values) >= 5 && stat.StdDev(c.values, nil) > 1e-6*x
	}
	if known {
		for i, c := range f.cols {
			se := stat.StdDev(c.values, nil) / math.Sqrt(float64(len(c.values)))
			out[i].w = 1 / (se * se)
		}
	}
	return out
}

// bootstrap calls fit with the medians of each resample of launches within counts;
// all laws of a series are refitted to the same ones.
func (f *fitter) bootstrap(pts []point, fit func([]point)) {
	if f.drawn == nil {
		f.draw()
	}
	again := slices.Clone(pts)
	for at := 0; at < len(f.drawn); at += len(again) {
		for i := range again {
			again[i].x = f.drawn[at+i]
		}
		fit(again)
	}
}

// size is the number of resamples.
func (f *fitter) size() int { return cmp.Or(f.draws, resamples) }

// draw makes the resamples: their medians, count by count.
func (f *fitter) draw() {
	source := rand.NewPCG(resampleSeed, uint64(len(f.cols)))
	columns := make([]resampler, len(f.cols))
	for i, c := range f.cols {
		columns[i] = newResampler(c.values, source)
	}
	f.drawn = make([]float64, 0, f.size()*len(columns))
	for range f.size() {
		for i := range columns {
			f.drawn = append(f.drawn, columns[i].median())
		}
	}
}

// resampler draws medians of resamples of its values without drawing the values:
// of an odd number the median is one of them, with known chances; of an even number
// the k-th of n uniform order statistics is Beta(k, n-k+1), and the next one follows.
type resampler struct {
	values []float64 // sorted
	chance []float64 // odd: that the median is at most values[i]
	random *rand.Rand
	middle distuv.Beta
	next   distuv.Beta
}

func newResampler(values []float64, source rand.Source) resampler {
	n := len(values)
	k := (n + 1) / 2
	r := resampler{values: sorted(values), random: rand.New(source)}
	if n%2 == 0 {
		r.middle = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1), Src: source}
		r.next = distuv.Beta{Alpha: 1, Beta: float64(max(1, n-k)), Src: source}
		return r
	}
	for i := range values {
		// At least k of n draws are among the first i+1 values.
		r.chance = append(r.chance, distuv.Binomial{N: float64(n), P: float64(i+1) / float64(n)}.Survival(float64(k-1)))
	}
	r.chance[n-1] = 1
	return r
}

func (r resampler) median() float64 {
	n := len(r.values)
	if n%2 == 1 {
		i, _ := slices.BinarySearch(r.chance, r.random.Float64())
		return r.values[i]
	}
	at := func(u float64) float64 { return r.values[min(n-1, int(u*float64(n)))] }
	u := r.middle.Rand()
	v := u + (1-u)*r.next.Rand()
	return at(u)/2 + at(v)/2
}

func percentiles(xs []float64) (lo, hi float64) {
	return quantiles(xs, (1-level)/2, (1+level)/2)
}

// amdahl fits the serial fraction f of S = 1/(f + (1-f)/N) with the one-device
// rate free (S4), between 0 and 1.
func (f *fitter) amdahl() *result.Fit {
	if len(f.cols) < 3 {
		return &result.Fit{Reason: notIdentifiable(len(f.cols))}
	}
	pts := f.points()
	p := fitUSL(pts, true)
	out := &result.Fit{Identifiable: true, Value: &p.sigma}
	if f.replicated() {
		draws := make([]float64, 0, f.size())
		f.bootstrap(pts, func(pts []point) { draws = append(draws, refit(pts, p, true).sigma) })
		lo, hi := percentiles(draws)
		out.Low, out.High = &lo, &hi
	} else if se, ok := p.errors(pts, true); ok {
		half := student(len(pts)-2) * se[0]
		lo, hi := p.sigma-half, p.sigma+half
		out.Low, out.High = &lo, &hi
	}
	out.Bound = oneSided(p.sigma, &out.Low, &out.High, func() float64 { return f.reach(p, []int{0, 2})[0] })
	return out
}

// gustafson fits s' of S_w = N + (1-N)s', between 0 and 1: the slope through the
// origin of N - S_w on N - 1 (S5; Gustafson, CACM 1988).
func (f *fitter) gustafson(base int) *result.Fit {
	if len(f.cols) < 3 {
		return &result.Fit{Reason: notIdentifiable(len(f.cols))}
	}
	if base != 1 || f.cols[0].count != 1 {
		return &result.Fit{Reason: "not identifiable without a row on one device"}
	}
	pts := f.points()
	value := share(pts)
	out := &result.Fit{Identifiable: true, Value: &value}
	if f.replicated() {
		draws := make([]float64, 0, f.size())
		f.bootstrap(pts, func(pts []point) { draws = append(draws, slope(pts)) })
		lo, hi := percentiles(draws)
		out.Low, out.High = &lo, &hi
	} else if _, half, ok := slopeInterval(pts); ok {
		lo, hi := value-half, value+half
		out.Low, out.High = &lo, &hi
	}
	out.Bound = oneSided(value, &out.Low, &out.High, func() float64 { return 0 })
	return out
}

// share is Gustafson's s': the slope as far as it is a share.
func share(pts []point) float64 { return min(max(slope(pts), 0), 1) }

func slope(pts []point) float64 {
	var sxy, sxx float64
	for _, q := range pts {
		x, y := q.n-1, q.n-q.x/pts[0].x
		sxy += x * y
		sxx += x * x
	}
	return sxy / sxx
}

func student(df int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}.Quantile((1 + level) / 2)
}
