package stat

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/report/result"
)

// bench makes results: trials of one workload on devices of given rates.
type bench struct {
	res    *result.Result
	rates  []float64 // work per second of each device
	random *rand.Rand
	noise  float64
}

func newBench(preset string, rates ...float64) *bench {
	b := &bench{res: &result.Result{Schema: result.Schema, Plan: result.Plan{Preset: preset}}, rates: rates,
		random: rand.New(rand.NewPCG(1, 1)), noise: 0.002}
	for i := range rates {
		b.res.Devices = append(b.res.Devices, result.Device{Index: i, Name: "GPU", DeviceID: 7})
	}
	return b
}

// add appends a trial on devices that takes seconds, with noise, and returns it.
func (b *bench) add(mode string, block int, seconds, work float64, devices ...int) *result.Trial {
	t := result.Trial{Key: result.Key{Workload: "a/b", Mode: mode, Size: result.Size{Label: "S", N: 100}, Strategy: "equal"},
		Count: len(devices), Devices: devices, Launch: block, Block: block, Status: result.OK, Verified: true,
		Digest: "d", Total: int64(work), Work: result.Work{Value: work, Unit: "flop"}}
	if mode == "weak" {
		t.Digest = fmt.Sprint("d", len(devices))
	}
	shift := math.Exp(b.noise * b.random.NormFloat64())
	for range 20 {
		t.Samples = append(t.Samples, seconds*shift*math.Exp(b.noise*b.random.NormFloat64()))
	}
	b.res.Trials = append(b.res.Trials, t)
	return &b.res.Trials[len(b.res.Trials)-1]
}

func (b *bench) row(t *testing.T, mode string, count int) result.Summary {
	t.Helper()
	rows, _, _ := Summary(b.res)
	for _, r := range rows {
		if r.Mode == mode && r.Count == count {
			return r
		}
	}
	t.Fatalf("no %s row of %d", mode, count)
	return result.Summary{}
}

func within(t *testing.T, what string, v *result.Value, want, tol float64) {
	t.Helper()
	if v == nil {
		t.Fatalf("%s: null", what)
	}
	near(t, what, v.Value, want, tol)
	if v.Low == nil || v.High == nil || !(*v.Low <= v.Value && v.Value <= *v.High) {
		t.Errorf("%s: no interval around %g", what, v.Value)
	}
}

func hasCode(ws []result.Warning, code string) bool {
	for _, w := range ws {
		if w.Code == code {
			return true
		}
	}
	return false
}

// strong fills launches blocks with counts 1, 2, 4 of efficiency .99 and .95.
func strong(b *bench, launches int) {
	for block := range launches {
		b.add("strong", block, 1, 1000, block%len(b.rates))
		b.add("strong", block, 1/(2*.99), 1000, 0, 1)
		b.add("strong", block, 1/(4*.95), 1000, 0, 1, 2, 3)
	}
}

func TestStrong(t *testing.T) {
	for _, launches := range []int{5, 7} { // two-sample and paired form
		b := newBench("default", 1, 1, 1, 1)
		strong(b, launches)
		base, two, four := b.row(t, "strong", 1), b.row(t, "strong", 2), b.row(t, "strong", 4)
		if base.Speedup.Value != 1 || base.Efficiency.Value != 1 || base.Efficiency.Low != nil {
			t.Errorf("base %+v", base.Efficiency)
		}
		within(t, "E(2)", two.Efficiency, .99, .006)
		within(t, "S(2)", two.Speedup, 1.98, .012)
		within(t, "E(4)", four.Efficiency, .95, .006)
		if two.Basis != "launches" || two.Launches != launches || two.Samples != 20*launches || two.Base != 1 {
			t.Errorf("%+v", two)
		}
		if (two.Seconds.Low == nil) != (launches < 6) {
			t.Errorf("%d launches, interval of the time %v", launches, two.Seconds.Low)
		}
		near(t, "rate", two.Rate.Value, 1980, 12)
		if two.Rate.Unit != "flop/s" {
			t.Errorf("unit %q", two.Rate.Unit)
		}
	}
}

func TestQuickPoolsAndSaysSo(t *testing.T) {
	b := newBench("quick", 1, 1, 1, 1)
	strong(b, 3)
	two := b.row(t, "strong", 2)
	within(t, "E(2)", two.Efficiency, .99, .006)
	if two.Basis != "within launch" || two.Seconds.Low == nil {
		t.Errorf("%+v", two)
	}
	_, _, warnings := Summary(b.res)
	if !hasCode(warnings, "quick") {
		t.Error("quick is not announced")
	}
	b.res.Plan.Preset = "default" // three launches carry no interval but Student's
	if v := b.row(t, "strong", 2).Efficiency; v == nil || v.Method != result.StudentT {
		t.Errorf("%+v", v)
	}
}

