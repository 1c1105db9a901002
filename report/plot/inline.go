package plot

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// drawing is a plot with what is said of its parts.
type drawing struct {
	plot          *plot.Plot
	width, height vg.Length
	marks         []mark
}

// mark is a point, or with a width and a height a rectangle, in the units of the
// axes, and what is said of it.
type mark struct {
	x, y, w, h float64
	text       string
	ink        Ink // of a rectangle that is not drawn otherwise; its class
	outlined   bool
}

// Drawing is a plot for a page: an svg element and the keys of its legend.
type Drawing struct {
	SVG string // well-formed; every text in it is escaped
	// Wide drawings are not scaled down to the width of a phone but scrolled.
	Wide bool
	Keys []Key
}

// Key is one entry of a legend.
type Key struct {
	Name  string
	Ink   Ink
	Shape string // circle, triangle, square, line, dashed, thin, ring, outline, area
}

// inline draws an svg element without title and background, as wide as its place, in
// the colours of the page. label is read out for the whole. What is drawn is hidden
// from assistive technology; the marks over it carry the values as titles, which
// browsers show on hovering and scripts make reachable by keyboard.
func (d drawing) inline(label string) (string, error) {
	canvas := vgsvg.New(d.width, d.height)
	area := draw.Crop(draw.New(canvas), margin, -margin, margin, -margin)
	d.plot.Draw(area)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", err
	}
	text := b.String()
	start, end := strings.Index(text, "<svg"), strings.LastIndex(text, "</svg>")
	head := strings.Index(text[max(start, 0):], ">")
	if start < 0 || end < 0 || head < 0 {
		return "", fmt.Errorf("drawing %.60q: no svg element in the drawing", label)
	}
	var out strings.Builder
	fmt.Fprintf(&out, `<svg viewBox="0 0 %g %g" role="group" aria-label="%s" xmlns="http://www.w3.org/2000/svg"><g aria-hidden="true">`,
		d.width.Points(), d.height.Points(), escape(label))
	out.WriteString(slim(text[start+head+1 : end]))
	out.WriteString("</g>")
	d.writeMarks(&out, area)
	out.WriteString("</svg>")
	return out.String(), nil
}

// hit is the radius of the circle around a point that answers the pointer.
const hit = 5

func (d drawing) writeMarks(out *strings.Builder, area draw.Canvas) {
	if len(d.marks) == 0 {
		return
	}
	data := d.plot.DataCanvas(area)
	toX, toY := d.plot.Transforms(&data)
	out.WriteString(`<g class="marks">`)
	for _, m := range d.marks {
		x, y := toX(m.x).Points(), (d.height - toY(m.y)).Points()
		if m.w == 0 && m.h == 0 {
			fmt.Fprintf(out, `<circle cx="%.4g" cy="%.4g" r="%d">`, x, y, hit)
			fmt.Fprintf(out, "<title>%s</title></circle>", escape(m.text))
			continue
		}
		right, top := toX(m.x+m.w).Points(), (d.height - toY(m.y+m.h)).Points()
		fmt.Fprintf(out, `<rect x="%.5g" y="%.4g" width="%.3g" height="%.3g"`, x, top, max(right-x, 0.6), max(y-top, 0.6))
		switch {
		case m.outlined:
			fmt.Fprintf(out, ` class="%s on"`, m.ink)
		case m.ink != "":
			fmt.Fprintf(out, ` class="%s"`, m.ink)
		}
		out.WriteString(">")
		fmt.Fprintf(out, "<title>%s</title></rect>", escape(m.text))
	}
	out.WriteString("</g>")
}

var (
	fonts  = regexp.MustCompile(`\s*style="font-family:[^"]*?font-style:normal;`)
	spaces = regexp.MustCompile(`\n\s*`)
)

// slim leaves out what a page's style sheet says once: the font and the looks of
// ticks, their labels and intervals.
func slim(svg string) string {
	return ticks.Replace(inked(spaces.ReplaceAllString(fonts.ReplaceAllString(svg, ` style="`), "")))
}

var ticks = strings.NewReplacer(`style="fill:none;stroke:var(--muted);stroke-width:0.6" />`, `class="tick"/>`,
	`style="fill:none;stroke:var(--grid);stroke-width:0.6" />`, `class="line"/>`, `style="font-size:11px;fill:var(--muted)"`, `class="tick"`,
	`style="fill:none;stroke:var(--strong);stroke-width:1.2" />`, `class="strong"/>`, `style="fill:none;stroke:var(--weak);stroke-width:1.2" />`, `class="weak"/>`)

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// escape makes text safe within elements and attributes.
func escape(s string) string { return escaper.Replace(s) }
