package html

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/report/plot"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/table"
)

// outcomes draws what a workload computed, as far as its launches hold it: one
// comodulogram, and the training curves of all rows over each other, since equal
// curves at every count are what a training promises.
func outcomes(w *workload, shown map[rowKey]picks) ([]figure, error) {
	var out []figure
	var curves []*result.Trial
	for _, s := range w.Sections {
		for _, r := range s.Rows {
			t := shown[rowKey{s.Key, r.Summary.Count}].outcome
			if t == nil {
				continue
			}
			if c := t.Outcome.Comodulogram; c != nil && len(out) == 0 {
				f, ok, err := comodulogram(table.Clean(w.Name), c)
				if err != nil {
					return nil, err
				}
				if ok {
					out = append(out, f)
				}
			}
			if t.Outcome.Training != nil {
				curves = append(curves, t)
			}
		}
	}
	if len(curves) == 0 {
		return out, nil
	}
	f, ok, err := training(table.Clean(w.Name), curves)
	if ok {
		out = append(out, f)
	}
	return out, err
}

// mostTableCells is how large a grid is still printed as a table.
const mostTableCells = 400

func comodulogram(name string, c *result.Comodulogram) (figure, bool, error) {
	measure := table.Clean(c.Measure)
	if measure == "" {
		measure = "coupling"
	}
	g := plot.Grid{XLabel: "frequency of the phase (Hz)", YLabel: "frequency of the amplitude (Hz)", Name: measure, Unit: "Hz",
		X: c.Phase, Y: c.Amplitude, Values: c.Values}
	most, x, y, ok := g.Largest()
	if !ok {
		return figure{}, false, nil
	}
	d, err := g.Inline(name + ": comodulogram")
	if err != nil {
		return figure{}, false, err
	}
	caption := fmt.Sprintf("Comodulogram: %s, largest %.4g where the phase at %.4g\u00a0Hz drives the amplitude at %.4g\u00a0Hz.", measure, most, x, y)
	if c.Signal != "" {
		caption += " Signal: " + table.Clean(c.Signal) + "."
	}
	f := draw(d, caption)
	if len(c.Phase)*len(c.Amplitude) <= mostTableCells {
		f.Table = &plain{Label: measure + " by amplitude (rows) and phase (columns)", Columns: numbers("Hz")}
		for _, p := range c.Phase {
			f.Table.Columns = append(f.Table.Columns, numbers(fmt.Sprintf("%.4g", p))...)
		}
		for i, a := range c.Amplitude {
			row := []string{fmt.Sprintf("%.4g", a)}
			for k := range c.Phase {
				cell := "-"
				if i < len(c.Values) && k < len(c.Values[i]) && c.Values[i][k] != nil {
					cell = fmt.Sprintf("%.3g", *c.Values[i][k])
				}
				row = append(row, cell)
			}
			f.Table.Rows = append(f.Table.Rows, row)
		}
	}
	return f, true, nil
}

// mostCurves is how many curves one plot holds.
const mostCurves = 8

func training(name string, trials []*result.Trial) (figure, bool, error) {
	g := plot.Graph{X: "step", Y: "loss", LogY: true, Wide: true}
	numbersOf := &plain{Label: "Losses of " + name, Columns: append(texts("curve"), numbers("steps", "first", "last", "least", "at step")...)}
	left := 0
	for _, t := range trials {
		for _, l := range t.Outcome.Training.Losses {
			line, row := lossLine(t, l)
			numbersOf.Rows = append(numbersOf.Rows, row)
			if len(g.Lines) == mostCurves {
				left++
				continue
			}
			line.Ink = plot.SeriesInk(len(g.Lines))
			line.Dashed = len(g.Lines)%2 == 1 // equal curves lie on each other: both must show
			g.Lines = append(g.Lines, line)
		}
	}
	if g.Empty() {
		return figure{}, false, nil
	}
	d, err := g.Inline(name + ": loss over the steps of the training")
	caption := "Training curve. Curves that are equal lie on each other."
	if left > 0 {
		caption += fmt.Sprintf(" %d more in the table.", left)
	}
	f := draw(d, caption)
	f.Table = numbersOf
	return f, true, err
}

func lossLine(t *result.Trial, l result.Loss) (plot.Line, []string) {
	name := fmt.Sprintf("%s, %s, %s", table.Clean(l.Name), table.Clean(t.Mode), gpus(t.Count))
	line := plot.Line{Name: name, Join: true}
	first, last, least, at := "-", "-", math.Inf(1), "-"
	for i, step := range t.Outcome.Training.Steps {
		y := math.NaN()
		if i < len(l.Values) && l.Values[i] != nil {
			y = *l.Values[i]
			last = fmt.Sprintf("%.6g", y)
			if first == "-" {
				first = last
			}
			if y < least {
				least, at = y, fmt.Sprint(step)
			}
		}
		line.X, line.Y = append(line.X, float64(step)), append(line.Y, y)
		line.Says = append(line.Says, fmt.Sprintf("%s, step %d: %.6g", name, step, y))
	}
	smallest := "-"
	if at != "-" {
		smallest = fmt.Sprintf("%.6g", least)
	}
	return line, []string{name, fmt.Sprint(len(line.X)), first, last, smallest, at}
}
