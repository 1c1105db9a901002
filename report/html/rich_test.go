package html_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
)

// rich is the result of the scaling fixture with everything that a report can draw:
// spans, links, readings of sensors, roofs, a comodulogram and training curves. note
// is put into every text that comes from outside.
func rich(t *testing.T, note string) *result.Result {
	t.Helper()
	res := load(t, "scaling")
	for i := range res.Devices {
		d := &res.Devices[i]
		d.Name += note
		d.Peak = &result.Peak{BytesPerSecond: 3.35e12, Flops: 66.9e12}
		d.Roofs = []result.Roof{{Name: "fp32" + note, Unit: "flop/s", Value: 6.1e13, Measured: true}, {Name: "fp16 matrix", Unit: "flop/s", Value: 9.8e14},
			{Name: "memory", Unit: "B/s", Value: 2.9e12, Measured: true}, {Name: "L2", Unit: "B/s", Value: 7.1e12, Measured: true}}
	}
	for i := range res.Trials {
		tr := &res.Trials[i]
		switch tr.Workload {
		case "linalg/matmul":
			tr.Flops, tr.Bytes = 1.1e12, 8.05e8
		case "relativity/nbody":
			tr.Flops, tr.Bytes = 1.37e12, 4e9
		case "memory/triad":
			tr.Flops, tr.Bytes = 2.7e8, 3.2e9
		}
		if len(tr.Samples) > 0 {
			tr.Spans = spans(tr, note)
		}
		if tr.Workload == "relativity/nbody" && tr.Status == result.OK {
			tr.Outcome = &result.Outcome{Training: curve(note)}
		}
		if tr.Workload == "memory/triad" && tr.Count == 4 {
			tr.Outcome = &result.Outcome{Comodulogram: coupling(note)}
		}
	}
	for from := range 8 {
		for to := range 8 {
			if from != to {
				res.Links = append(res.Links, connection(from, to, note))
			}
		}
	}
	res.Telemetry = readings(note)
	return res
}

// spans are four phases of compute, copy and wait.
func spans(tr *result.Trial, note string) []result.Span {
	var out []result.Span
	phase := tr.Samples[0] / 4
	for k := range 4 {
		for i, d := range tr.Devices {
			at := float64(k) * phase
			busy := phase * (0.75 - 0.04*float64(i%3))
			out = append(out, result.Span{Device: d, Kind: "compute", Label: "tile" + note, Start: at, End: at + busy})
			if tr.Count > 1 {
				out = append(out, result.Span{Device: d, Kind: "transfer", Start: at + busy*0.9, End: at + busy + phase*0.1}, result.Span{Device: d, Kind: "wait", Start: at + busy + phase*0.1, End: at + phase})
			}
		}
	}
	return out
}

func curve(note string) *result.Training {
	off := 0.0123
	c := &result.Training{Losses: []result.Loss{{Name: "total" + note}}, Measures: []result.Measure{{Name: "error" + note, Value: &off}, {Name: "none"}}}
	for k := range 200 {
		v := 2.3*math.Exp(-float64(k)/40) + 0.004*(2+math.Sin(float64(k)))
		c.Steps = append(c.Steps, int64(10*k))
		c.Losses[0].Values = append(c.Losses[0].Values, &v)
	}
	return c
}

func coupling(note string) *result.Comodulogram {
	c := &result.Comodulogram{Measure: "modulation index (Tort)" + note, Signal: "channel 3" + note}
	for p := 2; p <= 20; p += 2 {
		c.Phase = append(c.Phase, float64(p))
	}
	for a := 30; a <= 150; a += 5 {
		var row []*float64
		for _, p := range c.Phase {
			v := 0.031*math.Exp(-(p-6)*(p-6)/9-(float64(a)-80)*(float64(a)-80)/324) + 0.0006
			row = append(row, &v)
		}
		row[len(row)-1] = nil
		c.Amplitude, c.Values = append(c.Amplitude, float64(a)), append(c.Values, row)
	}
	return c
}

func connection(from, to int, note string) result.Link {
	f := func(v float64) *float64 { return &v }
	l := result.Link{From: from, To: to, Transport: "cuda" + note, Verified: true, Bandwidth: f(3.6e11 + 1e9*float64((3*from+5*to)%7)), BothWays: f(7.0e11),
		Latency: f(2.1e-6 + 1e-8*float64(from)), Kind: "NV18", NVLink: &result.NVLink{Version: "4.0", Links: 18, Switched: true}, SameNUMA: new(bool)}
	*l.SameNUMA = from/4 == to/4
	if from == 2 && to == 5 {
		l.Bandwidth, l.Slow, l.Typical = f(1.1e11), true, f(3.62e11)
	}
	if from == 6 && to == 7 {
		l = result.Link{From: 6, To: 7, Reason: "data arrived damaged" + note, Excluded: []string{"dmabuf: not supported" + note}}
	}
	return l
}

func readings(note string) *result.Telemetry {
	out := &result.Telemetry{Origin: time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC), Interval: 0.1}
	for d := range 8 {
		tr := result.Track{Index: d, Source: "nvml", Values: map[string][]*float64{}}
		for i := range 400 {
			x := float64(i) / 10
			tr.Seconds = append(tr.Seconds, x)
			for name, v := range map[string]float64{"sm_clock": 1.98e9 - 1e7*float64(d) - 4e7*math.Max(0, math.Sin(x/3)), "power": 520 + 30*math.Sin(x/3+float64(d)),
				"temperature": 70 - 35*math.Exp(-x/9) + 0.5*float64(d), "utilization": 0.97, "memory_used": 2.1e10} {
				tr.Values[name] = append(tr.Values[name], &v)
			}
		}
		if d == 3 {
			tr.Throttle = []result.Throttling{{Start: 12, End: 14.5, Reasons: []string{"power-cap" + note}}}
		}
		out.Devices = append(out.Devices, tr)
	}
	return out
}

// later is a result of the same rows, slower by the share in some of them.
func later(res *result.Result, days int, slower float64) *result.Result {
	out := *res
	out.Created = res.Created.AddDate(0, 0, days)
	out.Tool.Commit = fmt.Sprintf("%08x", 0xabc0000+days)
	out.Trials = nil
	for i, tr := range res.Trials {
		factor := 1 + 0.001*math.Sin(float64(17*i+days))
		if tr.Workload == "linalg/matmul" && tr.Count > 1 {
			factor *= 1 + slower
		}
		scaled := make([]float64, len(tr.Samples))
		for k, s := range tr.Samples {
			scaled[k] = s * factor
		}
		tr.Samples, tr.Times = scaled, result.Times{}
		out.Trials = append(out.Trials, tr)
	}
	return &out
}
