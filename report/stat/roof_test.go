package stat

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/report/result"
)

// roofed is a bench of two devices of which the second has twice the bandwidth: each
// measured 100 and 90 flop/s, 10 and 20 B/s.
func roofed(t *testing.T) *bench {
	b := newBench("default", 1, 1)
	b.noise = 1e-6
	measure := func(device int, workload, roof, unit string, rate float64) {
		for block := range 3 {
			tr := b.add("solo", block, 1, rate, device)
			tr.Workload, tr.Roof, tr.Work.Unit, tr.Arithmetic = workload, roof, unit, roof
			if unit == "B" {
				tr.Bytes, tr.Arithmetic = rate, ""
			} else {
				tr.Flops = rate
			}
		}
	}
	for d, flops := range []float64{100, 90} {
		measure(d, "peak/fp32", "fp32", "flop", flops)
		measure(d, "peak/int32", "int32", "op", flops/2)
		measure(d, "memory/triad", result.RoofMemory, "B", []float64{8, 16}[d])
		measure(d, "memory/read", result.RoofMemory, "B", []float64{10, 20}[d])
	}
	return b
}

// with adds three launches of a workload.
func (b *bench) with(workload string, seconds, flops, bytes float64, devices ...int) []*result.Trial {
	at := len(b.res.Trials)
	for block := range 3 {
		tr := b.add("strong", block, seconds, 1, devices...)
		tr.Workload, tr.Flops, tr.Bytes = workload, flops, bytes
	}
	var out []*result.Trial
	for i := range b.res.Trials[at:] {
		out = append(out, &b.res.Trials[at+i])
	}
	return out
}

func shareOf(t *testing.T, res *result.Result, workload string) (result.Summary, *result.RoofShare) {
	t.Helper()
	rows, _, _ := Summary(res)
	for _, r := range rows {
		if r.Workload == workload {
			return r, r.Roof
		}
	}
	t.Fatalf("no row of %s", workload)
	return result.Summary{}, nil
}

