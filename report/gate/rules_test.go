package gate

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// The example of the documentation.
const example = `
threshold: 5%
rows:
  - workload: linalg/matmul
    mode: strong
    count: 4
    min_efficiency: 0.85          # on the interval
    rate: {min: 180e12, max: 280e12}
  - workload: "pinn/*"
    required: true
`

func TestReadRules(t *testing.T) {
	r := rules(t, example)
	if r.Threshold != 0.05 || len(r.Rows) != 2 || *r.Rows[0].Efficiency.Min != 0.85 || *r.Rows[0].Rate.Max != 280e12 || !r.Rows[1].Required {
		t.Errorf("%+v", r)
	}
	id := identity{Key: result.Key{Workload: "linalg/matmul", Mode: "strong"}, count: 4, device: -1}
	if !r.Rows[0].matches(id) || r.Rows[1].matches(id) {
		t.Error("matches the wrong row")
	}
	id.Mode = "weak"
	if r.Rows[0].matches(id) {
		t.Error("matches another mode")
	}
}

// A limit on a quotient may be written in percent, one in base units may not.
func TestShares(t *testing.T) {
	r := rules(t, `rows: [{workload: a, min_efficiency: 85%, max_efficiency: 105 %, handing: {max: 5%}, exchange: {max: 0.1}, bandwidth: {min: 60%}, failures: {max: 0.1%}, speedup: {min: 1.8}}]`).Rows[0]
	for name, have := range map[string][2]float64{
		"min_efficiency": {*r.Efficiency.Min, 0.85}, "max_efficiency": {*r.Efficiency.Max, 1.05}, "handing": {*r.Measures["handing"].Max, 0.05},
		"exchange": {*r.Measures["exchange"].Max, 0.1}, "bandwidth": {*r.Measures["bandwidth"].Min, 0.6}, "failures": {*r.Measures["failures"].Max, 0.001},
	} {
		if have[0] != have[1] {
			t.Errorf("%s: %g, want %g", name, have[0], have[1])
		}
	}
}

func TestBadRules(t *testing.T) {
	for text, says := range map[string]string{
		"":             "empty",
		"# nothing":    "empty",
		"treshold: 5%": `line 1: unknown name "treshold": did you mean threshold?`,
		"rows: [{workload: a, min_eficiency: 1}]":                       "did you mean min_efficiency?",
		"rows: [{workload: a, rate: {mim: 1}}]":                         "did you mean min?",
		"threshold: 5%\nthreshold: 6%":                                  "line 2: threshold: already stated in line 1",
		"threshold: 0":                                                  "fraction between 0 and 1",
		"threshold: 150%":                                               "fraction between 0 and 1",
		"threshold: {a: b}":                                             "fraction between 0 and 1",
		"threshold: 5%\n---\nthreshold: 5%":                             "second document",
		"- a":                                                           "expected `name: value`",
		"rows: 3":                                                       "expected a list",
		"rows: [3]":                                                     "expected `name: value`",
		"rows: [{count: 1, required: true}]":                            "without workload",
		"rows: [{workload: a}]":                                         "states nothing",
		"rows: [{workload: '[', required: true}]":                       "pattern",
		"rows: [{workload: a, required: perhaps}]":                      "true or false",
		"rows: [{workload: a, count: 0, required: true}]":               "above 0",
		"rows: [{workload: a, device: x, required: true}]":              "index of a device",
		"rows: [{workload: a, mode: [b], required: true}]":              "plain value",
		"rows: [{workload: a, rate: {}}]":                               "min, max or both",
		"rows: [{workload: a, rate: 3}]":                                "expected `name: value`",
		"rows: [{workload: a, rate: {min: .nan}}]":                      "base units",
		"rows: [{workload: a, rate: {min: -1}}]":                        "base units",
		"rows: [{workload: a, rate: {min: 5%}}]":                        "base units",
		"rows: [{workload: a, time: {max: 5%}}]":                        "base units",
		"rows: [{workload: a, speedup: {min: 180%}}]":                   "base units",
		"rows: [{workload: a, handing: {max: five}}]":                   `"five": use a share such as 5% or 0.05`,
		"rows: [{workload: a, min_efficiency: -5%}]":                    "use a share",
		"rows: [{workload: a, min_efficiency: '%'}]":                    "use a share",
		"rows: [{workload: a, time: {min: 3, max: 2}}]":                 "the minimum 3 is above the maximum 2",
		"rows: [{workload: a, min_efficiency: 1, max_efficiency: 0.5}]": "above the maximum",
		"metrics: [rate]":                                               "use time, efficiency",
		"metrics: time":                                                 "expected a list",
		"a: [":                                                          "yaml",
	} {
		if _, err := ReadRules(strings.NewReader(text)); !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v; want %q", text, err, says)
		}
	}
}

