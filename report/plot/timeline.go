package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/amgpu/amgpu/report/result"
)

// Timeline is what the devices of a team did during one sample (Gantt chart): a row
// per device, in it a lane each for compute, transfer, host and wait.
type Timeline struct {
	Devices []int // of the team, in its order
	Spans   []result.Span
	Path    []int // indexes of the spans on the critical path, which are outlined
	Format  func(seconds float64) string
}

// laneKinds are the lanes of a device from top to bottom; a span of another kind
// stands in the last.
var laneKinds = []string{result.KindCompute, result.KindTransfer, result.KindHost, result.KindWait}

// mostSpans is how many spans are told apart; with more, neighbours are joined.
const mostSpans = 100

// bar is a span as it is drawn: one, or several of a kind that stand close together.
type bar struct {
	device, lane int
	start, end   float64
	busy         float64 // seconds of the spans in it
	spans        int
	label        string
	path         bool // on the critical path
}

// Inline draws the timeline for a page.
func (t Timeline) Inline(label string) (Drawing, error) {
	sans()
	first, last := t.extent()
	unit, factor := timeUnit(last - first)
	pl := plot.New()
	pl.BackgroundColor = nil
	pl.X.Min, pl.X.Max = 0, max((last-first)*factor, 1e-12)
	pl.Y.Min, pl.Y.Max = -float64(len(t.Devices))+0.5, 0.5
	var ticks []plot.Tick
	for i, d := range t.Devices {
		ticks = append(ticks, plot.Tick{Value: -float64(i), Label: "GPU " + strconv.Itoa(d)})
	}
	style(&pl.X, standIns, onPage)
	style(&pl.Y, standIns, onPage)
	// Every label has its unit: of a drawing that is wider than a phone, the middle of the
	// axis, where its name would stand, is out of sight.
	pl.X.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick {
		ticks := linearTicks(low, high, onPage.alongX(2*width))
		for i := range ticks {
			if ticks[i].Label != "" {
				ticks[i].Label += " " + unit
			}
		}
		return ticks
	})
	pl.Y.Tick.Marker = plot.ConstantTicks(ticks)
	pl.Y.Tick.Length = 0
	d := drawing{plot: pl, width: 2 * width, height: vg.Points(32 + 34*float64(len(t.Devices)))}
	used, path := make([]bool, len(laneKinds)), false
	for _, b := range t.bars(first, last) {
		// Lanes are 0.21 high, the row of a device 1 with room between.
		top := -float64(b.device) + 0.42 - 0.21*float64(b.lane)
		start := (b.start - first) * factor
		used[b.lane], path = true, path || b.path
		d.marks = append(d.marks, mark{x: start, y: top - 0.19, w: (b.end - b.start) * factor, h: 0.19, text: t.says(b, first), ink: Ink(laneKinds[b.lane]), outlined: b.path})
	}
	var keys []Key
	for lane, kind := range laneKinds {
		if used[lane] {
			keys = append(keys, Key{kind, Ink(kind), "area"})
		}
	}
	if path {
		keys = append(keys, Key{"on the critical path", "ink", "outline"})
	}
	svg, err := d.inline(label)
	return Drawing{SVG: svg, Wide: true, Keys: keys}, err
}

// extent is from the first start to the last end.
func (t Timeline) extent() (first, last float64) {
	first, last = math.Inf(1), math.Inf(-1)
	for _, s := range t.Spans {
		first, last = min(first, s.Start), max(last, s.End)
	}
	if first > last {
		return 0, 0
	}
	return first, last
}

func (t Timeline) says(b bar, first float64) string {
	what := fmt.Sprintf("GPU %d: %s", t.Devices[b.device], laneKinds[b.lane])
	if b.label != "" {
		what += " " + b.label
	}
	text := fmt.Sprintf("%s, %s from %s on", what, t.Format(b.end-b.start), t.Format(b.start-first))
	if b.spans > 1 {
		text += fmt.Sprintf(" (%d spans, together %s)", b.spans, t.Format(b.busy))
	}
	if b.path {
		text += "; critical path"
	}
	return text
}

// bars joins spans of one lane, those on the critical path with each other, that stand
// closer together than can be seen, and more of them until few enough are left.
func (t Timeline) bars(first, last float64) []bar {
	var all []bar
	path := make([]bool, len(t.Spans))
	for _, i := range t.Path {
		path[i] = true
	}
	for i, s := range t.Spans {
		device, lane := slices.Index(t.Devices, s.Device), slices.Index(laneKinds, s.Kind)
		if lane < 0 {
			lane = len(laneKinds) - 1
		}
		if device >= 0 && s.End >= s.Start {
			all = append(all, bar{device, lane, s.Start, s.End, s.End - s.Start, 1, s.Label, path[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b bar) int {
		return cmp.Or(cmp.Compare(a.device, b.device), cmp.Compare(a.lane, b.lane), cmp.Compare(a.start, b.start))
	})
	gap := (last - first) / 2000
	for {
		out := join(all, gap)
		if len(out) <= mostSpans || gap > last-first {
			return out
		}
		gap *= 2
	}
}

func join(all []bar, gap float64) []bar {
	var out []bar
	for _, b := range all {
		if n := len(out) - 1; n >= 0 && out[n].device == b.device && out[n].lane == b.lane && out[n].path == b.path && b.start-out[n].end <= gap {
			out[n].end = max(out[n].end, b.end)
			out[n].busy += b.busy
			out[n].spans++
			if out[n].label != b.label {
				out[n].label = ""
			}
			continue
		}
		out = append(out, b)
	}
	return out
}

// timeUnit is the unit in which a duration is a handy number, and how many of it a
// second has.
func timeUnit(seconds float64) (string, float64) {
	switch {
	case seconds >= 1:
		return "s", 1
	case seconds >= 1e-3:
		return "ms", 1e3
	case seconds >= 1e-6:
		return "µs", 1e6
	}
	return "ns", 1e9
}
