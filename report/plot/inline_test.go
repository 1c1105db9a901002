package plot

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"github.com/amgpu/amgpu/report/result"
)

// titles are what the marks of a drawing say, with where they stand.
var titles = regexp.MustCompile(`<(circle|rect) (?:cx|x)="([^"]*)" (?:cy|y)="([^"]*)"[^>]*><title>([^<]*)</title>`)

// TestMarksLieOnPoints: the mark of a value stands where gonum drew its point.
func TestMarksLieOnPoints(t *testing.T) {
	d, err := Graph{X: "x", Y: "y", Lines: []Line{{Name: "a", Ink: "s3", X: []float64{1, 2, 3}, Y: []float64{10, 30, 20}, Says: []string{"one", "two", "three"}, Dots: true}}}.Inline("g")
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "graph", d.SVG)
	marks := titles.FindAllStringSubmatch(d.SVG, -1)
	dots := regexp.MustCompile(`<path d="M([\d.]+),([\d.]+)A2.4,2.4[^"]*" style="fill:var\(--s3\)"`).FindAllStringSubmatch(d.SVG, -1)
	if len(marks) != 3 || len(dots) != 3 {
		t.Fatalf("%d marks of %d points: %s", len(marks), len(dots), d.SVG)
	}
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for i := range marks {
		// A circle begins at its right edge; the drawing is upside down (216 points high).
		dx, dy := number(marks[i][2])-(number(dots[i][1])-2.4), number(marks[i][3])-(216-number(dots[i][2]))
		if math.Hypot(dx, dy) > 0.2 {
			t.Errorf("mark %s is (%g, %g) away from its point", marks[i][4], dx, dy)
		}
	}
}

func TestTimeline(t *testing.T) {
	var spans []result.Span
	for k := range 3000 {
		at := float64(k) * 1e-6
		spans = append(spans, result.Span{Device: 4, Kind: "compute", Label: "a<b", Start: 5 + at, End: 5 + at + 9e-7}, result.Span{Device: 9, Kind: "odd", Start: 5 + at, End: 5 + at + 1e-7})
	}
	spans = append(spans, result.Span{Device: 1, Kind: "compute", Start: 5, End: 6})
	d, err := Timeline{Devices: []int{4, 9}, Spans: spans[:6000], Format: func(v float64) string { return fmt.Sprintf("%.4gs", v) }}.Inline("t")
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "timeline", d.SVG)
	marks := titles.FindAllStringSubmatch(d.SVG, -1)
	if len(marks) == 0 || len(marks) > mostSpans {
		t.Errorf("%d bars of 6000 spans", len(marks))
	}
	if !d.Wide || len(d.Keys) != 2 || d.Keys[1].Name != "wait" || !strings.Contains(marks[0][4], "GPU 4: compute a&lt;b, 0.003s from 0s on (3000 spans, together 0.0027s)") {
		t.Errorf("%+v, %q", d.Keys, marks[0][4])
	}
	// Spans on the critical path are not joined with others, and are outlined.
	path, err := Timeline{Devices: []int{1}, Path: []int{1}, Format: func(v float64) string { return fmt.Sprint(v) },
		Spans: []result.Span{{Device: 1, Kind: "host", End: 1}, {Device: 1, Kind: "host", Start: 1, End: 2}, {Device: 1, Kind: "wait", Start: 2, End: 3}}}.Inline("p")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(path.SVG, `class="host on"`); n != 1 || strings.Count(path.SVG, `class="host"`) != 1 || !strings.Contains(path.SVG, "GPU 1: host, 1 from 1 on; critical path<") ||
		path.Keys[len(path.Keys)-1] != (Key{"on the critical path", "ink", "outline"}) {
		t.Errorf("%d outlined: %+v, %s", n, path.Keys, path.SVG)
	}
	// Few spans are told apart, and those of devices outside the team are not drawn.
	few := Timeline{Devices: []int{1}, Spans: []result.Span{{Device: 1, Kind: "compute", Start: 0, End: 1}, {Device: 1, Kind: "compute", Start: 2, End: 3}, {Device: 7, Kind: "compute", End: 9}}, Format: func(v float64) string { return fmt.Sprint(v) }}
	if bars := few.bars(0, 9); len(bars) != 2 || bars[1].start != 2 || bars[1].spans != 1 {
		t.Errorf("%+v", bars)
	}
}

