package html_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/html"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// TestDrawnWhenThere: each figure stands there when the result holds its data, with
// its values, and not otherwise.
func TestDrawnWhenThere(t *testing.T) {
	with, without := render(t, rich(t, "")), render(t, load(t, "scaling"))
	for _, want := range []string{">Timeline</h3>", "strong, 8 GPUs: the median sample of launch", "GPU 0: compute tile, ", ">Links between the devices</h2>", `data-says="GPU 2 to GPU 5: 110 GB/s`,
		"Latency in µs", ">Roofline</h2>", "fp16 matrix: 980 TFLOP/s (nominal)", ">Sensors</h2>", "GPU 3, clock held down from 12 s to 14.5 s: power-cap", "Temperature during the run.",
		"Comodulogram: modulation index (Tort), largest 0.0316 where the phase at 6\u00a0Hz drives the amplitude at 80\u00a0Hz. Signal: channel 3.", "Training curve.", " error 0.0123 (every row). none not a number (every row).", "total, strong, 8 GPUs, step 0: 2.3"} {
		if !strings.Contains(with, want) {
			t.Errorf("%q is not drawn", want)
		}
		if strings.Contains(without, want) {
			t.Errorf("%q is drawn without its data", want)
		}
	}
	if text, _, _ := strings.Cut(dataLinks.ReplaceAllString(with, ""), "<script>"); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Error("a number that is none")
	}
	for _, name := range []string{"quick", "scaling", "solo", "unequal"} {
		text := render(t, load(t, name))
		if !strings.Contains(text, `id="method"`) || !strings.Contains(text, ">Glossary</h2>") || !strings.Contains(text, "serial fraction (Karp-Flatt)") {
			t.Errorf("%s: no method or no glossary", name)
		}
	}
}

// TestCriticalPathIsMarked: beside the timeline stands what its end waited for, and the
// spans of that are outlined and say so.
func TestCriticalPathIsMarked(t *testing.T) {
	res := load(t, "scaling")
	var keep []result.Trial
	for _, tr := range res.Trials {
		if tr.Workload == "linalg/matmul" && tr.Mode == "strong" && tr.Count == 2 && len(tr.Samples) > 0 && len(keep) == 0 {
			tr.Spans = []result.Span{
				{Kind: "host", Label: "start", Start: 0, End: 1e-3}, {Kind: "compute", Start: 1e-3, End: 3e-3}, {Kind: "wait", Start: 3e-3, End: 9e-3}, {Kind: "host", Label: "end", Start: 9e-3, End: 10e-3},
				{Device: 1, Kind: "host", Label: "start", Start: 0, End: 2e-3}, {Device: 1, Kind: "compute", Start: 2e-3, End: 9e-3}, {Device: 1, Kind: "host", Label: "end", Start: 9e-3, End: 10e-3},
			}
			for i := range tr.Spans {
				tr.Spans[i].Device = tr.Devices[tr.Spans[i].Device]
			}
			keep = append(keep, tr)
		}
	}
	if len(keep) == 0 {
		t.Fatal("no launch on two devices")
	}
	res.Trials = keep
	text, slow, other := render(t, res), keep[0].Devices[1], keep[0].Devices[0]
	for _, want := range []string{
		fmt.Sprintf("critical path, N=2: compute 70.0 %% (GPU %d), host 30.0 %%; bottleneck: compute of GPU %d, for which the others wait 60 %% of the time", slow, slow),
		fmt.Sprintf("The critical path is outlined. Its bottleneck, 70.0\u00a0%% of it: compute of GPU %d, for which the others wait 60 %% of the time.", slow),
		">on the critical path</li>", fmt.Sprintf("GPU %d: wait, ", other),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not there", want)
		}
	}
	// What is outlined says it, what is not does not.
	rects := regexp.MustCompile(`<rect [^>]*class="(\w+)( on)?"><title>([^<]*)</title>`).FindAllStringSubmatch(text, -1)
	on := map[string]int{}
	for _, r := range rects {
		if (r[2] != "") != strings.Contains(r[3], "; critical path") {
			t.Errorf("%q", r)
		}
		if r[2] != "" {
			on[strings.Fields(r[3])[1]+" "+r[1]]++
		}
	}
	if want := (map[string]int{fmt.Sprintf("%d: compute", slow): 1, fmt.Sprintf("%d: host", slow): 1, fmt.Sprintf("%d: host", other): 1}); len(rects) != 7 || !maps.Equal(on, want) {
		t.Errorf("%d rectangles, outlined: %v, want %v", len(rects), on, want)
	}
}

