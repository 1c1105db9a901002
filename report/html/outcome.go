package html

import (
	"fmt"
	"math"
	"strings"

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

func training(name string, trials []*result.Trial) (figure, bool, error) {
	g, left := plot.Losses(trials, table.Clean)
	numbersOf := &plain{Label: "Losses of " + name, Columns: append(texts("curve"), numbers("steps", "first", "last", "least", "at step")...)}
	caption := "Training curve. Curves that are equal lie on each other."
	if left > 0 {
		caption += fmt.Sprintf(" %d more in the table.", left)
	}
	for _, t := range trials {
		for k := range t.Outcome.Training.Losses {
			numbersOf.Rows = append(numbersOf.Rows, lossRow(t, k))
		}
	}
	caption += measures(trials)
	if g.Empty() {
		return figure{}, false, nil
	}
	d, err := g.Inline(name + ": loss over the steps of the training")
	f := draw(d, caption)
	f.Table = numbersOf
	return f, true, err
}

// measures says what was learnt, once for all rows of which it is the same.
func measures(trials []*result.Trial) string {
	var said []string
	rows := map[string][]string{}
	for _, t := range trials {
		for _, m := range t.Outcome.Training.Measures {
			text := table.Clean(m.Name) + " " + measured(m.Value)
			if rows[text] == nil {
				said = append(said, text)
			}
			rows[text] = append(rows[text], table.Clean(t.Mode)+", "+gpus(t.Count))
		}
	}
	out := ""
	for _, text := range said {
		of := strings.Join(rows[text], "; ")
		if len(trials) > 1 && len(rows[text]) == len(trials) {
			of = "every row"
		}
		out += fmt.Sprintf(" %s (%s).", text, of)
	}
	return out
}

func measured(v *float64) string {
	if v == nil {
		return "not a number"
	}
	return fmt.Sprintf("%.3g", *v)
}

// lossRow is a loss in numbers: how many there are, the first, the last, the least.
func lossRow(t *result.Trial, k int) []string {
	loss, steps := t.Outcome.Training.Losses[k].Values, t.Outcome.Training.Steps
	first, last, least, at := "-", "-", math.Inf(1), "-"
	for i, step := range steps {
		if i >= len(loss) || loss[i] == nil {
			continue
		}
		y := *loss[i]
		last = fmt.Sprintf("%.6g", y)
		if first == "-" {
			first = last
		}
		if y < least {
			least, at = y, fmt.Sprint(step)
		}
	}
	smallest := "-"
	if at != "-" {
		smallest = fmt.Sprintf("%.6g", least)
	}
	return []string{plot.LossName(t, k, table.Clean), fmt.Sprint(len(steps)), first, last, smallest, at}
}
