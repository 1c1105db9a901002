package plot

import (
	"image/color"
	"math"
	"strconv"
	"sync"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Size of a chart: wide enough for eight counts, narrow enough for a phone.
const (
	width  = vg.Length(300) // points
	height = vg.Length(216)
)

// margin keeps labels off the edge.
const margin = vg.Length(4)

// sans makes every new plot use the embedded sans serif.
var sans = sync.OnceFunc(func() {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	plotter.DefaultFont = plot.DefaultFont
})

// build makes the plot of one kind. title is empty where a caption and a legend
// stand beside it.
func (c Chart) build(kind Kind, title string, p palette) (*plot.Plot, error) {
	sans()
	pl := plot.New()
	pl.BackgroundColor = p("paper")
	if title != "" {
		head(pl, title, p)
	}
	counts := c.counts()
	first, last := float64(counts[0]), float64(counts[len(counts)-1])
	pad := (last - first) * 0.06
	pl.X.Label.Text = "GPUs"
	pl.X.Min, pl.X.Max = first-pad, last+pad
	pl.X.Tick.Marker = plot.ConstantTicks(countTicks(counts))
	pl.Y.Label.Text = string(kind)
	if kind == Speedup {
		pl.Y.Tick.Marker = plot.ConstantTicks(countTicks(append([]int{0}, counts...)))
	}
	sizes := inFile
	if title == "" {
		sizes = onPage
	}
	style(&pl.X, p, sizes)
	style(&pl.Y, p, sizes)

	pl.Add(lines(p))
	legend(pl, p)
	pl.Legend.Left, pl.Legend.Top = true, kind == Speedup

	c.addIdeal(pl, kind, first, last, p)
	for i, s := range c.Series {
		// Series stand a little apart, so that intervals do not cover each other.
		if err := s.add(pl, kind, first, last, c.shift(i, pad), i, p); err != nil {
			return nil, err
		}
	}
	pl.Y.Min, pl.Y.Max = c.yRange(kind, last)
	if title == "" {
		pl.Legend = plot.NewLegend()
	}
	return pl, nil
}

func head(pl *plot.Plot, title string, p palette) {
	pl.Title.Text = title
	pl.Title.TextStyle.Font.Size = vg.Points(11)
	pl.Title.TextStyle.Color = p("ink")
	pl.Title.Padding = vg.Points(6)
}

func legend(pl *plot.Plot, p palette) {
	pl.Legend.TextStyle = plain(p("ink"), 9)
	pl.Legend.ThumbnailWidth = vg.Points(14)
	pl.Legend.Padding = vg.Points(2)
}

// shift is how far series i stands from its counts.
func (c Chart) shift(i int, pad float64) float64 {
	return pad * 0.28 * (float64(i) - float64(len(c.Series)-1)/2)
}

// lines are the horizontal ones behind a plot.
func lines(p palette) *plotter.Grid {
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = nil, p("grid")
	grid.Horizontal.Width = vg.Points(0.6)
	return grid
}

func plain(c color.Color, size float64) text.Style {
	return text.Style{Color: c, Font: font.From(plot.DefaultFont, vg.Points(size)), Handler: plot.DefaultTextHandler}
}

// sizes are those of the letters along an axis, in points.
type sizes struct{ label, tick float64 }

// On a page drawings shrink to the width of a phone and their letters with them; in a
// file they are as large as drawn.
var (
	onPage = sizes{label: 12, tick: 11}
	inFile = sizes{label: 10, tick: 9}
)

func style(a *plot.Axis, p palette, s sizes) {
	a.Label.TextStyle.Color, a.Label.TextStyle.Font.Size = p("ink"), vg.Points(s.label)
	a.Tick.Label.Color, a.Tick.Label.Font.Size = p("muted"), vg.Points(s.tick)
	a.Color, a.Tick.Color = p("muted"), p("muted")
	a.Tick.Length = vg.Points(3)
	a.Width, a.Tick.Width = vg.Points(0.6), vg.Points(0.6)
	a.Padding, a.Label.Padding = 0, vg.Points(4) // a browser's font may be wider
}

// countTicks labels the counts, with room between the labels: of many counts only
// those that are far enough apart.
func countTicks(counts []int) []plot.Tick {
	span := float64(counts[len(counts)-1] - counts[0])
	var out []plot.Tick
	last := math.Inf(-1)
	for _, n := range counts {
		t := plot.Tick{Value: float64(n)}
		if float64(n)-last >= span/14 {
			t.Label, last = strconv.Itoa(n), float64(n)
		}
		out = append(out, t)
	}
	return out
}

func (c Chart) addIdeal(pl *plot.Plot, kind Kind, first, last float64, p palette) {
	ideal := plotter.XYs{{X: first, Y: 1}, {X: last, Y: 1}}
	if kind == Speedup {
		// Relative to the smallest count, which is 1 unless one GPU was too small.
		base := 1.0
		for _, s := range c.Series {
			q := s.Points[0]
			base = float64(q.Count) * q.Efficiency.Value / q.Speedup.Value
		}
		ideal = plotter.XYs{{X: first, Y: first / base}, {X: last, Y: last / base}}
	}
	line := &plotter.Line{XYs: ideal, LineStyle: draw.LineStyle{Color: p("muted"), Width: vg.Points(1),
		Dashes: []vg.Length{vg.Points(4), vg.Points(3)}}}
	pl.Add(line)
	pl.Legend.Add("ideal", line)
}

// points are XYs with the sizes of their intervals.
type points struct {
	plotter.XYs
	plotter.YErrors
}

// shapes tell modes apart without colour.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}}

func (s Series) add(pl *plot.Plot, kind Kind, first, last, shift float64, index int, p palette) error {
	ink := p(s.ink())
	var data, barred points
	var bounds []plotter.XYs
	var bounded string
	for _, q := range s.Points {
		v := q.Efficiency
		if kind == Speedup {
			v = q.Speedup
		}
		at := plotter.XY{X: float64(q.Count) + shift, Y: v.Value}
		data.XYs = append(data.XYs, at)
		if v.Low != nil && v.High != nil {
			barred.XYs = append(barred.XYs, at)
			barred.YErrors = append(barred.YErrors, struct{ Low, High float64 }{v.Value - *v.Low, *v.High - v.Value})
		}
		if q.Bound > 0 && kind == Efficiency {
			half := (last - first) * 0.03
			bounded = q.bounded()
			bounds = append(bounds, plotter.XYs{{X: float64(q.Count) - half, Y: q.Bound}, {X: float64(q.Count) + half, Y: q.Bound}})
		}
	}
	if s.Law != nil {
		pl.Add(s.curve(kind, first, last, ink))
	}
	if len(barred.XYs) > 0 {
		bars, err := plotter.NewYErrorBars(barred)
		if err != nil {
			return err
		}
		bars.LineStyle = draw.LineStyle{Color: ink, Width: vg.Points(1.2)}
		bars.CapWidth = vg.Points(6)
		pl.Add(bars)
	}
	dots, err := plotter.NewScatter(data.XYs)
	if err != nil {
		return err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: ink, Radius: vg.Points(2.8), Shape: shapes[s.shape(index)]}
	pl.Add(dots)
	pl.Legend.Add(s.Name(), dots)
	for i, b := range bounds {
		line := &plotter.Line{XYs: b, LineStyle: draw.LineStyle{Color: p("ink"), Width: vg.Points(1.4)}}
		pl.Add(line)
		if i == 0 {
			pl.Legend.Add("bound of "+bounded, line)
		}
	}
	return nil
}

func (s Series) curve(kind Kind, first, last float64, ink color.Color) plot.Plotter {
	f := plotter.NewFunction(func(n float64) float64 {
		if kind == Efficiency {
			return s.Law(n) / n
		}
		return s.Law(n)
	})
	f.XMin, f.XMax = first, last
	f.LineStyle = draw.LineStyle{Color: ink, Width: vg.Points(0.7)}
	return f
}

// yRange leaves room for the legend: above the points of a speedup chart, below
// those of an efficiency chart, which need not begin at 0.
func (c Chart) yRange(kind Kind, last float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range c.Series {
		for _, q := range s.Points {
			v := q.Efficiency
			if kind == Speedup {
				v = q.Speedup
			}
			bottom, top := v.Value, v.Value
			if v.Low != nil && v.High != nil {
				bottom, top = *v.Low, *v.High
			}
			if kind == Efficiency && q.Bound > 0 {
				bottom = min(bottom, q.Bound)
			}
			low, high = min(low, bottom), max(high, top)
		}
	}
	if kind == Speedup {
		return 0, 1.12 * max(high, last)
	}
	low = max(0, math.Floor((low-0.08)*10)/10)
	return min(low, 0.8), max(1.05, high*1.03)
}