// TestNominalLinks: where no bandwidth was measured the map shows what the wires allow.
func TestNominalLinks(t *testing.T) {
	res := load(t, "quick")
	res.Links = []result.Link{{From: 0, To: 1, Kind: "NV18", NVLink: &result.NVLink{Links: 18, Bandwidth: 4.5e11}}, {From: 1, To: 0, Kind: "PHB", PCIe: &result.PCIeLink{Generation: 5, Width: 16, Bandwidth: 6.3e10}}}
	text := render(t, res)
	for _, want := range []string{"Bandwidth one way in GB/s that the wiring allows", `data-says="GPU 0 to GPU 1: 450 GB/s; NV18"`, "PHB PCIe 5.0 x16"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not there", want)
		}
	}
}

// TestOddFigures: data that no drawing can hold leaves the page whole.
func TestOddFigures(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	for name, change := range map[string]func(*result.Result){
		"empty telemetry": func(r *result.Result) { r.Telemetry = &result.Telemetry{} },
		"no readings": func(r *result.Result) {
			r.Telemetry = &result.Telemetry{Devices: []result.Track{{Index: -3, Seconds: []float64{0}, Values: map[string][]*float64{"power": {nil, f(3)}}}}}
		},
		"huge readings": func(r *result.Result) {
			r.Telemetry = &result.Telemetry{Devices: []result.Track{{Seconds: []float64{0, 1e300, 2}, Values: map[string][]*float64{"sm_clock": {f(1e300), f(-1e300), f(1e9)}}, Throttle: []result.Throttling{{Start: -1e308, End: 1e308}}}}}
		},
		"links of nothing":  func(r *result.Result) { r.Links = []result.Link{{From: 99, To: -1}} },
		"huge link":         func(r *result.Result) { r.Links = []result.Link{{From: 0, To: 1, Bandwidth: f(1e308), Latency: f(-1)}} },
		"span of no device": func(r *result.Result) { r.Trials[0].Spans = []result.Span{{Device: 77, Kind: "odd", Start: 3, End: 1}} },
		"span of no length": func(r *result.Result) { r.Trials[0].Spans = []result.Span{{Kind: "compute", Start: 3, End: 3}} },
		"odd roofs": func(r *result.Result) {
			r.Devices[0].Roofs = []result.Roof{{Unit: "flop/s", Value: 1e308}, {Unit: "B/s", Value: 1e-300}, {Unit: "x"}}
		},
		"axis does not rise": func(r *result.Result) {
			r.Trials[0].Outcome = &result.Outcome{Comodulogram: &result.Comodulogram{Phase: []float64{2, 2}, Amplitude: []float64{1}, Values: [][]*float64{{f(1), f(1)}}}}
		},
		"one cell": func(r *result.Result) {
			r.Trials[0].Outcome = &result.Outcome{Comodulogram: &result.Comodulogram{Phase: []float64{2}, Amplitude: []float64{50}, Values: [][]*float64{{f(0)}, {f(1), f(2)}}}}
		},
		"ragged": func(r *result.Result) {
			r.Trials[0].Outcome = &result.Outcome{Comodulogram: &result.Comodulogram{Phase: []float64{2, 4}, Amplitude: []float64{50, 60}, Values: [][]*float64{{f(-1)}}}}
		},
		"no loss": func(r *result.Result) {
			r.Trials[0].Outcome = &result.Outcome{Training: &result.Training{Steps: []int64{1}, Losses: []result.Loss{{Name: "x"}}}}
		},
		"loss below 0": func(r *result.Result) {
			r.Trials[0].Outcome = &result.Outcome{Training: &result.Training{Steps: []int64{1, 2}, Losses: []result.Loss{{Values: []*float64{f(-1), f(0)}}}}}
		},
		"same loss": func(r *result.Result) {
			r.Trials[0].Outcome = &result.Outcome{Training: &result.Training{Steps: []int64{math.MaxInt64}, Losses: []result.Loss{{Values: []*float64{f(2)}}}}}
		},
	} {
		res := load(t, "quick")
		change(res)
		text, _, _ := strings.Cut(dataLinks.ReplaceAllString(render(t, res), ""), "<script>")
		for _, bad := range []string{"NaN", "Inf", "%!"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s: the page contains %s", name, bad)
			}
		}
		if !strings.Contains(text, `id="glossary"`) {
			t.Errorf("%s: the page is not whole", name)
		}
	}
}

