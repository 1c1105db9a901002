package plot

import (
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// Inline draws the chart for a page, with the values of its points.
func (c Chart) Inline(kind Kind, label string) (Drawing, error) {
	pl, err := c.build(kind, "", standIns)
	if err != nil {
		return Drawing{}, err
	}
	d := drawing{plot: pl, width: width, height: height}
	counts := c.counts()
	pad := float64(counts[len(counts)-1]-counts[0]) * 0.06
	for i, s := range c.Series {
		for _, p := range s.Points {
			v := p.of(kind)
			d.marks = append(d.marks, mark{x: float64(p.Count) + c.shift(i, pad), y: v.Value, text: s.says(kind, p)})
		}
	}
	svg, err := d.inline(label)
	return Drawing{SVG: svg, Keys: c.keys(kind)}, err
}

func (p Point) of(kind Kind) result.Value {
	if kind == Speedup {
		return p.Speedup
	}
	return p.Efficiency
}

// says is the value of a point in words: strong, 4 GPUs: speedup 3.72 (3.70 to 3.75).
func (s Series) says(kind Kind, p Point) string {
	v := p.of(kind)
	number := func(v float64) string {
		if kind == Efficiency {
			return fmt.Sprintf("%.1f\u00a0%%", 100*v)
		}
		return fmt.Sprintf("%.2f", v)
	}
	text := fmt.Sprintf("%s, %d %s: %s %s", s.Name(), p.Count, gpus(p.Count), kind, number(v.Value))
	if v.Low != nil && v.High != nil {
		text += fmt.Sprintf(" (95\u00a0%%: %s to %s)", number(*v.Low), number(*v.High))
	}
	if p.Bound > 0 && kind == Efficiency {
		text += fmt.Sprintf("; bound of %s %s", p.bounded(), number(p.Bound))
	}
	return text
}

func gpus(n int) string {
	if n == 1 {
		return "GPU"
	}
	return "GPUs"
}

// shapeNames are the shapes as a legend draws them.
var shapeNames = []string{"circle", "triangle", "square"}

func (c Chart) keys(kind Kind) []Key {
	out := []Key{{"ideal", "muted", "dashed"}}
	law, bounds := false, []string{}
	for i, s := range c.Series {
		out = append(out, Key{s.Name(), s.ink(), shapeNames[s.shape(i)]})
		law = law || s.Law != nil
		for _, p := range s.Points {
			if p.Bound > 0 && kind == Efficiency && !slices.Contains(bounds, p.bounded()) {
				bounds = append(bounds, p.bounded())
			}
		}
	}
	if law {
		out = append(out, Key{"fitted law", "muted", "thin"})
	}
	for _, of := range bounds {
		out = append(out, Key{"bound of " + of, "ink", "line"})
	}
	return out
}