func TestWeakFromRates(t *testing.T) {
	b := newBench("default", 1, 1)
	for block := range 7 {
		b.add("weak", block, 1, 1000, 0)
		b.add("weak", block, 1.05, 1980, 0, 1) // sizes do not divide exactly
	}
	within(t, "E_w", b.row(t, "weak", 2).Efficiency, 1980/1.05/2000, .006)
}

// TestWeakDGX2: NVIDIA/DeepLearningExamples, 16x V100 (measurement.md 7.6).
func TestWeakDGX2(t *testing.T) {
	counts := []int{1, 2, 4, 8, 16}
	x := map[int]float64{1: 1492, 2: 2935, 4: 5726, 8: 11368, 16: 21484}
	speedup := map[int]float64{1: 1, 2: 1.96, 4: 3.83, 8: 7.61, 16: 14.39}
	efficiency := map[int]float64{1: 1, 2: .9836, 4: .9595, 8: .9524, 16: .9000}
	karp := map[int]float64{2: .016695, 4: .014088, 8: .007138, 16: .007410}
	b := newBench("import", make([]float64, 16)...)
	for _, n := range counts {
		devices := make([]int, n)
		for i := range devices {
			devices[i] = i
		}
		tr := b.add("weak", 0, 1, float64(n)*256, devices...)
		tr.Samples = []float64{float64(n) * 256 / x[n]}
	}
	rows, laws, _ := Summary(b.res)
	for _, r := range rows {
		near(t, "speedup", r.Speedup.Value, speedup[r.Count], .01)
		near(t, "efficiency", r.Efficiency.Value, efficiency[r.Count], 5e-5)
		if r.Efficiency.Low != nil || r.Seconds.Low != nil {
			t.Error("an interval from one value per count")
		}
	}
	for _, p := range laws[0].KarpFlatt {
		near(t, "Karp-Flatt", p.Value.Value, karp[p.Count], 5e-7)
	}
	if u := laws[0].USL; u.Identifiable || u.Reason != "not identifiable with 5 counts" || u.Sigma != nil {
		t.Errorf("USL %+v", u)
	}
}

func TestUnequalDevices(t *testing.T) {
	for _, preset := range []string{"default", "quick"} {
		b := newBench(preset, 3, 1)
		b.res.Devices[1].DeviceID, b.res.Devices[1].Name = 8, "slow GPU"
		for block := range 7 {
			b.add("solo", block, 1.0/3, 1000, 0)
			b.add("solo", block, 1, 1000, 1)
			b.add("strong", block, []float64{1.0 / 3, 1}[block%2], 1000, block%2)
			b.add("strong", block, 0.5, 1000, 0, 1) // the slow one takes its half
		}
		r := b.row(t, "strong", 2)
		within(t, preset+" E", r.Efficiency, 0.5, .004) // 2000 of 3000 + 1000
		within(t, preset+" S", r.Speedup, 1.0, .008)
		if r.Bound == nil {
			t.Fatal("no bound for an equal split")
		}
		near(t, "bound", *r.Bound, 0.5, .004)
		_, laws, _ := Summary(b.res)
		if len(laws) != 1 || !laws[0].Descriptive {
			t.Errorf("laws on unequal devices are not marked: %+v", laws)
		}
	}
}

// TestSlowCard: one model, one slow card. Several launches show it, few do not.
func TestSlowCard(t *testing.T) {
	for preset, known := range map[string]bool{"default": true, "quick": false} {
		b := newBench(preset, 2, 1)
		for block := range 8 {
			b.add("strong", block, []float64{.5, 1}[block%2], 1000, block%2)
			b.add("strong", block, .5, 1000, 0, 1)
		}
		if r := b.row(t, "strong", 2); (r.Bound != nil) != known {
			t.Errorf("%s: bound %v", preset, r.Bound)
		}
	}
}

