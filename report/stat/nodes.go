package stat

import (
	"math"

	"github.com/amgpu/amgpu/report/result"
)

// Level is what communication costs at one level, within a node or between nodes: a hand-over
// takes Latency seconds and what its busiest end sends crosses at Bandwidth bytes per second
// (the model of Hockney 1994, per level). Doubt is the half width of the interval of both, as
// a share of them.
type Level struct{ Latency, Bandwidth, Doubt float64 }

// Traffic is what a step moves in an iteration: how often all wait for each other, and the
// bytes of the busiest device within its node and of the busiest node.
type Traffic struct {
	HandOvers, Inside, Between float64
	Crosses                    bool // it goes between nodes
}

// Exchanged is one measured communication: what was moved at one level, and how long an
// iteration was not computing for it.
type Exchanged struct{ HandOvers, Bytes, Seconds float64 }

// FitLevel finds the costs of a level: least squares of the relative deviations of
// seconds = latency x hand-overs + bytes / bandwidth, neither below zero. Doubt is the
// largest deviation. With one communication, or several of one shape, all is laid to the
// part that small and large messages suggest. ok is false without any.
func FitLevel(list []Exchanged) (l Level, ok bool) {
	var hh, hb, bb, ht, bt float64
	var used []Exchanged
	for _, x := range list {
		if !(x.Seconds > 0) || x.HandOvers+x.Bytes <= 0 {
			continue
		}
		used = append(used, x)
		h, b := x.HandOvers/x.Seconds, x.Bytes/x.Seconds
		hh, hb, bb, ht, bt = hh+h*h, hb+h*b, bb+b*b, ht+h, bt+b
	}
	if len(used) == 0 {
		return l, false
	}
	det := hh*bb - hb*hb
	a, slope := 0.0, 0.0
	if det > 1e-9*hh*bb {
		a, slope = (bb*ht-hb*bt)/det, (hh*bt-hb*ht)/det
	}
	if !(a >= 0 && slope >= 0) || a+slope == 0 { // on the edge: one of them explains all
		const small = 256 << 10 // bytes of a hand-over of which the latency takes more
		if a, slope = 0, 0; bb == 0 || hh > 0 && bb < hh*small*small {
			a = ht / hh
		} else {
			slope = bt / bb
		}
	}
	l = Level{Latency: a, Bandwidth: math.Inf(1)}
	if slope > 0 {
		l.Bandwidth = 1 / slope
	}
	for _, x := range used {
		l.Doubt = max(l.Doubt, math.Abs(a*x.HandOvers+slope*x.Bytes-x.Seconds)/x.Seconds)
	}
	return l, true
}

// Nodes is the cost model of one row.
type Nodes struct {
	// Compute is the computation of one iteration of the whole work on one device, seconds,
	// in weak mode that of a device; ComputeDoubt half the width of its interval, as a share,
	// below 0: not known, and neither are intervals.
	Compute, ComputeDoubt float64
	Weak                  bool
	Alone                 float64 // an iteration on one device, seconds
	PerNode               int
	Inside, Between       Level
	// Program is what the program does on a number of devices: its traffic, and the largest
	// device's share of the whole work, which is more than an even one where the units of work do
	// not divide evenly or are fewer than the devices. A share of 0 is an even one.
	Program func(devices int) (traffic []Traffic, share float64, err error)
}

// Names of walls.
const (
	WallIdle    = "work that does not divide further"
	WallLatency = "latency of hand-overs"
	WallInside  = "bandwidth within a node"
	WallBetween = "bandwidth between nodes"
)

// At is the prediction for a number of nodes.
func (m Nodes) At(nodes int) (result.Forecast, error) {
	f := result.Forecast{Nodes: nodes, Count: nodes * m.PerNode}
	parts, low, high, err := m.parts(f.Count)
	if err != nil {
		return f, err
	}
	sum := func(p result.ForecastParts) float64 { return p.Compute + p.Idle + p.Latency + p.Inside + p.Between }
	t, lo, hi := sum(parts), sum(low), sum(high)
	efficiency := func(t float64) float64 {
		if m.Weak {
			return m.Alone / t
		}
		return m.Alone / (t * float64(f.Count))
	}
	worst, best := efficiency(hi), efficiency(lo)
	f.Parts = &parts
	f.Seconds, f.Efficiency = &result.Value{Value: t, Unit: "s"}, &result.Value{Value: efficiency(t)}
	if m.ComputeDoubt >= 0 {
		f.Seconds.Low, f.Seconds.High, f.Efficiency.Low, f.Efficiency.High = &lo, &hi, &worst, &best
	}
	f.Wall, f.WallNodes, err = m.wall(nodes)
	return f, err
}

// parts are the seconds on a number of devices, and the ends of their intervals.
func (m Nodes) parts(devices int) (at, low, high result.ForecastParts, err error) {
	list, share, err := m.Program(devices)
	if err != nil {
		return at, low, high, err
	}
	at.Compute = m.Compute
	if !m.Weak {
		at.Compute /= float64(devices)
	}
	at.Idle = at.Compute * max(share*float64(devices)-1, 0)
	less, more := max(1-m.ComputeDoubt, 0), 1+m.ComputeDoubt
	low.Compute, high.Compute = at.Compute*less, at.Compute*more
	low.Idle, high.Idle = at.Idle*less, at.Idle*more
	for _, t := range list {
		level := m.Inside
		if t.Crosses {
			level = m.Between
			level.Latency += m.Inside.Latency // out of the devices and into them
		}
		add := func(to *result.ForecastParts, sign float64) {
			a, b := 1+sign*level.Doubt, 1+sign*m.Inside.Doubt
			c := 1 + sign*m.Between.Doubt
			to.Latency += t.HandOvers * level.Latency * max(a, 0)
			to.Inside += over(t.Inside, m.Inside.Bandwidth) * max(b, 0)
			to.Between += over(t.Between, m.Between.Bandwidth) * max(c, 0)
		}
		add(&at, 0)
		add(&low, -1)
		add(&high, 1)
	}
	return at, low, high, nil
}

// over is how long bytes take.
func over(bytes, bandwidth float64) float64 {
	if bytes == 0 {
		return 0
	}
	return bytes / bandwidth
}

// wall finds the first number of nodes, doubling up to nodes, on which a part takes longer
// than the computation, and the longest such part.
func (m Nodes) wall(nodes int) (string, int, error) {
	for n := 1; ; n *= 2 {
		n = min(n, nodes)
		p, _, _, err := m.parts(n * m.PerNode)
		if err != nil {
			return "", 0, err
		}
		name, worst := "", p.Compute
		for _, c := range []struct {
			name    string
			seconds float64
		}{{WallIdle, p.Idle}, {WallLatency, p.Latency}, {WallInside, p.Inside}, {WallBetween, p.Between}} {
			if c.seconds > worst {
				name, worst = c.name, c.seconds
			}
		}
		if name != "" {
			return name, n, nil
		}
		if n == nodes {
			return "", 0, nil
		}
	}
}
