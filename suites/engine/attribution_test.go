//go:build long || gpu

package engine

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/suites"
	_ "github.com/amgpu/amgpu/suites/all"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// slowLink repeats every copy into a device.
type slowLink struct {
	peer.Transport
	times int
}

func (s slowLink) Rounds(moves []peer.Move, parity int) ([]peer.Round, int, error) {
	rounds, parity, err := s.Transport.Rounds(moves, parity)
	for i := range rounds {
		for d, ops := range rounds[i].In {
			for range s.times {
				for _, op := range ops {
					rounds[i].In[d] = append(rounds[i].In[d], peer.Barrier(vk.StageTransfer, vk.StageTransfer), op)
				}
			}
		}
	}
	return rounds, parity, err
}

// injected is one fault put into a compute-bound program on two devices.
type injected struct {
	units   int64    // of ga/product
	repeat  int64    // products of a chain
	shared  int64    // words of the array that the devices gather
	weights [2]int64 // of the shares
	slow    int      // repetitions of every copy in
	sleep   time.Duration
	late    bool   // the second device computes after the first
	fault   string // AMGPU_FAULT, on one device as on two
}

// build makes ga/product chains with an all-gather and a host step, which the
// faults slow down.
func (in injected) build(t *testing.T, n int) fixture {
	t.Helper()
	w, err := suites.Find("ga/product")
	if err != nil {
		t.Fatal(err)
	}
	b := suites.Build{Size: in.units, Base: in.units, Count: n, Params: map[string]int64{"repeat": in.repeat}, Limits: suites.Limits{SharedBytes: 32 << 10, Invocations: 256}}
	b.Divide = func(units, granule int64) []program.Share {
		if n == 1 {
			return []program.Share{{Lo: 0, Hi: units}}
		}
		at := units * in.weights[0] / (in.weights[0] + in.weights[1]) / granule * granule
		return []program.Share{{Lo: 0, Hi: at}, {Lo: at, Hi: units}}
	}
	p, err := w.Build(b)
	if err != nil {
		t.Fatal(err)
	}
	p.Arrays = append(p.Arrays, program.Array{Name: "shared", Layout: program.Replicated, Units: p.Units, Stride: max(in.shared/p.Units, 1), Source: program.Source{Kind: program.Zero}})
	gather := program.AllGather{Arrays: []string{"shared"}}
	rest := program.Host{Label: "pause", Do: func(_, _ [][]uint32) error {
		if n > 1 {
			time.Sleep(in.sleep)
		}
		return nil
	}}
	product := p.Steps[0].(program.Dispatch)
	if !in.late || n == 1 {
		p.Steps = []program.Step{product, gather, rest, product}
	} else {
		first, second := product, product
		first.On = append([]program.Launch{}, product.On...)
		second.On = append([]program.Launch{}, product.On...)
		first.On[1].Units, second.On[0].Units = 0, 0
		p.Steps = []program.Step{first, gather, second, rest, product}
	}
	p.Work *= 2
	return fixture{p, func(*suites.Check) string { return "" }}
}

// compare measures both programs on each of the two devices and on both, taking turns launch by
// launch, so that a drift of the machine hits all alike. It returns the attributed rows of two
// devices.
func compare(t *testing.T, adapters []*vk.Adapter, healthy, faulty injected) (was, is result.Summary) {
	t.Helper()
	var results [2]*result.Result
	for i := range results {
		results[i] = &result.Result{
			Schema: result.Schema, Plan: result.Plan{Preset: "default"},
			Devices: []result.Device{{Index: 0, Name: "a", Software: true}, {Index: 1, Name: "a", Software: true}},
		}
	}
	for launch := range 7 {
		for i, in := range []injected{healthy, faulty} {
			for _, team := range [][]*vk.Adapter{adapters[:1], adapters[1:2], adapters} {
				results[i].Trials = append(results[i].Trials, measureInjected(t, team, in, launch))
			}
		}
	}
	var rows [2]result.Summary
	for i, res := range results {
		summary, _, _ := stat.Summary(res)
		for _, r := range summary {
			if r.Count == 2 {
				rows[i] = r
			}
		}
		if rows[i].Efficiency == nil || rows[i].Lost == nil {
			t.Fatalf("no attributed row: %+v", summary)
		}
	}
	return rows[0], rows[1]
}

