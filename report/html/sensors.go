package html

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/plot"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/report/table"
)

// quantities are the readings that are drawn, in this order.
var quantities = []struct {
	name, title, axis string
	divide            float64
	unit              string
}{
	{"sm_clock", "Shader clock", "GHz", 1e9, "GHz"},
	{"power", "Power", "W", 1, "W"},
	{"temperature", "Temperature", "°C", 1, "°C"},
	{"utilization", "Utilization", "%", 0.01, "%"},
	{"memory_used", "Memory in use", "GB", 1e9, "GB"},
}

// sensors draws what the sensors of the devices said during the run, a plot per
// quantity with a line per device.
func sensors(res *result.Result) ([]figure, error) {
	if res.Telemetry == nil {
		return nil, nil
	}
	var out []figure
	for _, q := range quantities {
		g := plot.Graph{X: "time (s)", Y: q.axis}
		numbersOf := &plain{Label: q.title + " of each device", Columns: append(numbers("GPU", "least", "median", "most", "readings"), texts("unit")...)}
		for _, track := range res.Telemetry.Devices {
			line, values := reading(track, q.name, q.divide)
			if len(values) == 0 {
				continue
			}
			line.Name, line.Ink = fmt.Sprintf("GPU %d", track.Index), plot.SeriesInk(track.Index)
			for i := range line.X {
				line.Says = append(line.Says, fmt.Sprintf("GPU %d, %.4g s: %.4g %s", track.Index, line.X[i], line.Y[i], q.unit))
			}
			g.Lines = append(g.Lines, line)
			numbersOf.Rows = append(numbersOf.Rows, []string{fmt.Sprint(track.Index), fmt.Sprintf("%.4g", slices.Min(values)),
				fmt.Sprintf("%.4g", stat.Median(values)), fmt.Sprintf("%.4g", slices.Max(values)), fmt.Sprint(len(values)), q.unit})
		}
		if q.name == "sm_clock" {
			g.Bands = held(res.Telemetry)
		}
		if g.Empty() {
			continue
		}
		d, err := g.Inline(q.title + " of the devices during the run")
		if err != nil {
			return nil, err
		}
		caption := q.title + " during the run."
		if len(g.Bands) > 0 {
			d.Keys = append(d.Keys, plot.Key{Name: "clock held down", Ink: "hold", Shape: "area"})
		}
		f := draw(d, caption)
		f.Table = numbersOf
		out = append(out, f)
	}
	return out, nil
}

// bins is into how many stretches a run is cut; of each the least and the most are
// drawn, so that no spike is lost.
const bins = 40

// reading is the line of one quantity and all its values.
func reading(track result.Track, name string, divide float64) (plot.Line, []float64) {
	line := plot.Line{Join: true}
	var values []float64
	type sample struct{ x, y float64 }
	var all []sample
	for i, v := range track.Values[name] {
		if v != nil && i < len(track.Seconds) {
			all = append(all, sample{track.Seconds[i], *v / divide})
			values = append(values, *v/divide)
		}
	}
	size := max(1, (len(all)+bins-1)/bins)
	for part := range slices.Chunk(all, size) {
		least := slices.MinFunc(part, func(a, b sample) int { return cmp.Compare(a.y, b.y) })
		most := slices.MaxFunc(part, func(a, b sample) int { return cmp.Compare(a.y, b.y) })
		if most.x < least.x {
			least, most = most, least
		}
		line.X, line.Y = append(line.X, least.x), append(line.Y, least.y)
		if least != most {
			line.X, line.Y = append(line.X, most.x), append(line.Y, most.y)
		}
	}
	return line, values
}

// mostBands is how many stretches of throttling are drawn: the longest.
const mostBands = 60

// held are the stretches in which a device's clock was held down.
func held(t *result.Telemetry) []plot.Band {
	var out []plot.Band
	for _, track := range t.Devices {
		for _, th := range track.Throttle {
			if !(th.End >= th.Start) || math.IsInf(th.End-th.Start, 0) {
				continue
			}
			reasons := "reason not known"
			if len(th.Reasons) > 0 {
				reasons = table.Clean(strings.Join(th.Reasons, ", "))
			}
			out = append(out, plot.Band{From: th.Start, To: th.End,
				Says: fmt.Sprintf("GPU %d, clock held down from %.4g s to %.4g s: %s", track.Index, th.Start, th.End, reasons)})
		}
	}
	slices.SortStableFunc(out, func(a, b plot.Band) int { return cmp.Compare(b.To-b.From, a.To-a.From) })
	return out[:min(len(out), mostBands)]
}
