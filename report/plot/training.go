package plot

import (
	"fmt"
	"math"
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// mostCurves is how many curves one plot holds.
const mostCurves = 8

// Trainings are the launches of each workload that hold the losses of a training, one for
// every row, in the order of the result.
func Trainings(res *result.Result) (out [][]*result.Trial) {
	type row struct {
		key   result.Key
		count int
	}
	seen := map[row]bool{}
	for i := range res.Trials {
		t := &res.Trials[i]
		id := row{t.Key, t.Count}
		if t.Status != result.OK || t.Outcome == nil || t.Outcome.Training == nil || seen[id] {
			continue
		}
		seen[id] = true
		at := slices.IndexFunc(out, func(g []*result.Trial) bool { return g[0].Workload == t.Workload })
		if at < 0 {
			at = len(out)
			out = append(out, nil)
		}
		out[at] = append(out[at], t)
	}
	return out
}

// Losses draws the losses of trainings over their steps: the first loss of all, which is
// the sum of the others, then the second, as far as one plot holds them; left are those
// that it does not. Curves that are equal lie on each other, one of them dashed.
func Losses(trials []*result.Trial, clean func(string) string) (g Graph, left int) {
	g = Graph{X: "step", Y: "loss", LogY: true}
	for k := 0; ; k++ {
		more := false
		for _, t := range trials {
			if k >= len(t.Outcome.Training.Losses) {
				continue
			}
			more = true
			if len(g.Lines) == mostCurves {
				left++
				continue
			}
			line := lossLine(t.Outcome.Training, k, LossName(t, k, clean))
			line.Ink, line.Dashed = SeriesInk(len(g.Lines)), len(g.Lines)%2 == 1
			g.Lines = append(g.Lines, line)
		}
		if !more {
			return g, left
		}
	}
}

// LossName names loss k of a launch.
func LossName(t *result.Trial, k int, clean func(string) string) string {
	devices := fmt.Sprintf("%d GPUs", t.Count)
	if t.Count == 1 {
		devices = "1 GPU"
	}
	return fmt.Sprintf("%s, %s, %s", clean(t.Outcome.Training.Losses[k].Name), clean(t.Mode), devices)
}

func lossLine(t *result.Training, k int, name string) Line {
	line := Line{Name: name, Join: true}
	values := t.Losses[k].Values
	for i, step := range t.Steps {
		y := math.NaN()
		if i < len(values) && values[i] != nil {
			y = *values[i]
		}
		line.X, line.Y = append(line.X, float64(step)), append(line.Y, y)
		line.Says = append(line.Says, fmt.Sprintf("%s, step %d: %.6g", name, step, y))
	}
	return line
}
