package stat

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// TestFactorsMultiply: the table's parts give its totals, and its global efficiency
// over that of the base row is the efficiency (A1), for strong and weak scaling, a
// base of one and of two devices, with and without phases.
func TestFactorsMultiply(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for trial := range 200 {
		strong, n0 := trial%2 == 0, 1+trial/2%2
		b := newBench("default", 1, 1, 1, 1)
		mode := map[bool]string{true: "strong", false: "weak"}[strong]
		random := func(n int) phases {
			var p phases
			for range 3 {
				u, c := make([]float64, n), make([]float64, n)
				for i := range n {
					u[i], c[i] = .1+r.Float64(), .2*r.Float64()
				}
				p.compute, p.transfer = append(p.compute, u), append(p.transfer, c)
			}
			return p
		}
		for block := range 7 {
			random(n0).time(b.add(mode, block, 1, 1000, []int{0, 1}[:n0]...), .3*r.Float64())
			work := 1000.0
			if !strong {
				work = 1000 * 4 / float64(n0) * .97 // sizes rarely divide exactly
			}
			random(4).time(b.add(mode, block, 1, work, 0, 1, 2, 3), .3*r.Float64())
		}
		if trial%5 == 0 { // phases that overlap: the form of TALP
			for i := range b.res.Trials {
				edit(&b.res.Trials[i], func(_ int, s *result.SampleTimes) { s.Device *= 3 })
			}
		}
		base, row := b.row(t, mode, n0), b.row(t, mode, 4)
		f := row.Factors
		if f == nil || base.Factors == nil || row.Lost == nil {
			t.Fatalf("no factors: %v", row.Warnings)
		}
		serial := 1.0
		if f.Serialization != nil {
			serial = f.Serialization.Value
		}
		if (f.Serialization == nil) != (trial%5 == 0) {
			t.Fatal("the form with phases is used without them, or not with them")
		}
		near(t, "parallel", f.LoadBalance.Value*serial*f.Transfer.Value*f.Orchestration.Value, f.Parallel.Value, 1e-12)
		near(t, "computation", f.Rate.Value, f.Computation.Value, 1e-12)
		near(t, "global", f.Parallel.Value*f.Computation.Value, f.Global.Value, 1e-12)
		near(t, "base computation", base.Factors.Computation.Value, 1, 0)
		// The mean times of the same launches, by hand.
		mean := map[int]float64{}
		for _, tr := range b.res.Trials {
			for _, s := range tr.Samples {
				mean[tr.Count] += s / float64(7*len(tr.Samples))
			}
		}
		work := 1.0
		if !strong {
			work = 4 / float64(n0) * .97
		}
		e := work * mean[n0] / mean[4] * float64(n0) / 4
		near(t, "GE over GE of the base", f.Global.Value/base.Factors.Global.Value, e, 1e-9)
		sum := *row.Lost.Imbalance + *row.Lost.Transfer + *row.Lost.Orchestration + *row.Lost.Rate
		if row.Lost.Serialization != nil {
			sum += *row.Lost.Serialization
		}
		near(t, "losses", sum, 1-e, 1e-9)
		for _, v := range []*result.Value{f.LoadBalance, f.Transfer, f.Orchestration, f.Parallel, f.Computation, f.Global} {
			if v.Low == nil || *v.Low > v.Value*(1+1e-12) || *v.High < v.Value*(1-1e-12) {
				t.Errorf("no interval around %+v", v)
			}
		}
		for _, v := range []*result.Value{f.LoadBalance, f.Serialization, f.Transfer, f.Orchestration} {
			if v != nil && v.Value > 1+1e-6 {
				t.Errorf("a parallel factor above 1: %g", v.Value)
			}
		}
		if f.Clock != nil || f.HiddenTransfer != nil {
			t.Error("what was not measured is named")
		}
	}
}

// TestFactorIntervalsCover: the bootstrap intervals of known factors hold them, from
// few launches a little less often than they claim.
func TestFactorIntervalsCover(t *testing.T) {
	for launches, least := range map[int]float64{5: .88, 7: .9, 10: .915} {
		r := rand.New(rand.NewPCG(4, uint64(launches)))
		const runs = 400
		var balance, host, computing float64
		for range runs {
			b := newBench("default", 1, 1)
			for block := range launches {
				phases{compute: [][]float64{{1 + .02*r.NormFloat64()}}}.time(b.add("strong", block, 1, 1000, block%2), .02*math.Exp(.3*r.NormFloat64()))
				slow := .5 + .02*r.NormFloat64()
				phases{compute: [][]float64{{slow, .4}}}.time(b.add("strong", block, 1, 1000, 0, 1), .05+.01*r.NormFloat64())
			}
			f := b.row(t, "strong", 2).Factors
			count := func(v *result.Value, want float64, hits *float64) {
				if *v.Low <= want && want <= *v.High {
					*hits += 1. / runs
				}
			}
			count(f.LoadBalance, .9, &balance)
			count(f.Orchestration, .5/.55, &host)
			count(f.Computation, 1/.9, &computing)
		}
		t.Logf("%d launches: load balance %.3f, orchestration %.3f, computation %.3f", launches, balance, host, computing)
		if min(balance, host, computing) < least {
			t.Errorf("%d launches: one covers less than %.3f", launches, least)
		}
	}
}

