package plot

import (
	"bytes"
	"image/color"

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
