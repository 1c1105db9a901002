package gate

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/report/result"
)

var update = flag.Bool("update", false, "rewrite golden files")

// made is a result of some workloads on one and two devices; at scales the time
// of a row, by workload and count.
func made(day int, at func(workload string, count int) float64, workloads ...string) *result.Result {
	res := &result.Result{Schema: result.Schema, Created: time.Date(2026, 11, day, 9, 0, 0, 0, time.UTC),
		Tool: result.Tool{Name: "amgpu", Version: "0.1.0", Commit: fmt.Sprintf("c%d", day)}, Fingerprint: "f0",
		Host: result.Host{OS: "linux", Arch: "amd64", Kernel: "6.12", CPU: "Example CPU", Cores: 8, Loader: "1.4"},
		Plan: result.Plan{Seed: 7, Preset: "default", Launches: 7, Subsets: "first"}}
	for i := range 2 {
		res.Devices = append(res.Devices, result.Device{Index: i, Name: "Example GPU", UUID: fmt.Sprint(i), Driver: "Example 580.159.04", API: "1.4.303", VendorID: 0x10de, DeviceID: 0x2330})
	}
	for _, w := range workloads {
		for count := 1; count <= 2; count++ {
			for launch := range 7 {
				seconds := 0.01 / float64(count) * at(w, count) * (1 + 0.002*float64((launch*3+day*5+count*2)%7-3)/3)
				t := result.Trial{Key: result.Key{Workload: w, Mode: "strong", Size: result.Size{Label: "L", N: 1 << 20}, Strategy: "equal", Residency: "resident", Cache: "hot"},
					Count: count, Launch: launch, Block: launch, Status: result.OK, Verified: true, Total: 1 << 20, Digest: "00aa",
					Check: &result.Check{Class: "E2"}, Work: result.Work{Value: 1e9, Unit: "flop"}, Warmup: result.Warmup{Samples: 8, Steady: true}}
				for d := range count {
					t.Devices, t.Shares = append(t.Devices, d), append(t.Shares, 1<<20/int64(count))
				}
				var times []result.SampleTimes
				for i := range 5 {
					t.Samples = append(t.Samples, seconds*(1+0.001*float64(i-2)))
					x := result.SampleTimes{}
					for range count {
						x.Compute, x.Transfer = append(x.Compute, 0.95*seconds), append(x.Transfer, 0)
					}
					times = append(times, x)
				}
				t.Times = result.TimesOf(times...)
				res.Trials = append(res.Trials, t)
			}
		}
	}
	return res
}

func as(string, int) float64 { return 1 }

func slower(by float64) func(string, int) float64 {
	return func(string, int) float64 { return by }
}

func edit(res *result.Result, change func(t *result.Trial)) *result.Result {
	for i := range res.Trials {
		change(&res.Trials[i])
	}
	return res
}