func TestUnequalWithoutSoloRates(t *testing.T) {
	b := newBench("default", 3, 1)
	b.res.Devices[1].Name = "slow GPU"
	for block := range 7 {
		b.add("strong", block, 1.0/3, 1000, 0)
		b.add("strong", block, 0.5, 1000, 0, 1)
	}
	if r := b.row(t, "strong", 2); !hasCode(r.Warnings, "no-solo-rates") || r.Bound != nil {
		t.Errorf("%+v", r.Warnings)
	}
	// One-device rows that rotate are solo rates, though not in every block.
	for block := 7; block < 14; block++ {
		b.add("strong", block, 1, 1000, 1)
		b.add("strong", block, 0.5, 1000, 0, 1)
	}
	within(t, "E", b.row(t, "strong", 2).Efficiency, 0.5, .004)
}

func TestBaseAboveOne(t *testing.T) {
	b := newBench("default", 1, 1, 1, 1)
	for block := range 7 {
		tr := b.add("strong", block, 1, 1000, 0)
		tr.Status, tr.Reason, tr.Samples = result.Unsupported, "does not fit", nil
		b.add("strong", block, 0.5, 1000, 0, 1)
		b.add("strong", block, 0.25/.9, 1000, 0, 1, 2, 3)
	}
	r := b.row(t, "strong", 4)
	within(t, "E_rel", r.Efficiency, .9, .006)
	within(t, "S_rel", r.Speedup, 1.8, .012)
	if r.Base != 2 || !hasCode(r.Warnings, "relative-base") {
		t.Errorf("base %d, %v", r.Base, r.Warnings)
	}
	if one := b.row(t, "strong", 1); one.Status != result.Unsupported || one.Rate != nil || one.Reason != "does not fit" {
		t.Errorf("%+v", one)
	}
	if _, laws, _ := Summary(b.res); len(laws[0].KarpFlatt) != 0 {
		t.Error("Karp-Flatt without a row on one device")
	}
}

func TestOneCountMakesNoScalingStatement(t *testing.T) {
	b := newBench("default", 1, 1)
	for block := range 7 {
		b.add("strong", block, 0.5, 1000, 0, 1)
	}
	if r := b.row(t, "strong", 2); r.Rate == nil || r.Speedup != nil || r.Efficiency != nil {
		t.Errorf("%+v", r)
	}
	for block := range 7 { // solo rows make one possible
		b.add("solo", block, 1, 1000, 0)
		b.add("solo", block, 1, 1000, 1)
	}
	within(t, "E from solo", b.row(t, "strong", 2).Efficiency, 1, .006)
	rows, laws, _ := Summary(b.res)
	if len(rows) != 3 || rows[1].Teams[0][0] != 0 || rows[2].Teams[0][0] != 1 {
		t.Errorf("solo rows are not per device: %+v", rows)
	}
	if len(laws) != 0 {
		t.Errorf("a law from one count: %+v", laws)
	}
}

func TestFailedRowsHaveNoRate(t *testing.T) {
	for _, status := range []string{result.WrongResult, result.DeviceLost, result.Degraded, "from-the-future"} {
		b := newBench("default", 1, 1, 1, 1)
		strong(b, 7)
		b.res.Trials[4].Status, b.res.Trials[4].Reason = status, "it happened"
		r := b.row(t, "strong", 2)
		if r.Status != status || r.Reason != "it happened" || r.Rate != nil || r.Seconds != nil || r.Speedup != nil || r.Efficiency != nil || r.Verified {
			t.Errorf("%s: %+v", status, r)
		}
		within(t, "the others", b.row(t, "strong", 4).Efficiency, .95, .006)
	}
	for _, status := range []string{result.Throttled, result.AbovePeak} {
		b := newBench("default", 1, 1, 1, 1)
		strong(b, 7)
		b.res.Trials[4].Status = status
		if r := b.row(t, "strong", 2); r.Status != status || r.Rate == nil {
			t.Errorf("%s: %+v", status, r)
		}
	}
	b := newBench("default", 1, 1, 1, 1)
	strong(b, 7)
	b.res.Trials[4].Status = result.Skipped
	if r := b.row(t, "strong", 2); r.Status != result.OK || r.Launches != 6 || !hasCode(r.Warnings, "launches-left-out") {
		t.Errorf("skipped launch: %+v", r)
	}
}

func TestNoUsableSample(t *testing.T) {
	b := newBench("default", 1, 1)
	for block := range 7 {
		b.add("strong", block, 1, 1000, 0)
		b.add("strong", block, 1, 1000, 0, 1).Samples = []float64{0, math.Inf(1), 1e-310, 1e300}
	}
	if r := b.row(t, "strong", 2); r.Rate != nil || r.Efficiency != nil || r.Reason == "" {
		t.Errorf("%+v", r)
	}
	b.res.Trials[1].Samples = []float64{0, 0.5, 0}
	if r := b.row(t, "strong", 2); r.Samples != 1 {
		t.Errorf("%+v", r)
	}
}