// many is a result of n workloads at four counts, strong and weak, as large as the
// preset for a result that others will look at makes it.
func many(t testing.TB, workloads, launches, samples int) *result.Result {
	t.Helper()
	base, err := result.Read("../testdata/scaling.json")
	if err != nil {
		t.Fatal(err)
	}
	out := *base
	out.Trials = nil
	for w := range workloads {
		for l := range launches {
			for _, tr := range base.Trials {
				if tr.Block != l%7 || tr.Workload != "linalg/matmul" {
					continue
				}
				tr.Workload, tr.Block, tr.Launch = "family/workload"+string(rune('a'+w%26))+strings.Repeat("x", w/26), l, l
				factor := 1 + float64((w*31+l*17)%97)/9700
				var xs []float64
				var times []result.SampleTimes
				for k := range samples {
					s := tr.Times.At(k % tr.Times.Len())
					jitter := factor * (1 + float64((k*7919+l*104729+w)%1000)/1e5)
					nano := func(v float64) float64 { return math.Round(v*jitter*1e9*7) / 1e9 / 7 } // of seven iterations
					copied := result.SampleTimes{Critical: nano(s.Critical), Device: nano(s.Device)}
					for i := range s.Compute {
						copied.Compute = append(copied.Compute, nano(s.Compute[i]))
						copied.Transfer = append(copied.Transfer, nano(s.Transfer[i]))
					}
					times = append(times, copied)
					xs = append(xs, nano(tr.Samples[k%len(tr.Samples)]))
				}
				tr.Samples, tr.Times = xs, result.TimesOf(times...)
				tr.Spans = spans(&tr, "")
				out.Trials = append(out.Trials, tr)
			}
		}
	}
	return &out
}

// TestSize: ten workloads at four counts in both modes, with links and readings of
// sensors, are less than 2 MB, with as many samples as a launch has at most.
func TestSize(t *testing.T) {
	with := rich(t, "")
	for _, samples := range []int{12, 200} {
		res := many(t, 10, 7, samples)
		res.Devices, res.Links, res.Telemetry = with.Devices, with.Links, with.Telemetry
		text := render(t, res)
		t.Logf("%d trials of %d samples: %d bytes, of these %d of raw data", len(res.Trials), samples, len(text), len(text)-len(dataLinks.ReplaceAllString(text, "")))
		if len(text) >= 2e6 {
			t.Errorf("%d bytes", len(text))
		}
		if left := strings.Contains(text, "left out because the page would be too large"); left != (samples == 200) {
			t.Errorf("%d samples: left out %t", samples, left)
		}
	}
}

// BenchmarkPage writes the page of 10,000 trials.
func BenchmarkPage(b *testing.B) {
	res := many(b, 180, 7, 12)
	rows, laws, warnings := stat.Summary(res)
	b.ReportMetric(float64(len(res.Trials)), "trials")
	for b.Loop() {
		if err := html.Page(io.Discard, res, rows, laws, warnings); err != nil {
			b.Fatal(err)
		}
	}
	var page bytes.Buffer
	if err := html.Page(&page, res, rows, laws, warnings); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(page.Len()), "bytes")
}