func run(t *testing.T, base []*result.Result, fresh *result.Result, o Options) *Report {
	t.Helper()
	r, err := Run(base, fresh, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func one(res *result.Result) []*result.Result { return []*result.Result{res} }

func TestVerdictsAndExitCodes(t *testing.T) {
	const w = "linalg/matmul"
	status := func(s string) func(*result.Trial) {
		return func(x *result.Trial) {
			if x.Count == 2 && x.Launch == 3 {
				x.Status, x.Reason = s, "because"
			}
		}
	}
	other := func(change func(*result.Result)) *result.Result {
		res := made(2, as, w)
		change(res)
		return res
	}
	noisy := func(r *result.Result) *result.Result {
		r.Noise = &result.Noise{Phi: 0.1}
		return r
	}
	unstable := func(x *result.Trial) { x.Warmup.Steady = x.Launch > 2 }
	for name, c := range map[string]struct {
		base, fresh *result.Result
		o           Options
		exit        int
		verdict     Verdict
		says        string
	}{
		"same":              {made(1, as, w), made(2, as, w), Options{}, 0, Same, ""},
		"slower":            {made(1, as, w), made(2, slower(1.08), w), Options{}, 1, Regressed, ""},
		"within threshold":  {made(1, as, w), made(2, slower(1.08), w), Options{Threshold: 0.1}, 0, Same, ""},
		"faster":            {made(1, as, w), made(2, slower(0.9), w), Options{}, 0, Improved, ""},
		"at the threshold":  {made(1, as, w), made(2, slower(1.0485), w), Options{}, 0, Inconclusive, "near_threshold"},
		"strict":            {made(1, as, w), made(2, slower(1.0485), w), Options{Strict: true}, 3, Inconclusive, "near_threshold"},
		"vanished":          {made(1, as, w, "memory/triad"), made(2, as, w), Options{}, 5, Missing, "vanished"},
		"new row":           {made(1, as, w), made(2, as, w, "memory/triad"), Options{}, 5, Missing, "no_baseline"},
		"allowed":           {made(1, as, w, "memory/triad"), made(2, as, w), Options{AllowMissing: true}, 0, Same, ""},
		"nothing in common": {made(1, as, "memory/triad"), made(2, as, w), Options{AllowMissing: true}, 5, Missing, ""},
		"wrong":             {made(1, as, w), edit(made(2, slower(1.2), w), status(result.WrongResult)), Options{}, 6, WrongResult, "because"},
		"wrong before":      {edit(made(1, as, w), status(result.WrongResult)), made(2, as, w), Options{}, 6, WrongResult, "because"},
		"lost":              {made(1, as, w, "memory/triad"), edit(made(2, as, w), status(result.DeviceLost)), Options{}, 7, DeviceLost, "because"},
		"degraded":          {made(1, as, w, "memory/triad"), edit(made(2, as, w), status(result.Degraded)), Options{}, 7, DeviceLost, "because"},
		"driver":            {made(1, as, w), other(func(r *result.Result) { r.Devices[1].Driver = "Example 590.1.2" }), Options{}, 4, Incomparable, "driver: Example 580.159 against Example 580.159, Example 590.1"},
		"across driver":     {made(1, as, w), other(func(r *result.Result) { r.Devices[0].Driver = "Example 590.1.2" }), Options{Across: "driver"}, 0, Same, ""},
		"patch":             {made(1, as, w), other(func(r *result.Result) { r.Devices[0].Driver = "Example 580.159.05" }), Options{}, 0, Same, ""},
		"model":             {made(1, as, w), other(func(r *result.Result) { r.Devices[0].DeviceID = 1 }), Options{Across: "driver"}, 4, Incomparable, "device model"},
		"software":          {made(1, as, w), other(func(r *result.Result) { r.Devices[0].Software = true }), Options{}, 4, Incomparable, "software device"},
		"outputs":           {made(1, as, w), edit(made(2, as, w), func(x *result.Trial) { x.Digest = "00bb" }), Options{}, 4, Incomparable, "outputs (digest): 00aa against 00bb"},
		"across shader":     {made(1, as, w), edit(made(2, as, w), func(x *result.Trial) { x.Digest = "00bb" }), Options{Across: "shader"}, 0, Same, ""},
		"unit":              {made(1, as, w), edit(made(2, as, w), func(x *result.Trial) { x.Work.Unit = "B" }), Options{}, 4, Incomparable, "unit: flop against B"},
		"not steady":        {made(1, as, w), edit(made(2, slower(1.5), w), unstable), Options{}, 0, Inconclusive, "not_steady"},
		"invalid":           {made(1, as, w), edit(made(2, as, w), func(x *result.Trial) { x.Samples[0] = 0 }), Options{}, 0, Inconclusive, "invalid_samples"},
		"throttled": {made(1, as, w), edit(made(2, as, w), func(x *result.Trial) { x.Invalid = []result.InvalidSample{{Index: 1, Reason: "throttled"}} }), Options{},
			0, Inconclusive, "invalid_samples: 7 of 35 samples are invalid: 7 throttled"},
		"quick":              {made(1, as, w), other(func(r *result.Result) { r.Plan.Preset = "quick" }), Options{}, 0, Inconclusive, "quick preset"},
		"few":                {made(1, as, w), edit(made(2, as, w), func(x *result.Trial) { x.Samples = x.Samples[:min(5, 5*max(0, 4-x.Launch))] }), Options{Strict: true}, 3, Inconclusive, ""},
		"noisy and wrong":    {noisy(made(1, as, w)), edit(made(2, as, w), status(result.WrongResult)), Options{}, 6, WrongResult, "because"},
		"stored lies are no": {made(1, as, w), other(func(r *result.Result) { r.Summary = []result.Summary{{Count: 1, Seconds: &result.Median{Median: 9}}} }), Options{}, 0, Same, ""},
	} {
		r := run(t, one(c.base), c.fresh, c.o)
		if r.Exit != c.exit || r.Verdict != c.verdict {
			t.Errorf("%s: %s, exit %d; want %s, %d", name, r.Headline(), r.Exit, c.verdict, c.exit)
		}
		if len(r.Rows) > 0 && !strings.Contains(why(&r.Rows[0]), c.says) {
			t.Errorf("%s: %q does not say %q", name, why(&r.Rows[0]), c.says)
		}
	}
}

func TestSingleOccasionIsWarnedAboutAndOccasionsAreSamples(t *testing.T) {
	const w = "linalg/matmul"
	r := run(t, one(made(1, as, w)), made(2, as, w), Options{})
	for _, row := range r.Rows {
		if len(row.Warnings) == 0 || row.Warnings[len(row.Warnings)-1].Code != "single_occasion" {
			t.Errorf("%+v", row.Warnings)
		}
	}
	var base []*result.Result
	for day, level := range []float64{1, 1.06, 0.97, 1.03, 0.98, 1.01, 1.04, 0.99} {
		base = append(base, made(day+1, slower(level), w))
	}
	if r := run(t, base, made(20, slower(1.07), w), Options{}); r.Verdict != Inconclusive || r.Rows[0].Method != occasionRule || len(r.Rows[0].Base) != 8 {
		t.Errorf("7 %% among occasions that differ by 9 %%: %s %+v", r.Verdict, r.Rows[0])
	}
	if r := run(t, base, made(20, slower(1.4), w), Options{}); r.Exit != 1 || len(r.doubts()) != 0 {
		t.Errorf("40 %%: exit %d, doubts %v", r.Exit, r.doubts())
	}
	// The same file several times is one occasion; an occasion of another driver counts not.
	base[7].Devices[0].Driver = "Other 1.2"
	r = run(t, append(base[6:8:8], base[6]), made(20, as, w), Options{})
	if r.Occasions != 2 || r.Rows[0].Method != launchMethod || !slices.ContainsFunc(r.doubts(), func(d string) bool { return strings.Contains(d, "occasions_left_out") }) {
		t.Errorf("%d occasions, %s, %v", r.Occasions, r.Rows[0].Method, r.doubts())
	}
}

// A result is no baseline of its own: beside others it is left out, alone it is refused
// where doubts fail.
func TestComparedWithItself(t *testing.T) {
	same := made(2, as, "a/b")
	r := run(t, []*result.Result{made(1, as, "a/b"), made(2, as, "a/b")}, same, Options{})
	if r.Occasions != 1 || r.Verdict != Same {
		t.Errorf("%d occasions, %s", r.Occasions, r.Verdict)
	}
	if r := run(t, one(made(2, as, "a/b")), same, Options{}); r.Exit != 0 || len(r.Warnings) != 1 || r.Warnings[0].Code != "same_measurement" {
		t.Errorf("exit %d, %v", r.Exit, r.Warnings)
	}
	if _, err := Run(one(made(2, as, "a/b")), same, Options{Strict: true}); !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), "its own baseline") {
		t.Errorf("strict: %v", err)
	}
}