func FuzzRules(f *testing.F) {
	f.Add(example)
	f.Add("rows: [{workload: '*/*', rate_per_gpu: {max: 1e9}, time: {min: 1}, device: 0, threshold: 0.1}]")
	f.Add("metrics: [efficiency]\npoints: 2%\n")
	f.Add(marks)
	f.Add("rows: &a [{workload: x, required: true}]\nthreshold: *a")
	fresh := made(2, as, "linalg/matmul")
	base := made(1, as, "linalg/matmul")
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := ReadRules(strings.NewReader(text))
		if err != nil {
			if !errors.Is(err, ErrRequest) {
				t.Fatal(err)
			}
			return
		}
		for _, bases := range [][]*result.Result{nil, one(base)} {
			r, err := Run(bases, fresh, Options{Rules: parsed})
			if errors.Is(err, ErrRequest) {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			for _, format := range Formats() {
				if _, err := Render(r, format); err != nil {
					t.Fatal(format, err)
				}
			}
		}
	})
}

// Whatever a readable result holds, the gate gives verdicts that can be printed.
func FuzzResults(f *testing.F) {
	for _, res := range []*result.Result{made(1, as, "a/b"), made(2, slower(1e30), "a/b", "c/d")} {
		// Short seeds: mutation of long ones finds little.
		res.Trials, res.Devices = res.Trials[6:8], res.Devices[:2]
		edit(res, func(x *result.Trial) { x.Samples, x.Times = x.Samples[:2], result.TimesOf(x.Times.At(0)) })
		raw, err := json.Marshal(res)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(raw))
	}
	other := made(3, as, "a/b")
	r := rules(f, `rows: [{workload: "*/*", rate: {min: 1}, time: {max: 1}, min_efficiency: 0.5, rate_per_gpu: {min: 1}}]`)
	f.Fuzz(func(t *testing.T, text string) {
		res, err := result.Decode(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, bases := range [][]*result.Result{one(other), {other, res}, nil} {
			report, err := Run(bases, res, Options{Rules: r})
			if errors.Is(err, ErrRequest) {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			for _, format := range Formats() {
				if _, err := Render(report, format); err != nil {
					t.Fatal(format, err)
				}
			}
		}
		h, err := Trace([]*result.Result{other, res}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := RenderHistory(h, "json"); err != nil {
			t.Fatal(err)
		}
	})
}

// The example in the documentation is read as it stands, and its reasons exist.
func TestDocumentedRules(t *testing.T) {
	raw, err := os.ReadFile("../../docs/gate.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "```yaml\n")
	text, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("no example")
	}
	if r := rules(t, text); len(r.Rows) != 4 || len(r.Metrics) != 2 || r.Points != 0.03 || *r.Rows[0].RatePerGPU.Min != 45e12 {
		t.Errorf("%+v", r)
	}
	for _, code := range []string{"too_few_launches", "min_p_unattainable", "noisy", "near_threshold", "bimodal", "not_steady", "invalid_samples", "above_peak", "near_limit", "no_limit", "no_value", "no_device_times", "unverified"} {
		if !strings.Contains(string(raw), "`"+code+"`") {
			t.Errorf("the reason %s is not explained", code)
		}
	}
}
