package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// Roofline is what the devices of a team allow and what rows measured on them reached.
type Roofline struct {
	Team   []int // indexes of the devices
	Graph  Graph
	Points []RoofPoint
}

// RoofPoint is one row: operations per byte and per second.
type RoofPoint struct {
	Name            string
	Intensity, Rate float64
	Unit            string   // of Rate: flop/s or op/s
	Low, High       *float64 // the interval of Rate
	Share           string   // of which roof, in words
	arithmetic      string
}

// Words are how a report writes values and texts that come from outside.
type Words struct {
	Quantity func(value float64, unit string) string
	Clean    func(string) string
}

// mostRooflines bounds the teams drawn, mostRoofs the lines of arithmetic beside those
// that the points need.
const (
	mostRooflines = 12
	mostRoofs     = 4
)

// Rooflines draws one plot for each team on which rows were measured, or else for each
// device, as far as its roofs are known: measured ones, nominal ones, or its peak.
func Rooflines(res *result.Result, rows []result.Summary, say Words) []Roofline {
	roofs := stat.Roofs(res)
	var out []Roofline
	for i := range res.Devices {
		out = append(out, Roofline{Team: []int{i}})
	}
	trials := map[rowKey]*result.Trial{} // one of each row: their nominal counts are the same
	for i := range res.Trials {
		if t := &res.Trials[i]; t.Flops > 0 {
			trials[rowKey{t.Key, t.Count}] = t
		}
	}
	for _, r := range rows {
		p, ok := pointOf(trials[rowKey{r.Key, r.Count}], r, say)
		if !ok {
			continue
		}
		at := slices.IndexFunc(out, func(l Roofline) bool { return slices.Equal(l.Team, r.Teams[0]) })
		if at < 0 {
			at = len(out)
			out = append(out, Roofline{Team: r.Teams[0]})
		}
		out[at].Points = append(out[at].Points, p)
	}
	out = slices.DeleteFunc(out, func(l Roofline) bool { return len(l.Team) > 1 && len(l.Points) == 0 })
	for i := range out {
		out[i].draw(res, roofs, say)
	}
	out = slices.DeleteFunc(out, func(l Roofline) bool { return l.Graph.Empty() })
	return out[:min(len(out), mostRooflines)]
}

// rowKey names a row; devices of solo rows do the same work.
type rowKey struct {
	result.Key
	count int
}

// pointOf is where a row of trials like t stands; false for rows without rate, operations
// or bytes, and for those that are a roof themselves.
func pointOf(t *result.Trial, r result.Summary, say Words) (p RoofPoint, ok bool) {
	if t == nil || r.Seconds == nil || r.Seconds.Median <= 0 || len(r.Teams) == 0 {
		return p, false
	}
	if !(t.Bytes > 0) || t.Arithmetic == result.NoArithmetic || t.Roof != "" && t.Roof == t.Arithmetic {
		return p, false
	}
	p = RoofPoint{Name: say.Clean(r.Workload), Intensity: t.Flops / t.Bytes, Rate: t.Flops / r.Seconds.Median, Unit: "flop/s", arithmetic: t.Arithmetic}
	if p.arithmetic == "" {
		p.arithmetic = result.DefaultArithmetic
	}
	if strings.HasPrefix(p.arithmetic, "int") {
		p.Unit = "op/s"
	}
	for _, word := range []string{r.Size.Label, r.Mode} {
		if word != "" && word != "solo" {
			p.Name += " " + say.Clean(word)
		}
	}
	if r.Seconds.Low != nil && r.Seconds.High != nil && *r.Seconds.Low > 0 {
		low, high := t.Flops / *r.Seconds.High, t.Flops / *r.Seconds.Low
		p.Low, p.High = &low, &high
	}
	if r.Roof != nil {
		p.Share = fmt.Sprintf("%.1f\u00a0%% of %s", 100*r.Roof.Value, say.Clean(r.Roof.Roof))
	}
	return p, true
}

// teamRoofs adds up the roofs that all devices of a team have.
func teamRoofs(res *result.Result, roofs [][]result.Roof, team []int) (out []result.Roof) {
	for k, d := range team {
		if d < 0 || d >= len(res.Devices) {
			return nil
		}
		all := roofs[d]
		if peak := res.Devices[d].Peak; len(all) == 0 && peak != nil {
			all = []result.Roof{{Name: "arithmetic", Unit: "flop/s", Value: peak.Flops}, {Name: "memory", Unit: "B/s", Value: peak.BytesPerSecond}}
		}
		if k == 0 {
			out = slices.Clone(all)
			continue
		}
		var both []result.Roof
		for _, r := range out {
			at := slices.IndexFunc(all, func(o result.Roof) bool { return o.Name == r.Name && o.Unit == r.Unit && o.Measured == r.Measured })
			if at >= 0 {
				r.Value += all[at].Value
				both = append(both, r)
			}
		}
		out = both
	}
	return slices.DeleteFunc(out, func(r result.Roof) bool { return !(r.Value > 0) })
}