func TestThresholdBelowTheNoiseFloor(t *testing.T) {
	fresh := made(2, as, "a/b")
	fresh.Noise = &result.Noise{Phi: 0.03}
	for _, o := range []Options{{}, {Threshold: 0.2, Rules: &Rules{Rows: []Rule{{Workload: "*", Threshold: 0.05}}}},
		{Threshold: 0.2, Rules: &Rules{Metrics: []string{Efficiency}}}} {
		if _, err := Run(one(made(1, as, "a/b")), fresh, o); !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), "phi = 3 %") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if r := run(t, one(made(1, as, "a/b")), fresh, Options{Threshold: 0.06}); r.Phi != 0.03 {
		t.Errorf("phi %g", r.Phi)
	}
}

// An efficiency relative to another count is another quantity.
func TestEfficiencyNeedsTheSameBase(t *testing.T) {
	base := made(1, as, "a/b")
	for i := range base.Trials {
		base.Trials[i].Count *= 2
		base.Trials[i].Devices = nil
	}
	fresh := made(2, as, "a/b")
	more := made(2, as, "a/b")
	for i := range more.Trials {
		more.Trials[i].Count *= 2
		more.Trials[i].Devices = nil
	}
	fresh.Trials = append(edit(fresh, func(x *result.Trial) { x.Devices = nil }).Trials, more.Trials[7:]...)
	r := run(t, one(base), fresh, Options{AllowMissing: true, Rules: &Rules{Metrics: []string{Efficiency}}})
	if r.Count(Incomparable) != 2 || !strings.Contains(why(&r.Rows[1]), "relative to 2 devices against 1") {
		t.Errorf("%s: %+v", r.Headline(), r.Rows)
	}
}

