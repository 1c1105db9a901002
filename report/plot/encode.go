package plot

import (
	"bytes"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
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
	return pngOf(pl)
}

// PNG draws the graph into a file like those of charts, with its title and legend.
func (g Graph) PNG(title string) ([]byte, error) {
	pl, err := g.titled(title)
	if err != nil {
		return nil, err
	}
	return pngOf(pl)
}

// SVG draws the graph into a file that stands alone, on white.
func (g Graph) SVG(title string) ([]byte, error) {
	pl, err := g.titled(title)
	if err != nil {
		return nil, err
	}
	return svgOf(pl)
}

// titled is the plot of a graph for a file.
func (g Graph) titled(title string) (*plot.Plot, error) {
	d, err := g.build(light, inFile)
	if err != nil {
		return nil, err
	}
	pl := d.plot
	pl.BackgroundColor = light("paper")
	head(pl, title, light)
	legend(pl, light)
	for _, l := range g.Lines {
		if l.Name == "" {
			continue
		}
		if l.Join {
			line := &plotter.Line{LineStyle: draw.LineStyle{Color: light(l.Ink), Width: vg.Points(1.1)}}
			if l.Dashed {
				line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
			}
			pl.Legend.Add(l.Name, line)
			continue
		}
		pl.Legend.Add(l.Name, &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: light(l.Ink), Radius: vg.Points(2.4), Shape: draw.CircleGlyph{}}})
	}
	// Below the slopes and the roofs there is room.
	pl.Legend.Left, pl.Legend.Top = false, false
	return pl, nil
}

func pngOf(pl *plot.Plot) ([]byte, error) {
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
	return svgOf(pl)
}

func svgOf(pl *plot.Plot) ([]byte, error) {
	canvas := vgsvg.New(width, height)
	pl.Draw(draw.Crop(draw.New(canvas), margin, -margin, margin, -margin))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	// Without the font installed a browser would fall back to serif.
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,sans-serif;")), nil
}
