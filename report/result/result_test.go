package result_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/amgpu/amgpu/report/result"
)

// sample is a result with every kind of field set.
func sample() *result.Result {
	f := func(v float64) *float64 { return &v }
	key := result.Key{Workload: "linalg/matmul", Mode: "strong", Size: result.Size{Label: "M", N: 4096},
		Strategy: "equal", Split: "rows", Transport: "host", Algorithm: "tree", Residency: "resident", Cache: "hot"}
	warn := []result.Warning{{Code: "noise-limited", Text: "stopped at the most samples"}}
	value := &result.Value{Value: 1.9, Low: f(1.8), High: f(2), Unit: "flop/s"}
	return &result.Result{
		Schema: result.Schema, Created: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
		Tool:    result.Tool{Name: "amgpu", Version: "1.0.0", Commit: "abc", Dirty: true, Go: "go1.26"},
		Command: []string{"amgpu", "scale"}, Host: result.Host{OS: "linux", Arch: "amd64", Cores: 8, Memory: 1 << 40},
		Job:         &result.Job{Library: "Open MPI 4.1", Nodes: []result.Node{{Name: "n1", Ranks: []int{0}, Host: result.Host{OS: "linux", Arch: "amd64", Cores: 8}, Fingerprint: "f1", ClockError: 2e-6}}},
		Fingerprint: "f00d", Noise: &result.Noise{Phi: 0.01, Comparisons: 12, Q95: 0.004, Detectable: 0.02, Launches: 7},
		Devices: []result.Device{{Index: 0, Name: "GPU A", UUID: "u0", Type: "discrete", Driver: "d 1", API: "1.3"},
			{Index: 1, Name: "GPU B", UUID: "u1", Type: "discrete", Driver: "d 1", API: "1.3", Features: []string{"shaderFloat64"}, Node: "n1", Rank: new(int),
				Cache: 50 << 20, PowerLimit: 700, ECC: new(bool), Peak: &result.Peak{BytesPerSecond: 3e12, Flops: 6e13}, Roofs: []result.Roof{{Name: "L2", Unit: "B/s", Value: 9e12, Measured: true}}}},
		Links: []result.Link{{From: 0, To: 1, Transport: "host", Verified: true, Bandwidth: f(2e10), Kind: "NV18", NVLink: &result.NVLink{Version: "4.0", Links: 18, Switched: true},
			PCIe: &result.PCIeLink{Generation: 5, Width: 16, Bandwidth: 63e9}, SameNUMA: new(bool), Slow: true, Typical: f(3e10)}, {From: 1, Reason: "broken"}},
		Telemetry: &result.Telemetry{Interval: 0.1, Devices: []result.Track{{Source: "nvml", Idle: f(70), Seconds: []float64{0, 0.1},
			Values: map[string][]*float64{"power": {f(300), nil}}, Throttle: []result.Throttling{{End: 0.1, Reasons: []string{"power-cap"}}}}, {Index: 1, Source: "amdgpu", Seconds: []float64{}, Values: map[string][]*float64{}}}},
		Health: []result.Health{{Device: 1, Errors: 3, Last: "VK_ERROR_DEVICE_LOST", Out: true, Xids: 2}},
		Plan: result.Plan{Seed: 7, Preset: "default", Launches: 7, Counts: []int{1, 2}, Nodes: []int{1}, Modes: []string{"strong"}, SelfTest: true,
			Order: []result.PlannedCell{{Key: result.Key{Workload: "linalg/matmul", Mode: "strong"}, Count: 1, Devices: []int{0}}}},
		Trials: []result.Trial{{Key: key, Count: 2, Devices: []int{0, 1}, Launch: 1, Status: result.OK, Verified: true,
			Check: &result.Check{Class: "E2", Checked: 1024}, Digest: "aa", Total: 4096, Shares: []int64{2048, 2048},
			Samples: []float64{0.01, 0.011}, Reps: 3, HighWater: []int64{64 << 20, 1}, Replicated: 1 << 30, Decision: &result.Decision{Calls: 1000, P99: 1e-4}, Memory: []result.MemoryUse{{Used: 1, Budget: 2}, {}}, Granularity: []float64{32e-9, 1e-6}, ClockError: 1e-6, Side: result.SideA, Energy: &result.Energy{Joules: 5, Seconds: 6}, Clocks: []float64{1.9e9, 1.98e9},
			Invalid: []result.InvalidSample{{Index: 1, Reason: result.InvalidThrottled, Detail: "thermal, device 0"}}, Work: result.Work{Value: 1e9, Unit: "flop", Issued: 1.1e9},
			Times: result.TimesOf(result.SampleTimes{Compute: []float64{1, 1}, Transfer: []float64{0, 0}, Critical: 1, Device: 1}),
			Spans: []result.Span{{Kind: "compute", End: 1}}, Warnings: warn,
			Outcome: &result.Outcome{Comodulogram: &result.Comodulogram{Measure: "modulation index", Phase: []float64{4, 6}, Amplitude: []float64{80}, Values: [][]*float64{{f(0.1), nil}}, Signal: "channel 3"},
				Training: &result.Training{Steps: []int64{0, 10}, Losses: []result.Loss{{Name: "total", Values: []*float64{f(1), nil}}}, Measures: []result.Measure{{Name: "error", Value: f(0.01)}}}}}},
		Summary: []result.Summary{{Key: key, Count: 2, Status: result.OK, Seconds: &result.Median{Median: 0.01, Low: f(0.009)},
			Rate: value, Speedup: value, Efficiency: value, Lost: &result.Lost{Transfer: f(0.02)},
			Factors: &result.Factors{Transfer: value, HiddenTransfer: f(0.1)}, Teams: [][]int{{0, 1}},
			Bound: f(0.8), Spread: &result.Spread{IQR: 0.01, Min: 0.009, P95: f(0.012)}, Invalid: []result.InvalidCount{{Reason: result.InvalidThrottled, Count: 1}}, Clock: f(1.9e9), Energy: value, EnergyEfficiency: value, Warnings: warn}},
		Laws: []result.Law{{Key: key, KarpFlatt: []result.Point{{Count: 2, Value: *value}}, Amdahl: &result.Fit{Value: f(0), High: f(0.1), Bound: result.OnLower},
			Gustafson: &result.Fit{Reason: "weak only"}, USL: &result.USL{Sigma: f(0.1), Peak: value, SigmaBound: result.OnUpper, KappaBound: result.OnLower, SigmaSE: f(0.01), LackOfFit: f(0.5)}, Counts: []int{1, 2},
			Predictions: []result.Prediction{{Count: 4, Law: "usl", Rate: value}, {Count: 9, Reason: "too far"}}}},
		Warnings: warn,
	}
}

