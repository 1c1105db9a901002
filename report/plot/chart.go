// Package plot draws speedup and efficiency over the number of GPUs with
// gonum/plot: points with 95 % intervals, the ideal as a dashed line, fitted laws
// as thin lines. Counts are discrete, so points are not connected.
package plot

import (
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// Kind is what a chart shows.
type Kind string

// The kinds of chart.
const (
	Speedup    Kind = "speedup"
	Efficiency Kind = "efficiency"
)

// Kinds lists all kinds in the order they are shown.
func Kinds() []Kind { return []Kind{Speedup, Efficiency} }

// Chart is the scaling of one workload in all its modes.
type Chart struct {
	Key    result.Key // of its first series
	Title  string     // printed in files, not inside HTML
	Series []Series
}

// Series is one mode of a chart, of one result where several are compared.
type Series struct {
	Mode   string
	Of     string // name of the result; empty: there is one only
	Ink    Ink    // empty: that of its mode
	Points []Point
	Law    func(n float64) float64 // fitted speedup; nil: not identifiable
}

// Point is one row: speedup and efficiency with their intervals, and the best
// efficiency of an equal split on unequal devices, or of stages (0: none).
type Point struct {
	Count               int
	Speedup, Efficiency result.Value
	Bound               float64
	Staged              bool // the bound is that of the stages of a pipeline
}

// bounded names what has the bound.
func (p Point) bounded() string {
	if p.Staged {
		return "the stages"
	}
	return "an equal split"
}

// Charts groups rows that differ in mode only. Rows without an efficiency have
// nothing to draw; a chart needs two counts.
func Charts(summary []result.Summary, laws []result.Law) []Chart {
	var out []Chart
	for _, r := range summary {
		if r.Speedup == nil || r.Efficiency == nil {
			continue
		}
		i := slices.IndexFunc(out, func(c Chart) bool { return sameButMode(c.Key, r.Key) })
		if i < 0 {
			i = len(out)
			out = append(out, Chart{Key: r.Key, Title: r.Workload})
		}
		c := &out[i]
		k := slices.IndexFunc(c.Series, func(s Series) bool { return s.Mode == r.Mode })
		if k < 0 {
			k = len(c.Series)
			c.Series = append(c.Series, Series{Mode: r.Mode, Law: relative(fitted(laws, r), r.Base)})
		}
		p := Point{Count: r.Count, Speedup: *r.Speedup, Efficiency: *r.Efficiency, Staged: r.Staged}
		if r.Bound != nil {
			p.Bound = *r.Bound
		}
		c.Series[k].Points = append(c.Series[k].Points, p)
	}
	return slices.DeleteFunc(out, func(c Chart) bool { return len(c.counts()) < 2 })
}

// Compare is Charts over several results: the series of each are called by its name
// and have a colour of their own. Laws are not drawn. Only charts in which two
// results have something to show are there.
func Compare(names []string, summaries [][]result.Summary) []Chart {
	var out []Chart
	for i, rows := range summaries {
		for _, c := range Charts(rows, nil) {
			k := slices.IndexFunc(out, func(o Chart) bool { return o.Same(c.Key) })
			if k < 0 {
				k = len(out)
				out = append(out, Chart{Key: c.Key, Title: c.Title})
			}
			for _, s := range c.Series {
				s.Of, s.Ink = names[i], SeriesInk(i)
				out[k].Series = append(out[k].Series, s)
			}
		}
	}
	return slices.DeleteFunc(out, func(c Chart) bool {
		return !slices.ContainsFunc(c.Series, func(s Series) bool { return s.Of != c.Series[0].Of })
	})
}

// Student tells whether an interval in the chart is Student's.
func (c Chart) Student() bool {
	return slices.ContainsFunc(c.Series, func(s Series) bool {
		return slices.ContainsFunc(s.Points, func(p Point) bool { return p.Efficiency.Method == result.StudentT })
	})
}

// Name is what the series is called in a legend.
func (s Series) Name() string {
	if s.Of == "" {
		return s.Mode
	}
	return s.Of + " " + s.Mode
}

func (s Series) ink() Ink {
	switch {
	case s.Ink != "":
		return s.Ink
	case s.Mode == "strong" || s.Mode == "weak":
		return Ink(s.Mode)
	}
	return "ink"
}

// shape is that of the mode, so that modes can be told apart without colour;
// number is the place of the series in its chart.
func (s Series) shape(number int) int {
	switch s.Mode {
	case "strong":
		return 0
	case "weak":
		return 1
	}
	return number % len(shapes)
}

// Same tells whether the chart shows the series of key.
func (c Chart) Same(key result.Key) bool { return sameButMode(c.Key, key) }

func sameButMode(a, b result.Key) bool {
	a.Mode = b.Mode
	return a == b
}

// relative is the speedup over base instead of over one device.
func relative(law func(float64) float64, base int) func(float64) float64 {
	if law == nil || base <= 1 {
		return law
	}
	unit := law(float64(base))
	return func(n float64) float64 { return law(n) / unit }
}

// fitted is the speedup by the richest law that the counts of the series of first
// identify. The rate of one device is free in a fit of the universal scalability
// law: over the measured one, the curve need not begin at 1.
func fitted(laws []result.Law, first result.Summary) func(float64) float64 {
	for _, l := range laws {
		if l.Key != first.Key {
			continue
		}
		if u := l.USL; u != nil && u.Identifiable && u.Sigma != nil && u.Kappa != nil {
			sigma, kappa, scale := *u.Sigma, *u.Kappa, 1.0
			if u.Gamma != nil && first.Count == 1 && first.Rate != nil && !l.Descriptive {
				scale = *u.Gamma / first.Rate.Value
			}
			return func(n float64) float64 { return scale * n / (1 + sigma*(n-1) + kappa*n*(n-1)) }
		}
		if f := l.Amdahl; f != nil && f.Identifiable && f.Value != nil {
			v := *f.Value
			return func(n float64) float64 { return 1 / (v + (1-v)/n) }
		}
		if f := l.Gustafson; f != nil && f.Identifiable && f.Value != nil {
			v := *f.Value
			return func(n float64) float64 { return n + (1-n)*v }
		}
	}
	return nil
}

// counts are the distinct counts of all series, ascending.
func (c Chart) counts() []int {
	var out []int
	for _, s := range c.Series {
		for _, p := range s.Points {
			out = append(out, p.Count)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