func TestShareOfTheLowestRoof(t *testing.T) {
	for name, x := range map[string]struct {
		flops, bytes float64
		arithmetic   string
		devices      []int
		want         float64
		roof         string
	}{
		"arithmetic":     {50, 1, "", []int{0}, .5, "fp32"},
		"its own":        {20, 1, "int32", []int{0}, .4, "int32"},
		"memory":         {1, 5, "", []int{0}, .5, "memory"},
		"bytes alone":    {0, 5, "fp64", []int{0}, .5, "memory"},
		"sum of devices": {95, 1, "", []int{0, 1}, .5, "fp32"},
		"sum of memory":  {10, 15, "", []int{0, 1}, .5, "memory"},
	} {
		b := roofed(t)
		for _, tr := range b.with("a/x", 1, x.flops, x.bytes, x.devices...) {
			tr.Arithmetic = x.arithmetic
		}
		_, got := shareOf(t, b.res, "a/x")
		if got == nil || got.Roof != x.roof {
			t.Fatalf("%s: %+v", name, got)
		}
		near(t, name, got.Value, x.want, 1e-4)
		near(t, name+", the roof itself", got.Rate, max(x.flops, map[bool]float64{true: x.bytes}[x.roof == "memory"])/x.want, 0.1)
	}
	for name, change := range map[string]func(*bench, *result.Trial){
		"no roof of its arithmetic": func(_ *bench, t *result.Trial) { t.Arithmetic = "fp64" },
		"no arithmetic":             func(_ *bench, t *result.Trial) { t.Arithmetic = result.NoArithmetic },
		"in the cache":              func(b *bench, t *result.Trial) { b.res.Devices[0].Cache, t.Resident = 100, 50 },
		"moved from the host":       func(_ *bench, t *result.Trial) { t.Residency = "end-to-end" },
		"not wanted":                func(b *bench, _ *result.Trial) { b.res.Plan.Roof = "none" },
		"neither flops nor bytes":   func(_ *bench, t *result.Trial) { t.Flops, t.Bytes = 0, 0 },
	} {
		b := roofed(t)
		for _, tr := range b.with("a/x", 1, 50, 5, 0) {
			change(b, tr)
		}
		if _, got := shareOf(t, b.res, "a/x"); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestRoofsOfRows(t *testing.T) {
	b := roofed(t)
	// What is no evidence: wrong, not verified, on a team, from the host, from the cache.
	for i, change := range []func(*result.Trial){
		func(t *result.Trial) { t.Status = result.WrongResult },
		func(t *result.Trial) { t.Verified = false },
		func(t *result.Trial) { t.Count, t.Devices = 2, []int{0, 1} },
		func(t *result.Trial) { t.Residency = "end-to-end" },
		func(t *result.Trial) { t.Cache = "cold" },
	} {
		tr := b.add("solo", 0, 1, 1e6, 0)
		tr.Workload, tr.Roof, tr.Work.Unit, tr.Launch = "memory/copy", result.RoofMemory, "B", i
		change(tr)
	}
	then := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	b.res.Devices[1].Roofs = []result.Roof{{Name: "fp32", Unit: "flop/s", Value: 5, Measured: true, Elsewhere: &then},
		{Name: "fp64", Unit: "flop/s", Value: 45, Measured: true, Elsewhere: &then, Source: "peak/fp64 M"}}
	got := Roofs(b.res)
	for i := range got {
		for k := range got[i] {
			got[i][k].Value = float64(int(got[i][k].Value + .5))
		}
	}
	want := [][]result.Roof{
		{{Name: "fp32", Unit: "flop/s", Value: 100, Measured: true, Source: "peak/fp32 S"},
			{Name: "int32", Unit: "op/s", Value: 50, Measured: true, Source: "peak/int32 S"},
			{Name: "memory", Unit: "B/s", Value: 10, Measured: true, Source: "memory/read S"}},
		{{Name: "fp32", Unit: "flop/s", Value: 90, Measured: true, Source: "peak/fp32 S"},
			{Name: "fp64", Unit: "flop/s", Value: 45, Measured: true, Elsewhere: &then, Source: "peak/fp64 M"},
			{Name: "int32", Unit: "op/s", Value: 45, Measured: true, Source: "peak/int32 S"},
			{Name: "memory", Unit: "B/s", Value: 20, Measured: true, Source: "memory/read S"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	Fill(b.res)
	once := cmp.Diff(b.res.Devices[1].Roofs, Roofs(b.res)[1])
	if once != "" {
		t.Errorf("filling changes what is read: %s", once)
	}
}

func TestCacheHasItsOwnRoof(t *testing.T) {
	b := roofed(t)
	b.res.Devices[0].Cache = 100
	for block := range 3 {
		tr := b.add("solo", block, 1, 40, 0)
		tr.Workload, tr.Roof, tr.Work.Unit, tr.Resident = "peak/l2", result.RoofL2, "B", 10
	}
	for _, tr := range b.with("a/x", 1, 1, 20, 0) {
		tr.Resident = 50
	}
	r, got := shareOf(t, b.res, "a/x")
	if got == nil || got.Roof != result.RoofL2 || r.Status != result.OK {
		t.Fatalf("%+v %s %s", got, r.Status, r.Reason)
	}
	near(t, "share", got.Value, .5, 1e-4)
}

func TestAboveTheMeasuredRoof(t *testing.T) {
	for name, x := range map[string]struct {
		change func(*bench)
		share  float64
		status string
		warned bool
	}{
		"measured together":  {func(*bench) {}, 1.2, result.AbovePeak, false},
		"within its doubts":  {func(*bench) {}, 1.04, result.OK, false},
		"software":           {func(b *bench) { b.res.Devices[0].Software = true }, 1.2, result.OK, true},
		"measured elsewhere": {func(b *bench) { elsewhere(b) }, 1.2, result.OK, true},
		"both":               {func(b *bench) { elsewhere(b); b.res.Devices[0].Software = true }, 1.2, result.OK, false},
	} {
		b := roofed(t)
		x.change(b)
		b.with("a/x", 1/x.share, 100, 1, 0)
		r, got := shareOf(t, b.res, "a/x")
		if r.Status != x.status || hasCode(r.Warnings, "above-roof") != x.warned || got == nil {
			t.Errorf("%s: %s %s %v", name, r.Status, r.Reason, r.Warnings)
			continue
		}
		near(t, name, got.Value, x.share, 1e-3)
		if x.status == result.AbovePeak && !strings.Contains(r.Reason, "fp32") {
			t.Errorf("%s: %s", name, r.Reason)
		}
	}
}

// elsewhere moves what the rows measured to another result.
func elsewhere(b *bench) {
	then := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for i, roofs := range Roofs(b.res) {
		for k := range roofs {
			roofs[k].Elsewhere = &then
		}
		b.res.Devices[i].Roofs = roofs
	}
	b.res.Trials = nil
}
