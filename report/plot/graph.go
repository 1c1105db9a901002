package plot

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Graph is a plot of lines and points for a page: training curves, readings of
// sensors, trends, rooflines. Values that are not finite, or not positive on a
// logarithmic axis, are not drawn.
type Graph struct {
	X, Y       string // labels of the axes, with units
	LogX, LogY bool
	FromZero   bool // the y axis begins at 0
	Lines      []Line
	Bands      []Band
}

// Line is one series of a graph.
type Line struct {
	Name   string
	Ink    Ink
	X, Y   []float64
	Says   []string // of each point; empty: nothing
	Dots   bool     // draw the points
	Join   bool     // connect them
	Dashed bool
	Rings  []int // indexes of points that stand out
	Bars   []Bar // of each point, its interval; empty: none
}

// Bar is an interval in y; High 0: none.
type Bar struct{ Low, High float64 }

// Band is a stretch of x that is shaded.
type Band struct {
	From, To float64
	Says     string
}

// mostMarks is about how many points of a graph answer the pointer; of more, every
// so manyth does.
const mostMarks = 160

// Empty tells whether there is no point to draw.
func (g Graph) Empty() bool {
	return !slices.ContainsFunc(g.Lines, func(l Line) bool { return len(g.runs(l)) > 0 })
}

// Inline draws the graph for a page.
func (g Graph) Inline(label string) (Drawing, error) {
	d, err := g.build(standIns, onPage)
	if err != nil {
		return Drawing{}, err
	}
	svg, err := d.inline(label)
	return Drawing{SVG: svg, Keys: g.keys()}, err
}

// build makes the plot in the colours of a palette, with letters of these sizes.
func (g Graph) build(p palette, s sizes) (drawing, error) {
	sans()
	pl := plot.New()
	pl.BackgroundColor = nil
	pl.X.Label.Text, pl.Y.Label.Text = g.X, g.Y
	style(&pl.X, p, s)
	style(&pl.Y, p, s)
	pl.X.Min, pl.X.Max = g.extent(func(l Line) []float64 { return l.X }, g.LogX, false)
	pl.Y.Min, pl.Y.Max = g.extent(func(l Line) []float64 { return l.Y }, g.LogY, g.FromZero)
	for _, l := range g.Lines {
		for _, b := range l.Bars {
			if b.High > 0 && drawable(b.High) {
				pl.Y.Min, pl.Y.Max = min(pl.Y.Min, b.Low), max(pl.Y.Max, b.High)
			}
		}
	}
	scale(&pl.X, g.LogX, s.alongX(width))
	scale(&pl.Y, g.LogY, upright)
	d := drawing{plot: pl, width: width, height: height}
	var bands rects
	for _, b := range g.Bands {
		bands = append(bands, rect{b.From, pl.Y.Min, b.To, pl.Y.Max})
		d.marks = append(d.marks, mark{x: b.From, y: pl.Y.Min, w: b.To - b.From, h: pl.Y.Max - pl.Y.Min, text: b.Says})
	}
	pl.Add(filled{bands, p("hold")}, lines(p))
	for _, l := range g.Lines {
		if err := g.add(pl, l, p); err != nil {
			return d, err
		}
		d.marks = append(d.marks, g.marks(l)...)
	}
	return d, nil
}

// add draws one line.
func (g Graph) add(pl *plot.Plot, l Line, p palette) error {
	ink := p(l.Ink)
	stroke := draw.LineStyle{Color: ink, Width: vg.Points(1.1)}
	if l.Dashed {
		stroke.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	}
	for _, run := range g.runs(l) {
		var xy plotter.XYs
		for _, i := range run {
			xy = append(xy, plotter.XY{X: l.X[i], Y: l.Y[i]})
		}
		if l.Join && len(run) > 1 {
			pl.Add(&plotter.Line{XYs: xy, LineStyle: stroke})
		}
		if l.Dots || l.Join && len(run) == 1 {
			pl.Add(&plotter.Scatter{XYs: xy, GlyphStyle: draw.GlyphStyle{Color: ink, Radius: vg.Points(2.4), Shape: draw.CircleGlyph{}}})
		}
	}
	if err := g.bars(pl, l, ink); err != nil {
		return err
	}
	var rings plotter.XYs
	for _, i := range l.Rings {
		if i >= 0 && i < len(l.X) && g.drawable(l, i) {
			rings = append(rings, plotter.XY{X: l.X[i], Y: l.Y[i]})
		}
	}
	if len(rings) > 0 {
		pl.Add(&plotter.Scatter{XYs: rings, GlyphStyle: draw.GlyphStyle{Color: p("ink"), Radius: vg.Points(5), Shape: draw.RingGlyph{}}})
	}
	return nil
}

// bars draws the intervals of the points of a line.
func (g Graph) bars(pl *plot.Plot, l Line, ink color.Color) error {
	var barred points
	for i, b := range l.Bars {
		if i < len(l.X) && g.drawable(l, i) && b.High > 0 && b.Low > 0 && drawable(b.High) && b.Low <= l.Y[i] && l.Y[i] <= b.High {
			barred.XYs = append(barred.XYs, plotter.XY{X: l.X[i], Y: l.Y[i]})
			barred.YErrors = append(barred.YErrors, struct{ Low, High float64 }{l.Y[i] - b.Low, b.High - l.Y[i]})
		}
	}
	if len(barred.XYs) == 0 {
		return nil
	}
	bars, err := plotter.NewYErrorBars(barred)
	if err != nil {
		return err
	}
	bars.LineStyle = draw.LineStyle{Color: ink, Width: vg.Points(1)}
	bars.CapWidth = vg.Points(5)
	pl.Add(bars)
	return nil
}

func (g Graph) drawable(l Line, i int) bool {
	return i < len(l.Y) && drawable(l.X[i]) && drawable(l.Y[i]) && (!g.LogX || l.X[i] > 0) && (!g.LogY || l.Y[i] > 0)
}

// drawable tells whether a number has a place in a plot: it is finite, and so are
// its square and what axes compute from it.
func drawable(v float64) bool { return math.Abs(v) <= 1e36 }

// runs are the indexes of the points that can be drawn, cut where one cannot.
func (g Graph) runs(l Line) [][]int {
	var out [][]int
	open := false
	for i := range l.X {
		if !g.drawable(l, i) {
			open = false
			continue
		}
		if !open {
			out, open = append(out, nil), true
		}
		out[len(out)-1] = append(out[len(out)-1], i)
	}
	return out
}

// marks are the points of a line that say something; those with a ring always do.
func (g Graph) marks(l Line) []mark {
	var out []mark
	every := (len(l.Says)*len(g.Lines) + mostMarks - 1) / mostMarks
	for i, text := range l.Says {
		if text != "" && i < len(l.X) && g.drawable(l, i) && (i%max(every, 1) == 0 || i == len(l.Says)-1 || slices.Contains(l.Rings, i)) {
			out = append(out, mark{x: l.X[i], y: l.Y[i], text: text})
		}
	}
	return out
}

func (g Graph) keys() []Key {
	var out []Key
	ring := false
	for _, l := range g.Lines {
		ring = ring || len(l.Rings) > 0
		shape := "circle"
		switch {
		case l.Dashed:
			shape = "dashed"
		case l.Join && !l.Dots:
			shape = "line"
		}
		if l.Name != "" {
			out = append(out, Key{l.Name, l.Ink, shape})
		}
	}
	if ring {
		out = append(out, Key{"change of the level, end of a drift", "ink", "ring"})
	}
	return out
}
