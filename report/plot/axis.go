package plot

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// extent is the range of an axis over all points that can be drawn, with some room
// around them.
func (g Graph) extent(of func(Line) []float64, log, fromZero bool) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, l := range g.Lines {
		for _, run := range g.runs(l) {
			for _, i := range run {
				low, high = min(low, of(l)[i]), max(high, of(l)[i])
			}
		}
	}
	switch {
	case low > high && log:
		return 1, 10
	case low > high:
		return 0, 1
	case log:
		room := max(math.Pow(high/low, 0.06), 1.3)
		return low / room, high * room
	case low == high:
		room := max(math.Abs(low)*0.1, 1e-9)
		low, high = low-room, high+room
	default:
		room := 0.06 * (high - low)
		low, high = low-room, high+room
	}
	if fromZero {
		return min(0, low), high
	}
	return low, high
}

// scale makes an axis linear or logarithmic, with labels that fit. Its range must be set.
func scale(a *plot.Axis, log bool, fit room) {
	marker := linearTicks
	if log {
		a.Scale = logScale{}
		marker = logTicks
	}
	a.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick { return marker(low, high, fit) })
}

// room is how much of the labels of an axis fits side by side: letters of the widest
// one, with what must lie between two, times their number.
type room float64

// upright is the room of an axis whose labels stand above each other.
const upright = room(1e9)

// alongX is the room of the horizontal axis of a drawing.
func (s sizes) alongX(wide vg.Length) room {
	const letter, axis = 0.58, 60 // of the size; points left of the axis
	return room((wide.Points() - axis) / (letter * s.tick))
}

// holds tells whether these labels fit.
func (f room) holds(ticks []plot.Tick) bool {
	const between = 1.5 // letters
	labels, widest := 0, 0
	for _, t := range ticks {
		if t.Label != "" {
			labels, widest = labels+1, max(widest, len(t.Label))
		}
	}
	return labels <= 1 || labels <= mostLabels && float64(labels)*(float64(widest)+between) <= float64(f)
}

// logScale is logarithmic but for one value: gonum/plot takes the arithmetic mean of the
// range for the middle of the axis when it asks how much room the label needs, and would
// leave a fifth of the drawing free for a label that it centres all the same.
type logScale struct{ plot.LogScale }

// Normalize implements plot.Normalizer.
func (s logScale) Normalize(low, high, x float64) float64 {
	if x == 0.5*(high+low) {
		return 0.5
	}
	return s.LogScale.Normalize(low, high, x)
}

// linearTicks are four to eight multiples of 1, 2 or 5 times a power of ten, with as
// many decimals as tell them apart.
func linearTicks(low, high float64, fit room) []plot.Tick {
	power := math.Floor(math.Log10((high - low) / 4))
	step := math.Pow(10, power)
	for _, s := range []float64{5, 2} {
		if s*step <= (high-low)/4 {
			step *= s
			break
		}
	}
	var out []plot.Tick
	for k := math.Ceil(low / step); k*step <= high && len(out) < 2*mostLabels; k++ {
		v := k*step + 0 // not -0
		label := strconv.FormatFloat(v, 'f', int(max(0, -power)), 64)
		if len(label) > 10 {
			digits := math.Ceil(math.Log10(max(math.Abs(low), math.Abs(high))/step)) + 1
			label = strconv.FormatFloat(v, 'g', int(min(max(digits, 1), 15)), 64)
		}
		out = append(out, plot.Tick{Value: v, Label: label})
	}
	return thin(out, fit)
}

// mostLabels is how many labels an axis has at most.
const mostLabels = 8

// thin drops every second label until the rest fits.
func thin(ticks []plot.Tick, fit room) []plot.Tick {
	for {
		if fit.holds(ticks) {
			return ticks
		}
		keep := true
		for i := range ticks {
			if ticks[i].Label != "" {
				if !keep {
					ticks[i].Label = ""
				}
				keep = !keep
			}
		}
	}
}

// logTicks are powers of ten; over less than three decades 2 and 5 times these, and
// within one decade all digits, as far as they fit.
func logTicks(low, high float64, fit room) []plot.Tick {
	choices := [][]float64{{1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 5}, {1, 3}, {1}}
	switch decades := math.Log10(high / low); {
	case decades >= 3:
		choices = choices[3:]
	case decades >= 1:
		choices = choices[1:]
	}
	for _, steps := range choices[:len(choices)-1] {
		if out := decadeTicks(low, high, steps); fit.holds(out) {
			return out
		}
	}
	return thin(decadeTicks(low, high, choices[len(choices)-1]), fit)
}

// decadeTicks are these steps times all powers of ten.
func decadeTicks(low, high float64, steps []float64) []plot.Tick {
	var out []plot.Tick
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for _, s := range steps {
			if v := s * math.Pow(10, e); v >= low && v <= high {
				format, digits := byte('g'), 3
				if v >= 1000 && v < 1e6 {
					format, digits = 'f', 0 // 1000, not 1e+03
				}
				out = append(out, plot.Tick{Value: v, Label: strconv.FormatFloat(v, format, digits, 64)})
			}
		}
	}
	return out
}

// rect is a rectangle in the units of the axes.
type rect struct{ x1, y1, x2, y2 float64 }

type rects []rect

// filled paints rectangles of one colour as a single path, which keeps pages small.
type filled struct {
	rects
	ink color.Color
}

// Plot implements plot.Plotter.
func (f filled) Plot(c draw.Canvas, pl *plot.Plot) {
	if len(f.rects) == 0 {
		return
	}
	toX, toY := pl.Transforms(&c)
	inside := func(v, low, high vg.Length) vg.Length { return min(max(v, low), high) }
	var path vg.Path
	for _, r := range f.rects {
		x1, x2 := inside(toX(r.x1), c.Min.X, c.Max.X), inside(toX(r.x2), c.Min.X, c.Max.X)
		y1, y2 := inside(toY(r.y1), c.Min.Y, c.Max.Y), inside(toY(r.y2), c.Min.Y, c.Max.Y)
		x2 = max(x2, x1+vg.Points(0.4)) // what is there must be seen
		path.Move(vg.Point{X: x1, Y: y1})
		path.Line(vg.Point{X: x2, Y: y1})
		path.Line(vg.Point{X: x2, Y: y2})
		path.Line(vg.Point{X: x1, Y: y2})
		path.Close()
	}
	c.SetColor(f.ink)
	c.Fill(path)
}