// measureInjected takes one launch.
func measureInjected(t *testing.T, team []*vk.Adapter, in injected, launch int) result.Trial {
	t.Helper()
	n := len(team)
	f := in.build(t, n)
	t.Setenv("AMGPU_FAULT", in.fault)
	s, err := Launch(context.Background(), Spec{Workload: f, Adapters: team, Transport: "host"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if n > 1 && in.slow > 0 {
		s.transport = slowLink{s.transport, in.slow}
	}
	if _, err := s.Verify(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	tr := result.Trial{
		Key:   result.Key{Workload: "test/fixture", Mode: "strong", Size: result.Size{Label: "custom", N: 1}, Residency: "resident", Cache: "hot"},
		Count: n, Launch: launch, Block: launch, Status: result.OK, Verified: true, Reps: 1, Total: 1,
		Work: result.Work{Value: f.prog.Work, Unit: "item"}, Warmup: result.Warmup{Samples: 1, Steady: true},
	}
	for _, a := range team {
		tr.Devices = append(tr.Devices, a.Info().Index)
	}
	var times []result.SampleTimes
	for i := range 7 {
		sample, err := s.Sample(context.Background(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if i > 1 { // the first ones warm up
			tr.Samples = append(tr.Samples, sample.Seconds)
			times = append(times, *sample.Times)
		}
	}
	tr.Times = result.TimesOf(times...)
	return tr
}

// causes are the logarithms of the factors of a row, sign turned, in points: they
// add up to -100 ln(efficiency) whatever their size, which losses do not.
func causes(r result.Summary) map[string]float64 {
	e := r.Efficiency.Value
	perLoss := -100 * math.Log(e) / (1 - e)
	out := map[string]float64{}
	for name, v := range map[string]*float64{"imbalance": r.Lost.Imbalance, "serialization": r.Lost.Serialization, "transfer": r.Lost.Transfer, "orchestration": r.Lost.Orchestration, "rate": r.Lost.Rate} {
		if v != nil {
			out[name] = *v * perLoss
		}
	}
	return out
}

// misnamed lists what contradicts that a drop of so many points has this cause.
func misnamed(name string, drop float64, was, is map[string]float64) []string {
	const points = 2
	var out []string
	if drop < points {
		out = append(out, fmt.Sprintf("the fault costs only %.1f points", drop))
	}
	for cause := range is {
		change := is[cause] - was[cause]
		if cause == name {
			change -= drop
		}
		if math.Abs(change) > points {
			out = append(out, fmt.Sprintf("%s is off by %.1f points", cause, change))
		}
	}
	return out
}

// attempts: other programs on the same cores are a cause like any other and can
// blur one comparison; a fault under a wrong name would blur all of them.
const attempts = 5

// nameCauses puts faults into the healthy program: what the efficiency loses must appear
// under the fault's own name, within 2 points, and nothing above 2 points elsewhere. Both ways
// of making one device late are imbalance: a larger share, and a device that is slower.
func nameCauses(t *testing.T, adapters []*vk.Adapter, healthy injected, slow int, pause time.Duration) {
	faults := []struct {
		name, cause string
		put         func(*injected)
	}{
		{"larger share", "imbalance", func(f *injected) { f.weights = [2]int64{10, 11} }},
		{"slower device", "imbalance", func(f *injected) { f.fault = "slow:1:0.1" }},
		{"slow link", "transfer", func(f *injected) { f.slow = slow }},
		{"host sleep", "orchestration", func(f *injected) { f.sleep = pause }},
		{"late starter", "serialization", func(f *injected) { f.late = true }},
	}
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			faulty := healthy
			fault.put(&faulty)
			var blurred []string
			for range attempts {
				without, with := compare(t, adapters, healthy, faulty)
				drop := 100 * math.Log(without.Efficiency.Value/with.Efficiency.Value)
				was, is := causes(without), causes(with)
				t.Logf("healthy %.3f, lost to %v", without.Efficiency.Value, was)
				t.Logf("faulty %.3f (%.1f points less), lost to %v", with.Efficiency.Value, drop, is)
				if blurred = misnamed(fault.cause, drop, was, is); len(blurred) == 0 {
					return
				}
				t.Log(blurred)
			}
			t.Errorf("in none of %d attempts: %v", attempts, blurred)
		})
	}
}
