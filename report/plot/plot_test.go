package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

var update = flag.Bool("update", false, "rewrite golden files")

func charts(t *testing.T, name string) []Chart {
	t.Helper()
	res, err := result.Read("../testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	rows, laws, _ := stat.Summary(res)
	return Charts(rows, laws)
}

func TestCharts(t *testing.T) {
	all := charts(t, "scaling")
	if len(all) != 4 {
		t.Fatalf("%d charts of 4 workloads", len(all))
	}
	for _, c := range all {
		if len(c.Series) != 2 || c.Series[0].Mode != "strong" || c.Series[1].Mode != "weak" {
			t.Errorf("%s: %+v", c.Title, c.Series)
		}
		failed := c.Title == "relativity/nbody" || c.Title == "automata/life"
		if n := len(c.Series[1].Points); (n == 3) != failed {
			t.Errorf("%s: %d weak points", c.Title, n)
		}
		if c.Series[0].Law == nil || c.Series[1].Law == nil {
			t.Errorf("%s: an identifiable law is not drawn", c.Title)
		}
	}
	if c := charts(t, "unequal"); len(c) != 1 || c[0].Series[0].Points[1].Bound == 0 || c[0].Series[0].Law != nil {
		t.Errorf("unequal: %+v", c)
	}
	if c := charts(t, "solo"); len(c) != 0 {
		t.Errorf("a chart of rows without scaling: %+v", c)
	}
}

// TestGoldenSVG compares drawings, which are text; pixels differ between processors.
func TestGoldenSVG(t *testing.T) {
	for _, kind := range Kinds() {
		got, err := charts(t, "scaling")[3].SVG(kind)
		if err != nil {
			t.Fatal(err)
		}
		path := "testdata/nbody-" + string(kind) + ".svg"
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got) {
			if err := os.WriteFile(path+".new", got, 0o644); err != nil {
				t.Fatal(err)
			}
			t.Errorf("%s differs; compare with %s.new, then run go test -update", path, path)
		}
	}
}

func TestPNG(t *testing.T) {
	for _, kind := range Kinds() {
		raw, err := charts(t, "quick")[0].PNG(kind)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if b := img.Bounds(); b.Dx() != 800 || b.Dy() != 576 { // 300 by 216 points at 192 dpi
			t.Errorf("%v", b)
		}
		colours := map[string]bool{}
		for y := range 576 {
			for x := range 800 {
				colours[fmt.Sprint(img.At(x, y))] = true
			}
		}
		if len(colours) < 20 {
			t.Errorf("%s: only %d colours: is anything drawn?", kind, len(colours))
		}
	}
}

// wellFormed reads all of an XML text.
func wellFormed(t *testing.T, what, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
}

func TestInline(t *testing.T) {
	for _, name := range []string{"scaling", "unequal"} {
		for _, kind := range Kinds() {
			d, err := charts(t, name)[0].Inline(kind, `a<b>&"c'`)
			if err != nil {
				t.Fatal(err)
			}
			text := d.SVG
			wellFormed(t, name, text)
			if !strings.HasPrefix(text, `<svg viewBox="0 0 300 216" role="group" aria-label="a&lt;b&gt;`) {
				t.Errorf("%.200s", text)
			}
			for _, v := range []string{"var(--ink)", "var(--muted)", `class="tick"`, `class="line"`, "var(--strong)"} {
				if !strings.Contains(text, v) {
					t.Errorf("%s %s: nothing is drawn in %s", name, kind, v)
				}
			}
			if strings.Contains(text, "fill:#") || strings.Contains(text, "stroke:#") {
				t.Error("a colour is fixed and will not follow the page into the dark")
			}
		}
	}
}

func TestHostileTitle(t *testing.T) {
	raw, err := charts(t, "hostile")[0].SVG(Speedup)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "<script") {
		t.Error("a name opens a tag")
	}
}

