package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// PNG draws at twice the usual 96 dots per inch, on white.
func (c Chart) PNG(kind Kind) ([]byte, error) {
	pl, err := c.build(kind, c.heading(kind), light)
	if err != nil {
		return nil, err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(192), vgimg.UseBackgroundColor(color.White))
	pl.Draw(draw.Crop(draw.New(canvas), margin, -margin, margin, -margin))
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// SVG draws a file that stands alone, on white.
func (c Chart) SVG(kind Kind) ([]byte, error) {
	return c.svg(kind, c.heading(kind), light)
}

func (c Chart) heading(kind Kind) string { return c.Title + ": " + string(kind) }

func (c Chart) svg(kind Kind, title string, p palette) ([]byte, error) {
	pl, err := c.build(kind, title, p)
	if err != nil {
		return nil, err
	}
	canvas := vgsvg.New(width, height)
	pl.Draw(draw.Crop(draw.New(canvas), margin, -margin, margin, -margin))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	// Without the font installed a browser would fall back to serif.
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,sans-serif;")), nil
}

// Stand-ins for colours that a style sheet decides; no chart uses them otherwise.
var standIns = []struct {
	value    uint32
	variable string
}{
	{0x010203, "--ink"}, {0x020304, "--muted"}, {0x030405, "--grid"}, {0x040506, "--strong"}, {0x050607, "--weak"},
}

// Inline draws an svg element for an HTML page: without title and background, as
// wide as its place, in the colours of the variables --ink, --muted, --grid,
// --strong and --weak, so that it follows the page into the dark. label is read
// out in its place.
func (c Chart) Inline(kind Kind, label string) (string, error) {
	p := palette{ink: rgb(standIns[0].value), muted: rgb(standIns[1].value), grid: rgb(standIns[2].value), paper: nil,
		series: map[string]color.Color{"strong": rgb(standIns[3].value), "weak": rgb(standIns[4].value)}}
	raw, err := c.svg(kind, "", p)
	if err != nil {
		return "", err
	}
	text := string(raw)
	start := strings.Index(text, "<svg")
	end := strings.Index(text[max(start, 0):], ">")
	if start < 0 || end < 0 {
		return "", fmt.Errorf("drawing %s: no svg element in the drawing", kind)
	}
	text = fmt.Sprintf(`<svg viewBox="0 0 %g %g" role="img" aria-label="%s" xmlns="http://www.w3.org/2000/svg">`,
		width.Points(), height.Points(), escapeAttribute(label)) + text[start+end+1:]
	for _, s := range standIns {
		text = strings.ReplaceAll(text, fmt.Sprintf("#%06X", s.value), "var("+s.variable+")")
	}
	return text, nil
}

var attribute = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

func escapeAttribute(s string) string { return attribute.Replace(s) }