// In weak mode n is the work over all devices, as in result files.
func TestSizesAreTotals(t *testing.T) {
	weak := func(day int) *result.Result {
		return edit(made(day, as, "a/b"), func(x *result.Trial) { x.Mode, x.Total = "weak", int64(x.Count)<<20 })
	}
	r := run(t, one(weak(1)), weak(2), Options{Rules: rules(t, `rows: [{workload: a/b, count: 2, rate_per_gpu: {min: 1}}]`)})
	for _, row := range r.Rows {
		if row.Size.N != int64(row.Count)<<20 {
			t.Errorf("%d devices: n %d", row.Count, row.Size.N)
		}
	}
}

// On software devices the processor is the device.
func TestSoftwareDevicesAreComparedOnOneProcessor(t *testing.T) {
	soft := func(day int, cpu string) *result.Result {
		res := made(day, as, "a/b")
		for i := range res.Devices {
			res.Devices[i].Software = true
		}
		res.Host.CPU = cpu
		return res
	}
	if r := run(t, one(soft(1, "A")), soft(2, "A"), Options{}); r.Exit != 0 {
		t.Error(r.Headline())
	}
	if r := run(t, one(soft(1, "A")), soft(2, "B"), Options{Across: "driver"}); r.Exit != 4 || !strings.Contains(why(&r.Rows[0]), "CPU: A, 8 cores against B, 8 cores") {
		t.Error(r.Headline(), why(&r.Rows[0]))
	}
}