// TestOddCounts: very many counts, very large ones, and values far from 1 draw.
func TestOddCounts(t *testing.T) {
	point := func(n int, e float64) Point {
		return Point{Count: n, Speedup: result.Value{Value: e * float64(n)}, Efficiency: result.Value{Value: e}}
	}
	many := Chart{Title: "many", Series: []Series{{Mode: "strong"}}}
	for n := 1; n <= 300; n++ {
		many.Series[0].Points = append(many.Series[0].Points, point(n, 1))
	}
	labels := 0
	for _, tick := range countTicks(many.counts()) {
		if tick.Label != "" {
			labels++
		}
	}
	if labels < 5 || labels > 15 {
		t.Errorf("%d labels on an axis of 300 counts", labels)
	}
	for _, c := range []Chart{many,
		{Title: "huge", Series: []Series{{Mode: "weak", Points: []Point{point(1, 1), point(1<<62, 1e-9)}}}},
		{Title: "super", Series: []Series{{Mode: "other", Points: []Point{point(2, 1), point(4, 40)}}}},
	} {
		for _, kind := range Kinds() {
			if raw, err := c.SVG(kind); err != nil || strings.Contains(string(raw), "NaN") || strings.Contains(string(raw), "Inf") {
				t.Errorf("%s: %v", c.Title, err)
			}
		}
	}
}

// TestLawsDrawn: the richest law identified, over the measured rate of the base.
func TestLawsDrawn(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	key := result.Key{Workload: "a/b", Mode: "strong"}
	row := func(n, base int, s float64) result.Summary {
		return result.Summary{Key: key, Count: n, Base: base, Rate: &result.Value{Value: 20 * s}, Speedup: &result.Value{Value: s}, Efficiency: &result.Value{Value: s / float64(n)}}
	}
	amdahl := &result.Fit{Identifiable: true, Value: f(.1)}
	usl := &result.USL{Identifiable: true, Sigma: f(.1), Kappa: f(.01), Gamma: f(22)}
	at := func(law result.Law, rows []result.Summary, n float64) float64 {
		t.Helper()
		law.Key = key
		c := Charts(rows, []result.Law{law})
		if len(c) != 1 || c[0].Series[0].Law == nil {
			t.Fatal("no law is drawn")
		}
		return c[0].Series[0].Law(n)
	}
	ones, twos := []result.Summary{row(1, 1, 1), row(4, 1, 3)}, []result.Summary{row(2, 2, 1), row(4, 2, 1.8)}
	for what, v := range map[string][2]float64{
		"USL":                {at(result.Law{Amdahl: amdahl, USL: usl}, ones, 4), 1.1 * 4 / (1 + .3 + .12)},
		"USL, unequal":       {at(result.Law{USL: usl, Descriptive: true}, ones, 4), 4 / (1 + .3 + .12)},
		"Amdahl":             {at(result.Law{Amdahl: amdahl, USL: &result.USL{Sigma: f(.1), Kappa: f(0)}}, ones, 4), 1 / (.1 + .9/4)},
		"relative to two":    {at(result.Law{Amdahl: amdahl}, twos, 4), (.1 + .9/2) / (.1 + .9/4)},
		"at the base of two": {at(result.Law{USL: usl}, twos, 2), 1},
	} {
		if d := v[0] - v[1]; d > 1e-12 || d < -1e-12 {
			t.Errorf("%s: %g, want %g", what, v[0], v[1])
		}
	}
}

// TestStagesBound: a bound of stages is drawn and named as that, one of equal shares as before.
func TestStagesBound(t *testing.T) {
	for name, staged := range map[string]bool{"bound of an equal split": false, "bound of the stages": true} {
		c := charts(t, "unequal")[0]
		for i := range c.Series[0].Points {
			c.Series[0].Points[i].Staged = staged
		}
		d, err := c.Inline(Efficiency, "chart")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(d.Keys, Key{name, "ink", "line"}) || !strings.Contains(d.SVG, "; "+name+" ") {
			t.Errorf("%s: keys %+v, %s", name, d.Keys, d.SVG)
		}
		svg, err := c.SVG(Efficiency)
		if err != nil || !strings.Contains(string(svg), name) {
			t.Errorf("%s: not in the legend (%v)", name, err)
		}
	}
}