func TestFewLaunchesGiveFactorsWithoutInterval(t *testing.T) {
	b := newBench("default", 1, 1)
	for block := range 4 {
		phases{compute: [][]float64{{1}}}.time(b.add("strong", block, 1, 1000, 0), .02)
		phases{compute: [][]float64{{.5, .5}}}.time(b.add("strong", block, 1, 1000, 0, 1), .02)
	}
	if f := b.row(t, "strong", 2).Factors; f == nil || f.Global.Low != nil {
		t.Errorf("%+v", f)
	}
}

func TestHiddenTransfer(t *testing.T) {
	b := team(phases{compute: [][]float64{{.5, .5}}, transfer: [][]float64{{.1, .1}}}, .01)
	for i := range b.res.Trials {
		if tr := &b.res.Trials[i]; tr.Count == 2 {
			tr.Spans = []result.Span{{Device: 0, Kind: "compute", Start: 0, End: 6}, {Device: 0, Kind: "transfer", Start: 5, End: 8},
				{Device: 0, Kind: "transfer", Start: 4, End: 5.5}, {Device: 1, Kind: "compute", Start: 0, End: 10}, {Device: 0, Kind: "wait", Start: 0, End: 99}}
		}
	}
	f := b.row(t, "strong", 2).Factors
	if f == nil || f.HiddenTransfer == nil {
		t.Fatal("hidden transfer is not known")
	}
	near(t, "hidden", *f.HiddenTransfer, 2.0/10/2, 1e-12) // 4..6 of 10 on one of two
}

// TestSlowDevice: one of four equal cards is 8 % slower.
func TestSlowDevice(t *testing.T) {
	for _, mode := range []string{"solo", "strong"} {
		b := newBench("default", 1, 1, 1, 1)
		b.res.Devices[2].PCI = "0000:41:00.0"
		for block := range 7 {
			for d := range 4 {
				seconds := 1.0
				if d == 2 {
					seconds = 1 / .92
				}
				b.add(mode, block, seconds, 1000, d)
			}
			b.add("strong", block, .25, 1000, 0, 1, 2, 3)
		}
		Fill(b.res)
		Fill(b.res) // once, however often
		var texts []string
		for _, w := range b.res.Warnings {
			if w.Code == "slow-device" {
				texts = append(texts, w.Text)
			}
		}
		if len(texts) != 1 || !strings.Contains(texts[0], "device 2 (GPU, PCI 0000:41:00.0)") ||
			!strings.Contains(texts[0], "% below the median of 4 on a/b") || !strings.Contains(texts[0], " 8.") && !strings.Contains(texts[0], " 7.") {
			t.Errorf("%s: %q", mode, texts)
		}
	}
}

func TestNoSlowDevice(t *testing.T) {
	for name, edit := range map[string]func(*bench){
		"within 5 %":    func(b *bench) { b.rates[2] = .97 },
		"another model": func(b *bench) { b.rates[2] = .5; b.res.Devices[2].Name = "other" },
		"one launch":    func(b *bench) { b.rates[2] = .5; b.noise = 0 },
	} {
		b := newBench("default", 1, 1, 1, 1)
		edit(b)
		launches := 7
		if name == "one launch" {
			launches = 1
		}
		for block := range launches {
			for d := range 4 {
				b.add("solo", block, 1/b.rates[d], 1000, d)
			}
		}
		if _, _, warnings := Summary(b.res); hasCode(warnings, "slow-device") {
			t.Errorf("%s: %v", name, warnings)
		}
	}
}

// TestAbovePeak: a rate that the devices cannot reach keeps out of the laws.
func TestAbovePeak(t *testing.T) {
	for _, kind := range []string{"bytes", "flops"} {
		b := newBench("default", make([]float64, 8)...)
		for i := range b.res.Devices {
			b.res.Devices[i].Peak = &result.Peak{BytesPerSecond: 1100, Flops: 1100}
		}
		for block := range 7 {
			for _, n := range []int{1, 2, 4, 8} {
				devices := devicesOf(n)
				seconds := 1 / float64(n)
				if n == 4 {
					seconds = 1 / 4.9
				}
				tr := b.add("strong", block, seconds, 1000, devices...)
				if kind == "bytes" {
					tr.Bytes = 1000
				} else {
					tr.Flops = 1000
				}
			}
		}
		rows, laws, _ := Summary(b.res)
		for _, r := range rows {
			if (r.Status == result.AbovePeak) != (r.Count == 4) {
				t.Errorf("%s, N=%d: %s %s", kind, r.Count, r.Status, r.Reason)
			}
		}
		l := laws[0]
		if len(l.Counts) != 3 || len(l.KarpFlatt) != 2 || !hasCode(l.Warnings, "above-peak") {
			t.Errorf("%s: the laws use it: %+v", kind, l)
		}
	}
}