func rules(t testing.TB, text string) *Rules {
	t.Helper()
	r, err := ReadRules(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEfficiencyIsComparedOnDemand(t *testing.T) {
	two := func(_ string, count int) float64 { return 1 + 0.1*float64(count-1) }
	o := Options{Threshold: 0.2, Rules: rules(t, "metrics: [efficiency]")}
	r := run(t, one(made(1, as, "a/b")), made(2, two, "a/b"), o)
	if len(r.Rows) != 1 || r.Rows[0].Verdict != Regressed || math.Abs(r.Rows[0].Effect.Value+0.0909) > 0.002 || math.Abs(r.Rows[0].Threshold-0.03) > 0.001 {
		t.Errorf("%+v", r.Rows)
	}
	if r := run(t, one(made(1, two, "a/b")), made(2, as, "a/b"), o); r.Verdict != Improved {
		t.Errorf("%+v", r.Rows)
	}
}

func TestLimits(t *testing.T) {
	fresh := made(1, func(_ string, count int) float64 { return 1 + 0.1*float64(count-1) }, "linalg/matmul", "memory/triad")
	for text, want := range map[string]struct {
		exit    int
		verdict Verdict
		rows    int
	}{
		`rows: [{workload: linalg/matmul, count: 2, min_efficiency: 0.85}]`:                 {0, Met, 1},
		`rows: [{workload: linalg/matmul, count: 2, min_efficiency: 0.95}]`:                 {1, Unmet, 1},
		`rows: [{workload: linalg/matmul, count: 2, min_efficiency: 0.909}]`:                {0, Inconclusive, 1},
		`rows: [{workload: linalg/matmul, count: 2, max_efficiency: 0.85}]`:                 {1, Unmet, 1},
		`rows: [{workload: linalg/matmul, min_efficiency: 0.85}]`:                           {0, Met, 2}, // 1 by definition on one
		`rows: [{workload: "linalg/*", rate: {min: 90e9, max: 200e9}}]`:                     {0, Met, 2},
		`rows: [{workload: "*/*", rate: {min: 99e9, max: 170e9}}]`:                          {1, Unmet, 4},
		`rows: [{workload: memory/triad, count: 1, time: {max: 9ms}}]`:                      {-1, "", 0},
		`rows: [{workload: memory/triad, count: 1, time: {max: 0.009}}]`:                    {1, Unmet, 1},
		`rows: [{workload: memory/triad, count: 2, rate_per_gpu: {min: 90e9, max: 101e9}}]`: {0, Met, 2},
		`rows: [{workload: memory/triad, count: 2, rate_per_gpu: {min: 100e9}}]`:            {1, Unmet, 2},
		`rows: [{workload: "pinn/*", required: true}]`:                                      {5, Missing, 1},
		`rows: [{workload: "linalg/*", mode: weak, min_efficiency: 0.5}]`:                   {5, Missing, 1},
		`rows: [{workload: "linalg/*", required: true}]`:                                    {0, Met, 2},
		`threshold: 5%`: {5, Missing, 0},
		`rows: [{workload: linalg/matmul, size: L, strategy: equal, cache: hot, count: 3, required: true}]`: {5, Missing, 1},
	} {
		parsed, err := ReadRules(strings.NewReader(text))
		if want.exit < 0 {
			if err == nil {
				t.Errorf("%s: accepted", text)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		r := run(t, nil, fresh, Options{Rules: parsed})
		if r.Exit != want.exit || r.Verdict != want.verdict || len(r.Rows) != want.rows {
			t.Errorf("%s: %s, exit %d, %d rows; want %+v", text, r.Headline(), r.Exit, len(r.Rows), want)
		}
	}
	// --allow-missing does not free a required row; it frees the others, but
	// nothing compared still fails.
	if r := run(t, nil, fresh, Options{AllowMissing: true, Rules: rules(t, `rows: [{workload: "a/*", required: true}, {workload: "*/*", rate: {min: 1}}]`)}); r.Exit != 5 {
		t.Errorf("exit %d", r.Exit)
	}
	if r := run(t, nil, fresh, Options{AllowMissing: true, Rules: rules(t, `rows: [{workload: "a/*", rate: {min: 1}}, {workload: "*/*", rate: {min: 1}}]`)}); r.Exit != 0 {
		t.Errorf("exit %d", r.Exit)
	}
	// A wrong result is named also when only limits are checked.
	edit(fresh, func(x *result.Trial) {
		if x.Count == 2 {
			x.Status = result.WrongResult
		}
	})
	if r := run(t, nil, fresh, Options{Rules: rules(t, `rows: [{workload: "*/*", rate: {min: 1}}]`)}); r.Exit != 6 || r.Count(WrongResult) != 2 {
		t.Errorf("exit %d: %s", r.Exit, r.Headline())
	}
}

// all has a row of every verdict.
func all(t *testing.T) *Report {
	t.Helper()
	names := []string{"a/same", "a/slow", "a/fast", "a/near", "a/odd|*<b>", "a/other", "a/wrong", "a/lost"}
	base := made(1, as, append(names, "a/gone")...)
	fresh := made(2, func(w string, _ int) float64 {
		if v, ok := map[string]float64{"a/slow": 1.12, "a/fast": 0.8, "a/near": 1.0485}[w]; ok {
			return v
		}
		return 1
	}, names...)
	edit(fresh, func(x *result.Trial) {
		switch x.Workload {
		case "a/other":
			x.Digest = "00bb"
		case "a/wrong":
			x.Status, x.Reason = result.WrongResult, "output 3 is 1, the reference 2"
		case "a/lost":
			x.Status, x.Reason = result.DeviceLost, "device 1: VK_ERROR_DEVICE_LOST\n::error::x"
		}
	})
	r := run(t, one(base), fresh, Options{Rules: rules(t, `
rows:
  - {workload: a/same, count: 2, min_efficiency: 0.9}
  - {workload: a/same, rate: {max: 120e9}}
`)})
	r.BaseFile, r.NewFile = "base.json", "out,1/new.json"
	return r
}

func TestGolden(t *testing.T) {
	r := all(t)
	for _, v := range order {
		if r.Count(v) == 0 {
			t.Errorf("no row is %s", v)
		}
	}
	for _, format := range Formats() {
		got, err := Render(r, format)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, "gate."+format, got)
		again, err := Render(r, format)
		if err != nil || !bytes.Equal(got, again) {
			t.Errorf("%s differs the second time: %v", format, err)
		}
	}
	if _, err := Render(r, "pdf"); !errors.Is(err, ErrRequest) {
		t.Errorf("pdf: %v", err)
	}
}

func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got; -update rewrites):\n%s", name, d)
	}
}

