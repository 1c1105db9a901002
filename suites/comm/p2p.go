package comm

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(p2p{}) }

type p2p struct{ unscaled }

// Patterns: who sends to whom.
const (
	oneWay  = iota // device 0 to 1, 2 to 3, ...
	bothWay        // the same pairs, in both directions at once
	ring           // every device to the next, the last to the first
)

func (p2p) Info() suites.Info {
	info := family("comm/p2p", "a float32 buffer from one device to another, over pairs of devices at once")
	info.Formula = "out_to[i] = x_from[i]"
	info.SizeUnit = "float32 elements per message"
	info.Flops, info.Bytes = "0", "8 per element and message"
	info.Communication = "S over each link used; the rate is that of one link in one direction"
	info.Tolerance = "E0"
	info.Params = []suites.Param{{Name: "pattern", Doc: "0: device 0 to 1, 2 to 3, ...; 1: these pairs both ways at once; 2: every device to the next, round the team", Default: 0, Min: 0, Max: 2}}
	return info
}

// pairs lists the messages.
func (p2p) pairs(pattern int64, count int) []program.Pair {
	var out []program.Pair
	switch {
	case count == 1:
		return []program.Pair{{}}
	case pattern == ring:
		for d := range count {
			out = append(out, program.Pair{From: d, To: (d + 1) % count})
		}
		return out
	}
	for d := 0; d+1 < count; d += 2 {
		out = append(out, program.Pair{From: d, To: d + 1})
		if pattern == bothWay {
			out = append(out, program.Pair{From: d + 1, To: d})
		}
	}
	return out
}

func (w p2p) Build(b suites.Build) (*program.Program, error) {
	if _, err := check(w.Info(), b); err != nil {
		return nil, err
	}
	pattern := b.Params["pattern"]
	if pattern < oneWay || pattern > ring {
		return nil, fmt.Errorf("comm/p2p: pattern %d: choose 0 (one way), 1 (both ways) or 2 (round the team)", pattern)
	}
	n, bytes := b.Size, 4*float64(b.Size)
	pairs := w.pairs(pattern, b.Count)
	return &program.Program{
		Units: n, Shares: b.Divide(n, 1),
		Arrays: []program.Array{
			{Name: "in", Layout: program.Local, Units: n, Stride: 1, Source: program.Random(idIn, lo, hi)},
			{Name: "out", Layout: program.Local, Units: n, Stride: 1, Output: true, Distinct: true},
		},
		Steps:          []program.Step{program.Send{Array: "in", Into: "out", Pairs: pairs}},
		CountDependent: true,
		Work:           bytes,
		Bytes:          2 * bytes * float64(len(pairs)),
	}, nil
}

// Verify compares what every receiver got with its sender's operand.
func (w p2p) Verify(c *suites.Check) (suites.Outcome, error) {
	var all suites.Tally
	for _, p := range w.pairs(c.Build.Params["pattern"], c.Build.Count) {
		err := compare(c, &all, "out", p.To, c.Build.Size, func(i int64) float32 { return operand(c.Build.Seed, p.From, i) })
		if err != nil {
			return suites.Outcome{}, err
		}
	}
	return all.Outcome("E0", ""), nil
}