func devicesOf(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestPeakOfOtherArithmetic: matrix units and bytes are not held against the peak of fp32.
func TestPeakOfOtherArithmetic(t *testing.T) {
	for kind, want := range map[string]string{"": result.AbovePeak, "fp32": result.AbovePeak, "fp16 matrix": result.OK, "int8-dot": result.OK, result.NoArithmetic: result.OK} {
		b := newBench("default", 1000)
		b.res.Devices[0].Peak = &result.Peak{Flops: 500}
		for block := range 3 {
			tr := b.add("solo", block, 1, 1000, 0)
			tr.Flops, tr.Arithmetic = 1000, kind
		}
		if r := b.row(t, "solo", 1); r.Status != want {
			t.Errorf("%q: %s %s", kind, r.Status, r.Reason)
		}
	}
}

// TestSuperlinearOverTwo: relative to a base of two it is flagged as well.
func TestSuperlinearOverTwo(t *testing.T) {
	b := newBench("default", 1, 1, 1, 1)
	for block := range 7 {
		b.add("strong", block, 1, 1000, 0, 1)
		b.add("strong", block, .4, 1000, 0, 1, 2, 3)
	}
	if r := b.row(t, "strong", 4); !hasCode(r.Warnings, "superlinear") {
		t.Errorf("%v", r.Warnings)
	}
}

func TestSuperlinearNamesTheCache(t *testing.T) {
	for cache, want := range map[int64]string{0: "size of the cache not known", 60e6: "fits the cache of 60 MB only when divided",
		10e6: "neither fits", 500e6: "both fit"} {
		b := newBench("default", 1, 1)
		b.res.Devices[0].Cache, b.res.Devices[1].Cache = cache, cache
		for block := range 7 {
			b.add("strong", block, 1, 1000, 0).Bytes = 100e6
			b.add("strong", block, .4, 1000, 0, 1).Bytes = 100e6
		}
		r := b.row(t, "strong", 2)
		text := ""
		for _, w := range r.Warnings {
			if w.Code == "superlinear" {
				text = w.Text
			}
		}
		if !strings.Contains(text, want) || !strings.Contains(text, "about 50 MB against 100 MB on 1 (") {
			t.Errorf("cache %d: %q", cache, text)
		}
	}
}

// TestIdentityTolerance: the self-check notices what exceeds 1e-9 (A1).
func TestIdentityTolerance(t *testing.T) {
	for _, c := range []struct {
		product, efficiency float64
		holds               bool
	}{{.9, .9 + 5e-10, true}, {.9, .9 + 2e-9, false}, {.9, .9 - 2e-9, false}, {100, 100 + 5e-8, true}, {math.NaN(), .9, false}, {.9, math.NaN(), false}} {
		if identical(c.product, c.efficiency) != c.holds {
			t.Errorf("%v and %v: %v", c.product, c.efficiency, !c.holds)
		}
	}
}

// TestIdentityAtAnyMagnitude: the self-check (A1) is arithmetic, so it holds for
// whatever times and work a file may hold.
func TestIdentityAtAnyMagnitude(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	any36 := func() float64 { return math.Pow(10, 60*r.Float64()-30) }
	attributed := 0
	for range 3000 {
		b := newBench("default", 1, 1)
		for block := range 2 {
			for _, n := range []int{1, 2} {
				tr := b.add("strong", block, 1, any36(), devicesOf(n)...)
				compute, transfer := make([]float64, n), make([]float64, n)
				critical, device := 0.0, 0.0
				for i := range n {
					compute[i], transfer[i] = any36(), any36()
					critical, device = max(critical, compute[i]), max(device, compute[i]+transfer[i])
				}
				tr.Samples = []float64{device * (1 + r.Float64())}
				tr.Times = result.TimesOf(result.SampleTimes{Compute: compute, Transfer: transfer, Critical: critical, Device: device})
			}
		}
		row := b.row(t, "strong", 2)
		if hasCode(row.Warnings, IdentityBroken) {
			t.Fatalf("%+v", row.Warnings)
		}
		if row.Lost != nil {
			attributed++
		}
	}
	if attributed < 2900 {
		t.Errorf("only %d were attributed", attributed)
	}
}