// Every format says the same verdict of the same rows.
func TestFormatsAgree(t *testing.T) {
	r := all(t)
	raw, _ := Render(r, "json")
	var doc struct {
		Verdict            string
		Exit               int
		Compared, Expected int
		Rows               []struct{ Workload, Verdict, Metric, Reason string }
	}
	if err := json.Unmarshal(raw, &doc); err != nil || len(doc.Rows) != doc.Expected || doc.Verdict != "wrong-result" || doc.Exit != 6 {
		t.Fatalf("%v: %+v", err, doc)
	}
	raw, _ = Render(r, "junit")
	var x suites
	if err := xml.Unmarshal(raw, &x); err != nil {
		t.Fatal(err)
	}
	if x.Tests != doc.Expected || x.Failures != r.Count(Regressed)+r.Count(Unmet) ||
		x.Errors != r.Count(WrongResult)+r.Count(DeviceLost)+r.Count(Missing) || x.Skipped != r.Count(Inconclusive)+r.Count(Incomparable) {
		t.Errorf("junit: %d tests, %d failures, %d errors, %d skipped", x.Tests, x.Failures, x.Errors, x.Skipped)
	}
	for format, v := range map[string]func(string) string{"text": strings.ToUpper, "md": func(s string) string { return s }} {
		raw, _ := Render(r, format)
		table := string(raw)
		for i, row := range doc.Rows {
			found := false
			for line := range strings.SplitSeq(table, "\n") {
				name := names(r.Rows)[i]
				if format == "md" {
					name = escape(name)
				}
				if strings.Contains(line, name+" ") && strings.Contains(line, v(row.Verdict)) && strings.Contains(line, strings.ReplaceAll(row.Metric, "_", " ")) {
					found = true
				}
			}
			if !found {
				t.Errorf("%s has no line for %s %s", format, row.Workload, row.Verdict)
			}
		}
	}
	raw, _ = Render(r, "github")
	if errors, warnings := bytes.Count(raw, []byte("::error ")), bytes.Count(raw, []byte("::warning ")); errors > 10 || warnings > 10 || errors == 0 {
		t.Errorf("%d errors, %d warnings", errors, warnings)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(string(raw)), "\n") {
		if !strings.HasPrefix(line, "::error file=out%2C1/new.json,line=1,") && !strings.HasPrefix(line, "::warning file=") && !strings.HasPrefix(line, "::notice file=") {
			t.Errorf("a line that is no command: %q", line)
		}
	}
}

// 10,000 trials on each side, read and judged; the limit of 3 s is that of the
// whole command on an idle machine.
func BenchmarkTenThousandTrials(b *testing.B) {
	var workloads []string
	for i := range 714 {
		workloads = append(workloads, fmt.Sprintf("a/w%03d", i))
	}
	var files [2][]byte
	for i := range files {
		raw, err := json.Marshal(made(i+1, as, workloads...))
		if err != nil {
			b.Fatal(err)
		}
		files[i] = raw
	}
	b.ReportAllocs()
	for b.Loop() {
		var sides [2]*result.Result
		for i, raw := range files {
			res, err := result.Decode(bytes.NewReader(raw))
			if err != nil {
				b.Fatal(err)
			}
			sides[i] = res
		}
		r, err := Run(one(sides[0]), sides[1], Options{})
		if err != nil || r.Compared != 1428 {
			b.Fatal(r.Headline(), err)
		}
		if _, err := Render(r, "json"); err != nil {
			b.Fatal(err)
		}
	}
}