func encode(t *testing.T, res *result.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := result.Encode(&b, res); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	want := sample()
	got, err := result.Decode(bytes.NewReader(encode(t, want)))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func schema(t *testing.T) (*jsonschema.Schema, map[string]any) {
	t.Helper()
	raw, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s, doc.(map[string]any)
}

func TestSchemaAcceptsWhatIsWritten(t *testing.T) {
	s, _ := schema(t)
	for name, res := range map[string]*result.Result{
		"full":  sample(),
		"empty": {Schema: result.Schema},
		"bare trial": {Schema: result.Schema, Trials: []result.Trial{
			{Key: result.Key{Workload: "a/b", Mode: "solo"}, Count: 1, Status: result.Unsupported, Reason: "no float64"}}},
	} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(encode(t, res)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	s, _ := schema(t)
	good := string(encode(t, sample()))
	for _, edit := range [][2]string{
		{`"amgpu/v1"`, `"amgpu/v2"`}, {`"mode":"strong"`, `"mode":"sideways"`},
		{`"samples":[0.01`, `"samples":["fast"`}, {`"digest":"aa",`, ``},
	} {
		bad := strings.Replace(good, edit[0], edit[1], 1)
		if bad == good {
			t.Fatalf("nothing replaced for %q", edit[0])
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		if s.Validate(doc) == nil {
			t.Errorf("accepted with %q", edit[1])
		}
	}
}

// TestSchemaNamesEveryField compares the Go types with the published schema in
// both directions.
func TestSchemaNamesEveryField(t *testing.T) {
	_, doc := schema(t)
	defs := doc["$defs"].(map[string]any)
	for name, typ := range map[string]any{
		"": result.Result{}, "device": result.Device{}, "plan": result.Plan{}, "cell": result.PlannedCell{}, "trial": result.Trial{},
		"sample_times": result.SampleTimes{}, "span": result.Span{}, "value": result.Value{}, "median": result.Median{},
		"summary": result.Summary{}, "spread": result.Spread{}, "lost": result.Lost{}, "law": result.Law{}, "point": result.Point{},
		"fit": result.Fit{}, "usl": result.USL{}, "warning": result.Warning{}, "peak": result.Peak{}, "factors": result.Factors{}, "prediction": result.Prediction{},
		"link": result.Link{}, "nvlink": result.NVLink{}, "pcie": result.PCIeLink{}, "telemetry": result.Telemetry{}, "track": result.Track{},
		"throttling": result.Throttling{}, "energy": result.Energy{}, "division": result.Division{}, "balance": result.Balance{},
		"job": result.Job{}, "node": result.Node{},
		"decision": result.Decision{}, "memory_use": result.MemoryUse{}, "memory": result.Memory{}, "range": result.Range{}, "invalid_sample": result.InvalidSample{}, "invalid_count": result.InvalidCount{},
	} {
		def := doc
		if name != "" {
			def = defs[name].(map[string]any)
		}
		var inSchema []string
		for k := range def["properties"].(map[string]any) {
			inSchema = append(inSchema, k)
		}
		inGo := jsonNames(reflect.TypeOf(typ))
		sortStrings := cmp.Transformer("set", func(in []string) map[string]bool {
			out := map[string]bool{}
			for _, s := range in {
				out[s] = true
			}
			return out
		})
		if d := cmp.Diff(inGo, inSchema, sortStrings); d != "" {
			t.Errorf("%q, Go against schema: %s", name, d)
		}
		required, _ := def["required"].([]any)
		for _, left := range leftOut(reflect.TypeOf(typ)) {
			if slices.Contains(required, any(left)) {
				t.Errorf("%q: the schema requires %q, which Go leaves out when empty", name, left)
			}
		}
	}
}

func jsonNames(t reflect.Type) []string {
	var out []string
	for f := range t.Fields() {
		if f.Anonymous {
			out = append(out, jsonNames(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, name)
	}
	return out
}

// leftOut lists the fields that are not written when they are empty.
func leftOut(t reflect.Type) []string {
	var out []string
	for f := range t.Fields() {
		if f.Anonymous {
			out = append(out, leftOut(f.Type)...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if strings.Contains(options, "omitempty") {
			out = append(out, name)
		}
	}
	return out
}

func TestEncodeRefusesNaN(t *testing.T) {
	res := sample()
	res.Trials[0].Samples[0] = math.NaN()
	if err := result.Encode(&bytes.Buffer{}, res); err == nil || !strings.Contains(err.Error(), "linalg/matmul") {
		t.Errorf("error %v does not name the trial", err)
	}
}

func TestWriteKeepsTargetOnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	if err := result.Write(path, sample()); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	bad := sample()
	bad.Trials[0].Samples[0] = math.Inf(1)
	if result.Write(path, bad) == nil {
		t.Fatal("infinity written")
	}
	after, _ := os.ReadFile(path)
	if !bytes.Equal(before, after) {
		t.Error("the old result was changed")
	}
	assertAlone(t, path)
}

// assertAlone checks that nothing else was left in path's folder.
func assertAlone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(path) {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

func TestWriteFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "link.json")
	if err := result.Write(target, sample()); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.json", link); err != nil {
		t.Fatal(err)
	}
	res := sample()
	res.Fingerprint = "new"
	if err := result.Write(link, res); err != nil {
		t.Fatal(err)
	}
	got, err := result.Read(target)
	if err != nil || got.Fingerprint != "new" {
		t.Errorf("the linked file holds %q, %v", got.Fingerprint, err)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if err := os.Remove(target); err != nil { // a link to a file still to be written
		t.Fatal(err)
	}
	if err := result.Write(link, res); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(target); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the linked file was not made: %v", err)
	}
}

// big is the size that must stay under 500 MB: trials times samples.
func big(trials, samples int) *result.Result {
	res := sample()
	one := res.Trials[0]
	one.Times, one.Spans = result.Times{}, nil
	res.Trials = nil
	for i := range trials {
		one.Launch, one.Samples = i, make([]float64, samples)
		for k := range one.Samples {
			one.Samples[k] = float64(10_000_000+i*samples+k*17) * 1e-9
		}
		res.Trials = append(res.Trials, one)
	}
	return res
}

func BenchmarkEncode(b *testing.B) {
	for _, n := range []int{1000, 2000, 4000} { // linear: the time per trial is constant
		res := big(n, 200)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if err := result.Encode(&bytes.Buffer{}, res); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/trial")
		})
	}
}

// BenchmarkDecode reads launches of two devices with all their times, 200 samples each.
func BenchmarkDecode(b *testing.B) {
	res := big(1000, 200)
	for i := range res.Trials {
		t := &res.Trials[i]
		var times []result.SampleTimes
		for k, s := range t.Samples {
			x := math.Sqrt(float64(k)) * 1e-6
			times = append(times, result.SampleTimes{Compute: []float64{0.9*s - x, 0.8*s + x}, Transfer: []float64{0.05 * s, x}, Critical: 0.93*s - x, Device: 0.95 * s, Skew: 2.1e-7})
		}
		t.Times = result.TimesOf(times...)
	}
	var text bytes.Buffer
	if err := result.Encode(&text, res); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := result.Decode(bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(res.Trials)), "ns/trial")
}
