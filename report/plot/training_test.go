package plot

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// learning is a result with trainings of so many losses on each count, in two launches,
// beside a launch that failed and a workload that learns nothing.
func learning(losses int, counts ...int) *result.Result {
	res := &result.Result{}
	for launch := range 2 {
		for _, n := range counts {
			t := result.Trial{Key: result.Key{Workload: "pinn/train", Mode: "strong"}, Count: n, Launch: launch, Status: result.OK}
			c := &result.Training{}
			for s := range int64(50) {
				c.Steps = append(c.Steps, s)
			}
			for k := range losses {
				l := result.Loss{Name: string(rune('a' + k))}
				for s := range 50 {
					v := float64(1+k) / float64(1+s)
					l.Values = append(l.Values, &v)
				}
				c.Losses = append(c.Losses, l)
			}
			c.Losses[0].Values[7] = nil
			t.Outcome = &result.Outcome{Training: c}
			res.Trials = append(res.Trials, t)
			t.Count, t.Status = 9, result.WrongResult
			res.Trials = append(res.Trials, t, result.Trial{Key: result.Key{Workload: "ga/product"}, Status: result.OK})
		}
	}
	return res
}

func TestLosses(t *testing.T) {
	groups := Trainings(learning(5, 1, 2))
	if len(groups) != 1 || len(groups[0]) != 2 || groups[0][0].Count != 1 || groups[0][1].Count != 2 || groups[0][0].Launch != 0 {
		t.Fatalf("%d groups", len(groups))
	}
	g, left := Losses(groups[0], strings.TrimSpace)
	var names []string
	for _, l := range g.Lines {
		names = append(names, l.Name)
	}
	if got := strings.Join(names, "; "); left != 2 || !strings.HasPrefix(got, "a, strong, 1 GPU; a, strong, 2 GPUs; b, strong, 1 GPU;") || len(names) != mostCurves {
		t.Errorf("%d left beside %s", left, got)
	}
	if runs := g.runs(g.Lines[0]); len(runs) != 2 || len(runs[0]) != 7 || len(runs[1]) != 42 {
		t.Errorf("a value that is none does not cut the line: %v", runs)
	}
	raw, err := g.PNG("loss")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(raw)); err != nil {
		t.Error(err)
	}
	if svg, err := g.SVG("loss"); err != nil || !bytes.Contains(svg, []byte("a, strong, 2 GPUs")) {
		t.Errorf("%v in %d bytes of SVG", err, len(svg))
	}
}