// Every hard field of measurement.md 4.3 that a result holds, and what is soft.
func TestFingerprintFields(t *testing.T) {
	const w = "linalg/matmul"
	device := func(change func(d *result.Device)) func(*result.Result) {
		return func(r *result.Result) {
			for i := range r.Devices {
				change(&r.Devices[i])
			}
		}
	}
	trial := func(change func(x *result.Trial)) func(*result.Result) {
		return func(r *result.Result) { edit(r, change) }
	}
	both := func(x *result.Trial) {
		if x.Count == 2 {
			x.Via = "host"
		}
	}
	for name, c := range map[string]struct {
		change func(*result.Result)
		across string
		exit   int
		says   string // in the reason of a row or in a warning
	}{
		"vendor":               {device(func(d *result.Device) { d.VendorID = 0x1002 }), "", 4, "device model"},
		"device id":            {device(func(d *result.Device) { d.DeviceID++ }), "", 4, "device model"},
		"slot":                 {device(func(d *result.Device) { d.PCI, d.UUID = "0000:81:00.0", "other" }), "", 0, ""},
		"one other model":      {func(r *result.Result) { r.Devices[1].DeviceID++ }, "", 4, "device model"},
		"driver name":          {device(func(d *result.Device) { d.Driver = "Other 580.159.04" }), "", 4, "driver: Example 580.159 against Other 580.159"},
		"driver major":         {device(func(d *result.Device) { d.Driver = "Example 581.159.04" }), "", 4, "driver"},
		"driver minor":         {device(func(d *result.Device) { d.Driver = "Example 580.160.04" }), "", 4, "driver"},
		"driver patch":         {device(func(d *result.Device) { d.Driver = "Example 580.159.05" }), "", 0, "driver patch: Example 580.159.04 against Example 580.159.05"},
		"driver on purpose":    {device(func(d *result.Device) { d.Driver = "Other 1.2" }), "driver", 0, "driver: Example 580.159 against Other 1.2"},
		"API":                  {device(func(d *result.Device) { d.API = "1.3.303" }), "", 4, "API: 1.4 against 1.3"},
		"API on purpose":       {device(func(d *result.Device) { d.API = "1.3.303" }), "driver", 0, "API"},
		"software":             {device(func(d *result.Device) { d.Software = true }), "driver", 4, "software device"},
		"topology":             {trial(both), "", 4, "link: none against host"},
		"topology, shader":     {trial(both), "shader", 4, "link"},
		"size":                 {trial(func(x *result.Trial) { x.Total *= 2 }), "", 4, "size over all devices"},
		"unit":                 {trial(func(x *result.Trial) { x.Work.Unit = "B" }), "", 4, "unit"},
		"parameters":           {func(r *result.Result) { r.Plan.Params = map[string]int64{"linalg/matmul:tile": 8} }, "", 4, "parameters: none against linalg/matmul:tile=8"},
		"input":                {func(r *result.Result) { r.Plan.Input = "other.bin" }, "", 4, "input file"},
		"check":                {trial(func(x *result.Trial) { x.Check = &result.Check{Class: "E3"} }), "", 4, "check: E2 against E3"},
		"check on purpose":     {trial(func(x *result.Trial) { x.Check = &result.Check{Class: "E3"} }), "shader", 0, "check"},
		"outputs":              {trial(func(x *result.Trial) { x.Digest = "00bb" }), "", 4, "outputs"},
		"outputs on purpose":   {trial(func(x *result.Trial) { x.Digest = "00bb" }), "shader", 0, "outputs"},
		"own kernel":           {func(r *result.Result) { r.Plan.Shader = "abcd" }, "", 0, "own kernel: none against abcd"},
		"own kernel, outputs":  {func(r *result.Result) { r.Plan.Shader = "abcd"; edit(r, func(x *result.Trial) { x.Digest = "00bb" }) }, "", 0, "own kernel"},
		"shaders":              {trial(func(x *result.Trial) { x.Shaders = "beef" }), "", 4, "shaders: 5eed against beef"},
		"shaders on purpose":   {trial(func(x *result.Trial) { x.Shaders = "beef" }), "shader", 0, "shaders: 5eed against beef"},
		"shaders not recorded": {trial(func(x *result.Trial) { x.Shaders = "" }), "", 0, "shaders: 5eed against none"},
		"power":                {func(r *result.Result) { r.Devices[0].PowerLimit = 500 }, "", 4, "power limit: 700 W against 500 W"},
		"power of one":         {func(r *result.Result) { r.Devices[1].PowerLimit = 500 }, "", 4, "power limit: 700 W against 500 W, 700 W"},
		"power, other field":   {device(func(d *result.Device) { d.PowerLimit = 500 }), "ecc", 4, "power limit"},
		"power on purpose":     {device(func(d *result.Device) { d.PowerLimit = 500 }), "power-limit", 0, "power limit: 700 W against 500 W"},
		"power not recorded":   {device(func(d *result.Device) { d.PowerLimit = 0 }), "", 0, "power limit: 700 W against none"},
		"ECC":                  {device(func(d *result.Device) { d.ECC = new(bool) }), "", 4, "ECC: on against off"},
		"ECC on purpose":       {device(func(d *result.Device) { d.ECC = new(bool) }), "ecc", 0, "ECC: on against off"},
		"ECC not recorded":     {device(func(d *result.Device) { d.ECC = nil }), "", 0, "ECC: on against none"},
		"kernel of the system": {func(r *result.Result) { r.Host.Kernel = "6.13" }, "", 0, "kernel: 6.12 against 6.13"},
		"CPU":                  {func(r *result.Result) { r.Host.CPU = "Another CPU" }, "", 0, "CPU"},
	} {
		settings := func(res *result.Result) *result.Result {
			on := true
			for i := range res.Devices {
				res.Devices[i].PowerLimit, res.Devices[i].ECC = 700, &on
			}
			return edit(res, func(x *result.Trial) { x.Shaders = "5eed" })
		}
		fresh := settings(made(2, as, w))
		c.change(fresh)
		r := run(t, one(settings(made(1, as, w))), fresh, Options{Across: c.across})
		if r.Exit != c.exit {
			t.Errorf("%s: %s, exit %d, want %d", name, r.Headline(), r.Exit, c.exit)
		}
		said := strings.Join(r.doubts(), "\n")
		for i := range r.Rows {
			said += "\n" + why(&r.Rows[i])
		}
		if !strings.Contains(said, c.says) {
			t.Errorf("%s: %q is not said:\n%s", name, c.says, said)
		}
	}
	// Another number of devices is another row.
	more := edit(made(2, as, w), func(x *result.Trial) {
		if x.Count == 2 {
			x.Count, x.Devices, x.Shares = 3, []int{0, 1, 2}, []int64{1, 1, 1}
		}
	})
	more.Devices = append(more.Devices, more.Devices[0])
	if r := run(t, one(made(1, as, w)), more, Options{}); r.Exit != 5 || r.Count(Missing) != 2 {
		t.Errorf("another count: %s", r.Headline())
	}
}