func TestDigests(t *testing.T) {
	b := newBench("default", 1, 1, 1, 1)
	strong(b, 7)
	b.res.Trials[5].Digest = "other" // 4 devices, second block
	r := b.row(t, "strong", 4)
	if r.Status != result.WrongResult || r.Rate != nil || !strings.Contains(r.Reason, "outputs on 4 differ from those on 1") {
		t.Errorf("%+v", r)
	}
	if two := b.row(t, "strong", 2); two.Status != result.OK {
		t.Errorf("the others suffer: %+v", two)
	}
	for i := range b.res.Trials { // rounding may depend on the count, not on the launch
		b.res.Trials[i].CountDependent = true
		b.res.Trials[i].Digest = fmt.Sprint(b.res.Trials[i].Count)
	}
	if r := b.row(t, "strong", 4); r.Status != result.OK {
		t.Errorf("count-dependent: %+v", r)
	}
	b.res.Trials[5].Digest = "other"
	if r := b.row(t, "strong", 4); r.Status != result.WrongResult {
		t.Errorf("launches of one count differ: %+v", r)
	}
	b.res.Trials[5].Digest = ""
	if r := b.row(t, "strong", 4); r.Status != result.OK {
		t.Errorf("no digest is no difference: %+v", r)
	}
}

func TestFillTwiceChangesNothing(t *testing.T) {
	b := newBench("quick", 1, 1, 1, 1)
	strong(b, 3)
	b.res.Devices[0].Software = true
	Fill(b.res)
	var once bytes.Buffer
	if err := result.Encode(&once, b.res); err != nil {
		t.Fatal(err)
	}
	Fill(b.res)
	var twice bytes.Buffer
	if err := result.Encode(&twice, b.res); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(once.String(), twice.String()); d != "" {
		t.Error(d)
	}
	if !hasCode(b.res.Warnings, "software") {
		t.Error("software devices are not announced")
	}
}

// FuzzSummary: whatever can be read can be summed up, and what comes out can be
// written, so it holds no NaN and no infinity.
func FuzzSummary(f *testing.F) {
	b := newBench("default", 1, 1, 1, 1)
	strong(b, 2)
	var raw bytes.Buffer
	if err := result.Encode(&raw, b.res); err != nil {
		f.Fatal(err)
	}
	f.Add(raw.Bytes())
	timed := team(phases{compute: [][]float64{{.5, .4}, {.4, .5}}, transfer: [][]float64{{.1, 0}, {0, .1}}}, .01)
	timed.res.Devices[0].Peak, timed.res.Devices[1].Cache = &result.Peak{BytesPerSecond: 1, Flops: 1e3}, 1<<20
	for i := range timed.res.Trials {
		tr := &timed.res.Trials[i]
		tr.Samples, tr.Times = tr.Samples[:1], result.TimesOf(tr.Times.At(0))
		tr.Bytes, tr.Flops, tr.Work.Issued = 10, 10, 1000
		tr.Spans = []result.Span{{Kind: "compute", End: 1}, {Kind: "transfer", Start: .5, End: 2}}
	}
	var full bytes.Buffer
	if err := result.Encode(&full, timed.res); err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.Clone(full.Bytes()))
	timed.clocks(1, 2e9)
	timed.clocks(2, 1.9e9, 1e36)
	timed.res.Trials[3].Invalid = []result.InvalidSample{{Index: 0, Reason: result.InvalidThrottled}}
	timed.res.Trials[5].Side = result.SideB
	full.Reset()
	if err := result.Encode(&full, timed.res); err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.Clone(full.Bytes()))
	f.Add([]byte(`{"schema":"amgpu/v1","devices":[{}],"trials":[{"workload":"a","mode":"weak","count":9,"devices":[0],"status":"ok","samples":[1e-300,0,1e300],"work":{"value":1e308}},
		{"workload":"a","mode":"weak","count":1,"devices":[0],"status":"ok","samples":[1]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		res, err := result.Decode(bytes.NewReader(raw))
		if err != nil {
			return
		}
		SelfTest(res)
		Fill(res)
		if err := result.Encode(&bytes.Buffer{}, res); err != nil {
			t.Fatal(err)
		}
	})
}