// draw makes the graph, which stays empty where arithmetic or memory has no roof.
func (l *Roofline) draw(res *result.Result, roofs [][]result.Roof, say Words) {
	var compute, memory []result.Roof
	flops, bandwidth := 0.0, 0.0
	for _, r := range teamRoofs(res, roofs, l.Team) {
		switch r.Unit {
		case "flop/s", "op/s":
			compute = append(compute, r)
		case "B/s":
			memory, bandwidth = append(memory, r), max(bandwidth, r.Value)
		}
	}
	compute = l.needed(compute)
	for _, r := range compute {
		flops = max(flops, r.Value)
	}
	if len(compute) == 0 || len(memory) == 0 {
		return
	}
	low, high := flops/bandwidth/8, 8*flops/bandwidth
	for _, r := range memory {
		high = max(high, 2*flops/r.Value)
	}
	for _, p := range l.Points {
		low, high = min(low, p.Intensity/2), max(high, 2*p.Intensity)
	}
	if math.IsInf(high/low, 0) {
		return
	}
	factor, prefix := decimal(flops)
	unit := "FLOP/s"
	if slices.ContainsFunc(compute, func(r result.Roof) bool { return r.Unit == "op/s" }) {
		unit = "op/s"
	}
	g := Graph{X: "intensity (operations per byte)", Y: "rate (" + prefix + unit + ")", LogX: true, LogY: true}
	roof := func(r result.Roof, x1, y1, x2, y2 float64) {
		kind := "nominal"
		if r.Measured {
			kind = "measured"
		}
		says := fmt.Sprintf("%s: %s (%s)", say.Clean(r.Name), say.Quantity(r.Value, r.Unit), kind)
		g.Lines = append(g.Lines, Line{Name: says, Ink: SeriesInk(len(g.Lines)), Join: true, Dashed: !r.Measured,
			X: []float64{x1, x2}, Y: []float64{y1 / factor, y2 / factor}, Says: []string{says, says}})
	}
	for _, r := range memory {
		roof(r, low, low*r.Value, flops/r.Value, flops)
	}
	for _, r := range compute {
		roof(r, r.Value/bandwidth, r.Value, high, r.Value)
	}
	dots := Line{Name: "workloads", Ink: "ink", Dots: true}
	for i := range l.Points {
		p := &l.Points[i]
		if p.Share == "" {
			p.Share = fmt.Sprintf("%.1f\u00a0%% of the highest roof", 100*p.Rate/min(flops, bandwidth*p.Intensity))
		}
		dots.X, dots.Y = append(dots.X, p.Intensity), append(dots.Y, p.Rate/factor)
		dots.Says = append(dots.Says, fmt.Sprintf("%s: %s at %.3g flop/B, %s", p.Name, say.Quantity(p.Rate, p.Unit), p.Intensity, p.Share))
		bar := Bar{}
		if p.Low != nil && p.High != nil {
			bar = Bar{*p.Low / factor, *p.High / factor}
		}
		dots.Bars = append(dots.Bars, bar)
	}
	if len(dots.X) > 0 {
		g.Lines = append(g.Lines, dots)
	}
	l.Graph = g
}

// needed are the roofs of arithmetic worth a line: all of a few, else those that the
// points are held against and nominal ones.
func (l *Roofline) needed(all []result.Roof) []result.Roof {
	if len(all) <= mostRoofs {
		return all
	}
	used := map[string]bool{result.DefaultArithmetic: true}
	for _, p := range l.Points {
		used[p.arithmetic] = true
	}
	return slices.DeleteFunc(all, func(r result.Roof) bool { return r.Measured && !used[r.Name] })
}

// decimal is the SI prefix of a value from a thousand on, with its factor.
func decimal(v float64) (factor float64, prefix string) {
	names := []string{"", "k", "M", "G", "T", "P"}
	i := 0
	for factor = 1; i < len(names)-1 && v >= 1000*factor; i++ {
		factor *= 1000
	}
	return factor, names[i]
}
