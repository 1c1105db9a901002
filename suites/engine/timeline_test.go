package engine

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestIdleSpans: what is between a device's own spans is the host's where it was at work,
// else waiting; nothing overlaps and nothing is left out.
func TestIdleSpans(t *testing.T) {
	own := []result.Span{{Device: 3, Kind: "transfer", Start: 5, End: 7}, {Device: 3, Kind: "compute", Start: 2, End: 6}, {Device: 3, Kind: "compute", Start: 12, End: 14}}
	host := []hostWork{{-1, "a", 0, 1}, {3, "a", 1, 2.5}, {-1, "b", 6, 8}, {3, "b", 7.5, 9}, {-1, "c", 8.5, 10}, {-1, "d", 17, 99}}
	want := []result.Span{
		{Device: 3, Kind: "host", Label: "a", End: 2},
		{Device: 3, Kind: "host", Label: "b", Start: 7, End: 9}, {Device: 3, Kind: "host", Label: "c", Start: 9, End: 10},
		{Device: 3, Kind: "wait", Start: 10, End: 12}, {Device: 3, Kind: "wait", Start: 14, End: 17}, {Device: 3, Kind: "host", Label: "d", Start: 17, End: 20},
	}
	if got := idleSpans(3, slices.Clone(own), host, 20); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if got := idleSpans(1, nil, nil, 4); len(got) != 1 || got[0] != (result.Span{Device: 1, Kind: "wait", End: 4}) {
		t.Errorf("%+v", got)
	}
	if got := idleSpans(3, slices.Clone(own), host, 7); len(got) != 1 { // own spans last as long
		t.Errorf("%+v", got)
	}
	// Clocks are apart by more than the gap: nothing is made up.
	if got := idleSpans(0, []result.Span{{Start: -1, End: 5}}, []hostWork{{-1, "a", 3, 2}}, 5); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestCutSpans(t *testing.T) {
	var spans []result.Span
	for k := range 10 {
		spans = append(spans, result.Span{Device: 0, Start: float64(9 - k), End: float64(10 - k)}, result.Span{Device: 1, Start: float64(k), End: float64(k + 5)})
	}
	cut, end := cutSpans(slices.Clone(spans), 7, 14)
	if len(cut) != 6 || end != 3 { // the eighth begins at 3, with the seventh
		t.Errorf("%+v", cut)
	}
	for _, sp := range cut {
		if sp.Start >= 3 || sp.End > 3 {
			t.Errorf("%+v", sp)
		}
	}
	if all, end := cutSpans(slices.Clone(spans), 20, 14); len(all) != 20 || end != 14 {
		t.Errorf("%d spans of 20, up to %g", len(all), end)
	}
}

// covers checks that a timeline is whole: on every device, what it did is next to what it
// waited for, from the gate to the end, and waiting overlaps with nothing.
func covers(t *testing.T, spans []result.Span, devices []int, end float64) {
	t.Helper()
	for _, d := range devices {
		var own []result.Span
		for _, sp := range spans {
			if sp.Device == d {
				own = append(own, sp)
			}
		}
		slices.SortStableFunc(own, func(a, b result.Span) int { return int(math.Copysign(1, a.Start-b.Start)) })
		until := 0.0
		var before string
		for _, sp := range own {
			if sp.Start > until+1.5e-9 {
				t.Errorf("device %d: nothing from %g to %g", d, until, sp.Start)
			}
			idle := sp.Kind == "wait" || sp.Kind == "host"
			if sp.Start < until-1.5e-9 && (idle || before == "wait" || before == "host") {
				t.Errorf("device %d: %+v begins before %g", d, sp, until)
			}
			if idle && sp.End > end+1.5e-9 {
				t.Errorf("device %d: %+v ends after %g", d, sp, end)
			}
			if sp.End > until {
				until, before = sp.End, sp.Kind
			}
		}
		if until < end-1.5e-9 {
			t.Errorf("device %d: nothing from %g to the end at %g", d, until, end)
		}
	}
}

// timelineOf runs one sample of reps iterations and returns its spans and its length.
func timelineOf(t *testing.T, spec Spec, reps int) ([]result.Span, float64) {
	t.Helper()
	s, err := Launch(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if v, err := s.Verify(context.Background(), true); err != nil || v.Outcome.Wrong != "" {
		t.Fatal(v.Outcome.Wrong, err)
	}
	out, err := s.Sample(context.Background(), reps)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Spans) == 0 || len(out.Spans) > maxSpans {
		t.Fatalf("%d spans on drivers that have timestamps", len(out.Spans))
	}
	if out.Times.Device > out.Seconds*1.001 {
		t.Errorf("devices were busy for %g s of %g s", out.Times.Device, out.Seconds)
	}
	return out.Spans, out.Seconds * float64(reps)
}

func indexes(adapters []*vk.Adapter) []int {
	var out []int
	for _, a := range adapters {
		out = append(out, a.Info().Index)
	}
	return out
}

// TestTimelines: spans of whole samples of every way to run a program.
func TestTimelines(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	limits := PoolLimits(adapters)
	workload := func(id string, size int64, n int) Spec {
		w, err := suites.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		b := suites.Build{Size: size, Base: size, Label: "custom", Count: n, Seed: 42, Limits: limits, Params: map[string]int64{}}
		for _, p := range w.Info().Params {
			b.Params[p.Name] = p.Default
		}
		b.Divide = func(units, granule int64) []program.Share { return divide(units, n) }
		return Spec{Workload: w, Build: b, Adapters: adapters[:n], Transport: "auto"}
	}
	handed := func(s Spec) Spec {
		a, err := partition.LookupAssign("steal")
		if err != nil {
			t.Fatal(err)
		}
		s.Dynamic = &Dynamic{Assign: a, Rates: slices.Repeat([]float64{1}, len(s.Adapters))}
		return s
	}
	staged := workload("relativity/nbody", 512, 2)
	staged.Transport = "staging"
	stages := pipeline(3, 5, 700, func(int) float32 { return 1 }, false)
	rests := pipeline(3, 2, 700, func(int) float32 { return 1 }, false)
	rests.Steps = slices.Insert(rests.Steps, 1, program.Step(program.Host{Label: "look", Do: func(_, _ [][]uint32) error { return nil }}))
	nothing := func(*suites.Check) string { return "" }
	for name, x := range map[string]struct {
		spec Spec
		reps int
		want map[string]string // label of host spans, and a kind
	}{
		"one device":       {workload("memory/triad", 1<<16, 1), 4, map[string]string{"compute": "", "host": hostStart}},
		"no communication": {workload("memory/vector-add", 1<<16, 2), 4, map[string]string{"host": hostEnd, "wait": ""}},
		"in phases":        {workload("relativity/nbody", 512, 2), 4, map[string]string{"transfer": "", "wait": "", "host": hostPass}},
		"staged":           {staged, 4, map[string]string{"transfer": "", "host": hostCopies}},
		"pipeline":         {Spec{Workload: fixture{stages, nothing}, Adapters: adapters, Transport: "host", Build: suites.Build{Seed: 7}}, 1, map[string]string{"transfer": "", "wait": "", "host": hostPass}},
		"a host step":      {Spec{Workload: fixture{rests, nothing}, Adapters: adapters, Transport: "host", Build: suites.Build{Seed: 7}}, 2, map[string]string{"wait": "", "host": "look"}},
		"handed out":       {handed(workload("ga/product", 1<<14, 2)), 3, map[string]string{"compute": "", "host": hostStart}},
		"handed, gathered": {handed(workload("hash/merkle", 1<<12, 2)), 1, map[string]string{"transfer": "", "host": hostCopies}},
		"many repetitions": {workload("relativity/nbody", 64, 2), 60, map[string]string{"transfer": "", "host": hostPass}},
	} {
		t.Run(name, func(t *testing.T) {
			spans, end := timelineOf(t, x.spec, x.reps)
			if name == "many repetitions" { // the first part of a sample
				last := 0.0
				for _, sp := range spans {
					last = max(last, sp.End)
				}
				if last > end {
					t.Errorf("spans up to %g s of %g s", last, end)
				}
				end = last
			}
			covers(t, spans, indexes(x.spec.Adapters), end)
			for kind, label := range x.want {
				if !slices.ContainsFunc(spans, func(sp result.Span) bool { return sp.Kind == kind && sp.Label == label }) {
					t.Errorf("no span of %s %q among %v", kind, label, spans)
				}
			}
		})
	}
}

// TestSlowDeviceIsTheBottleneck: of two devices, one three times as slow is what the end
// waited for, with shares and with chunks handed out.
func TestSlowDeviceIsTheBottleneck(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	slow := adapters[1].Info().Index
	t.Setenv("AMGPU_FAULT", "slow:1:2")
	w, err := suites.Find("ga/product")
	if err != nil {
		t.Fatal(err)
	}
	b := suites.Build{Size: 1 << 16, Base: 1 << 16, Label: "custom", Count: 2, Seed: 42, Limits: PoolLimits(adapters), Params: map[string]int64{"repeat": 64}}
	b.Divide = func(units, granule int64) []program.Share { return divide(units, 2) }
	capacity, err := partition.LookupAssign("capacity")
	if err != nil {
		t.Fatal(err)
	}
	near, err := suites.Find("relativity/nbody")
	if err != nil {
		t.Fatal(err)
	}
	few := suites.Build{Size: 64, Base: 64, Label: "custom", Count: 2, Seed: 42, Limits: b.Limits, Divide: b.Divide, Params: map[string]int64{}}
	for _, p := range near.Info().Params {
		few.Params[p.Name] = p.Default
	}
	spans, end := timelineOf(t, Spec{Workload: near, Build: few, Adapters: adapters, Transport: "auto"}, 60)
	last := spans[len(spans)-1].End
	if last > end/2 || !slices.ContainsFunc(spans, func(sp result.Span) bool { return sp.Device == slow && sp.Label == slowedDown }) {
		t.Errorf("a slow device in %d spans, up to %g s of %g s", len(spans), last, end)
	}
	covers(t, spans, indexes(adapters), last)
	for _, dynamic := range []*Dynamic{nil, {Assign: capacity, Rates: []float64{1, 1}}} {
		spans, end := timelineOf(t, Spec{Workload: w, Build: b, Adapters: adapters, Transport: "auto", Dynamic: dynamic}, 1)
		covers(t, spans, indexes(adapters), end)
		p := stat.PathOf(&result.Trial{Status: result.OK, Devices: indexes(adapters), Samples: []float64{end}, Reps: 1, Spans: spans})
		if p == nil || p.Bottleneck.Kind != result.KindCompute || p.Bottleneck.Device == nil || *p.Bottleneck.Device != slow {
			t.Errorf("handed out: %t: %+v", dynamic != nil, p)
		}
	}
}
