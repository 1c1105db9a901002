package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
)

// Grid is a heat map over two axes of numbers in one unit, each ascending: cell (row, column) is
// Values[row][column] at Y[row] and X[column]; nil: empty.
type Grid struct {
	XLabel, YLabel, Name, Unit string
	X, Y                       []float64
	Values                     [][]*float64
}

// mostCells is how many cells answer the pointer: those with the largest values.
const mostCells = 900

// Largest is the largest value and where it is; ok is false if nothing can be drawn:
// the grid is empty or an axis does not ascend.
func (g Grid) Largest() (value, x, y float64, ok bool) {
	value = math.Inf(-1)
	if !ascends(g.X) || !ascends(g.Y) {
		return value, 0, 0, false
	}
	g.each(func(r, c int, v float64) {
		if v > value {
			value, x, y, ok = v, g.X[c], g.Y[r], true
		}
	})
	return value, x, y, ok
}

func ascends(axis []float64) bool {
	for i, v := range axis {
		if !drawable(v) || i > 0 && v <= axis[i-1] {
			return false
		}
	}
	return true
}

// each visits the cells that hold a finite number.
func (g Grid) each(visit func(row, column int, v float64)) {
	for r := range min(len(g.Y), len(g.Values)) {
		for c := range min(len(g.X), len(g.Values[r])) {
			if v := g.Values[r][c]; v != nil && drawable(*v) {
				visit(r, c, *v)
			}
		}
	}
}

// Inline draws the grid for a page: from no colour at 0 to the full one at the
// largest value.
func (g Grid) Inline(label string) (Drawing, error) {
	sans()
	largest, _, _, ok := g.Largest()
	if !ok {
		return Drawing{}, fmt.Errorf("%s: no value to draw", g.Name)
	}
	xs, ys := edges(g.X), edges(g.Y)
	pl := plot.New()
	pl.BackgroundColor = nil
	pl.X.Label.Text, pl.Y.Label.Text = g.XLabel, g.YLabel
	pl.X.Min, pl.X.Max = xs[0], xs[len(xs)-1]
	pl.Y.Min, pl.Y.Max = ys[0], ys[len(ys)-1]
	style(&pl.X, standIns, onPage)
	style(&pl.Y, standIns, onPage)
	scale(&pl.X, false, onPage.alongX(width))
	scale(&pl.Y, false, upright)
	d := drawing{plot: pl, width: width, height: height}
	colours := make([]rects, Steps)
	type cell struct {
		mark
		value float64
	}
	var cells []cell
	g.each(func(r, c int, v float64) {
		share := 0.0
		if largest > 0 {
			share = v / largest
		}
		box := rect{xs[c], ys[r], xs[c+1], ys[r+1]}
		colours[StepOf(share)] = append(colours[StepOf(share)], box)
		text := fmt.Sprintf("%s %.4g at %.4g and %.4g %s", g.Name, v, g.X[c], g.Y[r], g.Unit)
		cells = append(cells, cell{mark{x: box.x1, y: box.y1, w: box.x2 - box.x1, h: box.y2 - box.y1, text: text}, v})
	})
	if len(cells) > mostCells {
		slices.SortStableFunc(cells, func(a, b cell) int { return cmp.Compare(b.value, a.value) })
		cells = cells[:mostCells]
	}
	for _, c := range cells {
		d.marks = append(d.marks, c.mark)
	}
	var keys []Key
	for i, boxes := range colours {
		pl.Add(filled{boxes, standIns(step(i))})
		if i%2 == 0 {
			keys = append(keys, Key{fmt.Sprintf("from %.2g", largest*float64(i)/Steps), step(i), "area"})
		}
	}
	svg, err := d.inline(label)
	return Drawing{SVG: svg, Keys: keys}, err
}

// edges are the borders between centres, halfway, and as far beyond the outer ones.
func edges(centres []float64) []float64 {
	n := len(centres)
	if n == 1 {
		return []float64{centres[0] - 0.5, centres[0] + 0.5}
	}
	out := make([]float64, n+1)
	for i := 1; i < n; i++ {
		out[i] = (centres[i-1] + centres[i]) / 2
	}
	out[0] = centres[0] - (centres[1]-centres[0])/2
	out[n] = centres[n-1] + (centres[n-1]-centres[n-2])/2
	return out
}