func TestGrid(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	g := Grid{Name: "MI", Unit: "Hz", X: []float64{2, 4, 8}, Y: []float64{50, 60}, Values: [][]*float64{{f(0), f(.5), nil}, {f(.1), f(1), f(math.Inf(1))}}}
	if v, x, y, ok := g.Largest(); v != 1 || x != 4 || y != 60 || !ok {
		t.Error(v, x, y, ok)
	}
	d, err := g.Inline("grid")
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "grid", d.SVG)
	if n := len(titles.FindAllString(d.SVG, -1)); n != 4 || !strings.Contains(d.SVG, "MI 1 at 4 and 60 Hz") || !strings.Contains(d.SVG, "fill:var(--h8)") {
		t.Errorf("%d cells: %s", n, d.SVG)
	}
	for _, bad := range []Grid{{}, {X: []float64{2, 1}, Y: []float64{1}, Values: [][]*float64{{f(1), f(1)}}}, {X: []float64{1e300}, Y: []float64{1}, Values: [][]*float64{{f(1)}}}} {
		if _, err := bad.Inline("x"); err == nil {
			t.Errorf("%+v is drawn", bad)
		}
	}
	if e := edges([]float64{2, 4, 8}); fmt.Sprint(e) != "[1 3 6 10]" {
		t.Error(e)
	}
}

// TestGraphGaps: what cannot be drawn cuts a line; a ring always has its value.
func TestGraphGaps(t *testing.T) {
	l := Line{X: make([]float64, 1000), Y: make([]float64, 1000), Says: make([]string, 1000), Join: true, Rings: []int{501, -1, 5000}}
	for i := range l.X {
		l.X[i], l.Y[i], l.Says[i] = float64(i), 1+float64(i), fmt.Sprint(i)
	}
	l.Y[400], l.Y[700], l.X[701] = math.NaN(), 0, math.Inf(1)
	g := Graph{LogY: true, Lines: []Line{l}}
	if n := len(g.runs(l)); n != 3 {
		t.Errorf("%d runs", n)
	}
	marks := g.marks(l)
	if len(marks) > mostMarks+2 || len(marks) < mostMarks/2 || !strings.Contains(fmt.Sprint(marks), " 501") {
		t.Errorf("%d marks", len(marks))
	}
	d, err := g.Inline("gaps")
	if err != nil || strings.Contains(d.SVG, "NaN") || strings.Contains(d.SVG, "Inf") {
		t.Error(err)
	}
	if (Graph{Lines: []Line{{X: []float64{1}, Y: []float64{math.NaN()}}}}).Empty() != true {
		t.Error("nothing is something")
	}
}

// TestTicks: labels are few, different and as short as that allows, whatever the range.
func TestTicks(t *testing.T) {
	for _, r := range [][2]float64{{0.985, 1.11}, {0, 1}, {-3, 12000}, {1e-9, 1.1e-9}, {1e12, 5e12}, {1.88, 1.99}, {12345.001, 12345.002}} {
		check(t, "linear", r, linearTicks(r[0], r[1], upright))
		check(t, "linear, along", r, linearTicks(r[0], r[1], onPage.alongX(width)))
	}
	for _, r := range [][2]float64{{1, 10}, {0.02, 3}, {1e-3, 1e9}, {3e4, 4e4}} {
		check(t, "log", r, logTicks(r[0], r[1], upright))
		check(t, "log, along", r, logTicks(r[0], r[1], onPage.alongX(width)))
	}
	for name, got := range map[string][]plot.Tick{"-0": linearTicks(-0.4, 10, upright), "1e+03": logTicks(5, 2000, upright)} {
		if slices.ContainsFunc(got, func(k plot.Tick) bool { return k.Label == name }) {
			t.Errorf("labels %v", got)
		}
	}
}

func check(t *testing.T, what string, r [2]float64, ticks []plot.Tick) {
	t.Helper()
	seen := map[string]bool{}
	for _, k := range ticks {
		if k.Label == "" {
			continue
		}
		v, err := strconv.ParseFloat(k.Label, 64)
		if seen[k.Label] || err != nil || math.Abs(v-k.Value) > (r[1]-r[0])/20 || len(k.Label) > 12 {
			t.Errorf("%s, %v: label %q at %g", what, r, k.Label, k.Value)
		}
		seen[k.Label] = true
	}
	if len(seen) < 2 || len(seen) > mostLabels {
		t.Errorf("%s, %v: %d labels", what, r, len(seen))
	}
}
