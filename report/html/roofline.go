package html

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/report/plot"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/report/table"
)

// point is a workload on one device: operations per byte and per second.
type point struct {
	name         string
	rates        []float64
	intensity, y float64
}

// rooflines draws one plot per device whose ceilings are known: what it can do at
// most, and what the workloads that ran on it alone reached.
func rooflines(res *result.Result) ([]figure, error) {
	points := map[int][]*point{}
	find := map[int]map[string]*point{}
	for i := range res.Trials {
		t := &res.Trials[i]
		if t.Status != result.OK || t.Count != 1 || len(t.Devices) != 1 || len(t.Samples) == 0 || !(t.Flops > 0) || !(t.Bytes > 0) {
			continue
		}
		d := t.Devices[0]
		name := table.Clean(t.Workload)
		if t.Size.Label != "" {
			name += " " + table.Clean(t.Size.Label)
		}
		if find[d] == nil {
			find[d] = map[string]*point{}
		}
		p := find[d][name]
		if p == nil {
			p = &point{name: name, intensity: t.Flops / t.Bytes}
			find[d][name] = p
			points[d] = append(points[d], p)
		}
		if s := stat.Median(t.Samples); s > 0 {
			p.rates = append(p.rates, t.Flops/s)
		}
	}
	var out []figure
	for i := range res.Devices {
		for _, p := range points[i] {
			p.y = stat.Median(p.rates)
		}
		f, ok, err := roofline(&res.Devices[i], i, points[i])
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, f)
		}
	}
	return out, nil
}

// roofs are the ceilings of a device, measured and nominal.
func roofs(d *result.Device) (compute, memory []result.Roof) {
	all := d.Roofs
	if len(all) == 0 && d.Peak != nil {
		all = []result.Roof{{Name: "arithmetic", Unit: "flop/s", Value: d.Peak.Flops}, {Name: "memory", Unit: "B/s", Value: d.Peak.BytesPerSecond}}
	}
	for _, r := range all {
		switch {
		case !(r.Value > 0):
		case r.Unit == "flop/s":
			compute = append(compute, r)
		case r.Unit == "B/s":
			memory = append(memory, r)
		}
	}
	return compute, memory
}

func roofline(d *result.Device, index int, points []*point) (figure, bool, error) {
	compute, memory := roofs(d)
	if len(compute) == 0 || len(memory) == 0 {
		return figure{}, false, nil
	}
	best := func(all []result.Roof) (most float64) {
		for _, r := range all {
			most = max(most, r.Value)
		}
		return most
	}
	flops, bandwidth := best(compute), best(memory)
	low, high := flops/bandwidth/8, 8*flops/bandwidth
	for _, r := range memory {
		high = max(high, 2*flops/r.Value)
	}
	for _, p := range points {
		low, high = min(low, p.intensity/2), max(high, 2*p.intensity)
	}
	factor, prefix := prefixed(flops)
	g := plot.Graph{X: "intensity (flop/B)", Y: "rate (" + prefix + "FLOP/s)", LogX: true, LogY: true}
	f := figure{Table: &plain{Label: fmt.Sprintf("Workloads on device %d", index), Columns: append(texts("workload"), numbers("flop/B", "rate", "of the roof")...)}}
	roof := func(r result.Roof, x1, y1, x2, y2 float64) {
		name := table.Clean(r.Name)
		kind := "nominal"
		if r.Measured {
			kind = "measured"
		}
		says := fmt.Sprintf("%s: %s (%s)", name, table.Quantity(r.Value, r.Unit), kind)
		g.Lines = append(g.Lines, plot.Line{Name: says, Ink: plot.SeriesInk(len(g.Lines)), Join: true, Dashed: !r.Measured,
			X: []float64{x1, x2}, Y: []float64{y1 / factor, y2 / factor}, Says: []string{says, says}})
	}
	for _, r := range memory {
		roof(r, low, low*r.Value, flops/r.Value, flops)
	}
	for _, r := range compute {
		roof(r, r.Value/bandwidth, r.Value, high, r.Value)
	}
	dots := plot.Line{Name: "workloads", Ink: "ink", Dots: true}
	for _, p := range points {
		if len(p.rates) == 0 {
			continue
		}
		share := p.y / min(flops, bandwidth*p.intensity)
		dots.X, dots.Y = append(dots.X, p.intensity), append(dots.Y, p.y/factor)
		dots.Says = append(dots.Says, fmt.Sprintf("%s: %s at %.3g flop/B, %s of the highest roof", p.name, table.Quantity(p.y, "flop/s"), p.intensity, percent(share)))
		f.Table.Rows = append(f.Table.Rows, []string{p.name, fmt.Sprintf("%.3g", p.intensity), table.Quantity(p.y, "flop/s"), percent(share)})
	}
	if len(dots.X) > 0 {
		g.Lines = append(g.Lines, dots)
	} else {
		f.Table = nil
	}
	if math.IsInf(high/low, 0) {
		return figure{}, false, nil
	}
	drawn, err := g.Inline(fmt.Sprintf("Roofline of device %d", index))
	tableOf := f.Table
	f = draw(drawn, fmt.Sprintf("Device %d, %s.", index, table.Clean(d.Name)))
	f.Table = tableOf
	return f, true, err
}