// A limit on all devices together and one on each of them find different faults.
func TestLimitsTogetherAndOfEachDevice(t *testing.T) {
	uneven := func(second float64) *result.Result { // the second device alone is slower
		return edit(made(1, as, "linalg/matmul"), func(x *result.Trial) {
			if x.Count != 2 {
				return
			}
			for _, s := range x.Times.All() {
				s.Compute[1] *= second
			}
		})
	}
	const each = `rows: [{workload: linalg/matmul, count: 2, rate_per_gpu: {min: 95e9}}]`
	const all = `rows: [{workload: linalg/matmul, count: 2, rate: {min: 190e9, max: 210e9}}]`
	for name, c := range map[string]struct {
		fresh *result.Result
		rules string
		exit  int
		unmet int
	}{
		"even, each":        {uneven(1), each, 0, 0},
		"one slow, each":    {uneven(1.3), each, 1, 1},
		"one slow, all":     {uneven(1.3), all, 0, 0},
		"all slow, all":     {made(1, slower(1.2), "linalg/matmul"), all, 1, 1},
		"all slow, each":    {made(1, slower(1.2), "linalg/matmul"), each, 1, 2},
		"too fast, all":     {made(1, slower(0.8), "linalg/matmul"), all, 1, 1},
		"too fast, each":    {uneven(0.8), `rows: [{workload: linalg/matmul, count: 2, rate_per_gpu: {max: 110e9}}]`, 1, 1},
		"too efficient":     {uneven(1), `rows: [{workload: linalg/matmul, count: 2, max_efficiency: 0.9}]`, 1, 1},
		"too short":         {uneven(1), `rows: [{workload: linalg/matmul, count: 2, time: {min: 0.006}}]`, 1, 1},
		"on the upper edge": {uneven(1), `rows: [{workload: linalg/matmul, count: 2, rate: {max: 200e9}}]`, 0, 0},
	} {
		r := run(t, nil, c.fresh, Options{Rules: rules(t, c.rules)})
		if r.Exit != c.exit || r.Count(Unmet) != c.unmet {
			t.Errorf("%s: %s, exit %d; want %d, %d unmet: %+v", name, r.Headline(), r.Exit, c.exit, c.unmet, r.Rows[0].Effect)
		}
	}
	r := run(t, nil, uneven(1.3), Options{Rules: rules(t, each)})
	if r.Rows[0].Verdict != Unmet || r.Rows[0].Device == nil || *r.Rows[0].Device != 1 || r.Rows[1].Verdict != Met {
		t.Errorf("the slow device is not named: %+v", r.Rows)
	}
}
