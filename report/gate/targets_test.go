package gate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/report/result"
)

const marks = `
targets:
  T1: {origin: First design, says: "2 GPUs 1.8x"}
  T2: {origin: Second report, says: "not on 4"}
  T3: {origin: Third course, says: "builds in 25 s", shown: the log of the build}
rows:
  - {target: T1, workload: a/b, size: L, count: 2, speedup: {min: 1.8}}
  - {target: T1, workload: a/b, size: 1048576, count: 2, computing: {min: 0.99}}
  - {target: T1, workload: a/b, count: 2, utilisation: {min: 0.9}}
  - {target: T1, workload: a/b, count: 2, utilisation_sd: {max: 0.05}}
  - {target: T1, workload: a/b, count: 2, imbalance: {max: 0.1}}
  - {target: T1, workload: a/b, count: 2, bandwidth: {min: 0.75}}
  - {target: T2, workload: a/b, size: 77, count: 4, min_efficiency: 0.8}
`

// fleet is a result whose devices have a peak: half of it is reached.
func fleet() *result.Result {
	res := made(1, as, "a/b")
	for i := range res.Devices {
		res.Devices[i].Peak = &result.Peak{BytesPerSecond: 1e11}
	}
	return edit(res, func(t *result.Trial) {
		t.Bytes = 5e8
		list := t.Times.List()
		for i := range list {
			list[i].Critical, list[i].Device = list[i].Compute[0], list[i].Compute[0]
		}
		t.Times = result.TimesOf(list...)
	})
}

// Each limit names its target, in the words of whose it is; sizes are labels or numbers.
func TestTargets(t *testing.T) {
	r, err := Run(nil, fleet(), Options{Rules: rules(t, marks)})
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		Target, Metric string
		Verdict        Verdict
	}
	var got []line
	for _, row := range r.Rows {
		got = append(got, line{row.Target, row.Metric, row.Verdict})
		if want := map[string]string{"T1": "target T1 of First design: ", "T2": "target T2 of Second report: "}[row.Target]; !strings.HasPrefix(row.Reason, want) || want == "" {
			t.Errorf("%s: %q", row.Target, row.Reason)
		}
		if row.Metric == "bandwidth" && (row.Effect.Value < 0.499 || row.Effect.Value > 0.501) {
			t.Errorf("%+v", row.Effect)
		}
	}
	want := []line{{"T2", Presence, Missing}, {"T1", "computing", Unmet}, {"T1", "bandwidth", Unmet},
		{"T1", "speedup", Met}, {"T1", "utilisation", Met}, {"T1", "utilisation_sd", Met}, {"T1", "imbalance", Met}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Exit != exitMissing {
		t.Errorf("exit code %d", r.Exit)
	}
}

// A device that has less to do than the other is seen in every measure of balance.
func TestMeasuresOfBalance(t *testing.T) {
	res := edit(fleet(), func(t *result.Trial) {
		for i, x := range t.Times.All() {
			if t.Count == 2 {
				x.Compute[0], x.Compute[1], x.Transfer[1] = 0.9*t.Samples[i], 0.4*t.Samples[i], 0.1*t.Samples[i]
			}
		}
	})
	g := &gate{fresh: rowsOf(res)}
	for name, want := range map[string]float64{"utilisation": 0.5, "utilisation_sd": 0.2, "imbalance": 0.2 / 0.7, "computing": 0.65, "exchange": 0.05} {
		for i := range g.fresh.rows {
			if r := &g.fresh.rows[i]; r.Count == 2 {
				if e := measures[name](&side{res, r}); e == nil || e.Value < 0.995*want || e.Value > 1.005*want {
					t.Errorf("%s: %+v, want %g", name, e, want)
				}
			}
		}
	}
	// Without device times there is no such value: the limit guards nothing.
	edit(res, func(t *result.Trial) { t.Times = result.Times{} })
	r, err := Run(nil, res, Options{Rules: rules(t, "rows: [{workload: a/b, count: 2, imbalance: {max: 0.1}}]")})
	if err != nil || len(r.Rows) != 1 || r.Rows[0].Verdict != Missing || r.Rows[0].Code != "no_value" {
		t.Errorf("%v, %+v", err, r.Rows)
	}
}

// Synchronization (T7) is decided by six launches and more, on either side of its mark;
// with fewer, and by the quick preset, the reason is said.
func TestSynchronization(t *testing.T) {
	for _, c := range []struct {
		launches int
		preset   string
		share    float64 // of the time that devices compute
		want     Verdict
		reason   string
	}{
		{7, "default", .97, Met, "within the limits"},
		{6, "default", .97, Met, "within the limits"},
		{7, "default", .93, Unmet, "below the minimum"},
		{7, "default", .95, Inconclusive, "use more launches"},
		{5, "default", .97, Inconclusive, "too few launches for an interval; use --launches 7"},
		{3, "default", .97, Inconclusive, "3 launches, a verdict takes 5 or more; use --launches 7"},
		{3, "default", .5, Inconclusive, "3 launches, a verdict takes 5 or more; use --launches 7"},
		{7, "quick", .97, Inconclusive, "quick preset"},
	} {
		res := edit(fleet(), func(t *result.Trial) {
			for i, x := range t.Times.All() {
				for d := range x.Compute {
					x.Compute[d] = (c.share + .002*float64(t.Launch-3)) * t.Samples[i]
				}
			}
		})
		res.Plan.Preset = c.preset
		res.Trials = slices.DeleteFunc(res.Trials, func(t result.Trial) bool { return t.Launch >= c.launches })
		r, err := Run(nil, res, Options{Rules: rules(t, "rows: [{workload: a/b, count: 2, computing: {min: 95%}}]")})
		if err != nil || len(r.Rows) != 1 {
			t.Fatalf("%v, %+v", err, r)
		}
		if row := r.Rows[0]; row.Verdict != c.want || !strings.Contains(row.Reason, c.reason) {
			t.Errorf("%d launches, %s, %g: %s, %s", c.launches, c.preset, c.share, row.Verdict, row.Reason)
		}
	}
}

// The page says met or missed, by how much and whose target it is.
func TestTargetsPage(t *testing.T) {
	r, err := Run(nil, fleet(), Options{Rules: rules(t, marks)})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "targets.md", []byte(page(t, r)))
	edited := edit(fleet(), func(t *result.Trial) { t.Status, t.Reason = result.WrongResult, "off by one" })
	if r, err = Run(nil, edited, Options{Rules: rules(t, marks)}); err != nil {
		t.Fatal(err)
	}
	if text := page(t, r); strings.Count(text, "**wrong result**") != 6 || !strings.Contains(text, "| T1 | First design | 2 GPUs 1.8x | - | 6 | - | - |") {
		t.Error(text)
	}
}

func page(t *testing.T, r *Report) string {
	t.Helper()
	raw, err := Render(r, "targets")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A page of quick rows says so, in front and at every row that it keeps undecided.
func TestQuickPage(t *testing.T) {
	page := func(preset string) string {
		res := fleet()
		res.Plan.Preset = preset
		r, err := Run(nil, res, Options{Rules: rules(t, marks)})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := Render(r, "targets")
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	quick := page("quick")
	if !strings.Contains(quick, "**Quick preset: it takes too few launches for a verdict") || strings.Count(quick, "**undecided** | quick preset |") != 6 || strings.Contains(quick, "| met |  |") {
		t.Error(quick)
	}
	if text := page("default"); strings.Contains(text, "uick preset") || !strings.Contains(text, "preset default, seed") {
		t.Error(text)
	}
}

// That a row was measured meets no target whose mark is a number: it stays undecided, and
// the page says what to look at. Limits decide as ever.
func TestTargetsWithoutALimit(t *testing.T) {
	r, err := Run(nil, fleet(), Options{Strict: true, Rules: rules(t, `
targets:
  T6: {origin: First design, says: "above 80 %", undecided: the map of links}
  T8: {origin: First design, says: identical}
rows:
  - {target: T6, workload: a/b, count: 2, required: true}
  - {target: T6, workload: a/b, count: 1, time: {max: 1}}
  - {target: T6, workload: c/d, required: true}
  - {target: T8, workload: a/b, count: 2, required: true}
`)})
	if err != nil {
		t.Fatal(err)
	}
	got := map[Verdict]string{}
	for _, row := range r.Rows {
		got[row.Verdict] += row.Target + row.Metric + row.Code + " "
	}
	want := map[Verdict]string{Inconclusive: "T6presenceno_limit ", Missing: "T6presencenot_measured ", Met: "T6time T8presence "}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	raw, err := Render(r, "targets")
	if err != nil || !strings.Contains(string(raw), "- T6 (First design): the map of links\n") || !strings.Contains(string(raw), "| T6 | First design | above 80 % | 1 | - | 1 | 1 |") {
		t.Errorf("%s %v", raw, err)
	}
}

func TestBadTargets(t *testing.T) {
	for text, says := range map[string]string{
		"targets: [a]":                                                  "expected `ID: {origin",
		"targets: {T1: {origin: a}}":                                    "needs a name, origin and says",
		"targets: {T1: {origin: [a], says: b}}":                         "plain value",
		"targets: {T1: {orgin: a, says: b}}":                            "did you mean origin?",
		"targets: {T1: {origin: a, says: b}, T1: {origin: a, says: b}}": "target T1 is already stated",
		"targets: {T1: {origin: a, says: b}}":                           "target T1: give it rows",
		"targets: {T1: {origin: a, says: b, shown: c}}\nrows: [{target: T1, workload: a, required: true}]": "not both",
		"rows: [{target: T9, workload: a, required: true}]":                                                `target "T9" is not among the targets`,
		"rows: [{workload: a, speedup: {}}]":                                                               "min, max or both",
		"rows: [{workload: a, imbalance: {min: 2, max: 1}}]":                                               "above the maximum",
	} {
		if _, err := ReadRules(strings.NewReader(text)); !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v; want %q", text, err, says)
		}
	}
}

// Results of the same devices are judged together; a row must not be in two of them.
func TestTogether(t *testing.T) {
	other := func() *result.Result { return made(2, as, "c/d") }
	names := []string{"x.json", "y.json"}
	all, err := Together(names, []*result.Result{made(1, as, "a/b"), other()})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(nil, all, Options{Rules: rules(t, "rows: [{workload: a/b, count: 2, speedup: {min: 1.8}}, {workload: c/d, count: 2, min_efficiency: 0.9}]")})
	if err != nil || r.Exit != 0 || r.Count(Met) != 2 {
		t.Errorf("%v, %+v", err, r)
	}
	devices, preset, seed := other(), other(), other()
	devices.Devices[1].UUID = "another"
	preset.Plan.Preset = "quick"
	seed.Plan.Seed = 1
	for says, b := range map[string]*result.Result{"devices": devices, "preset": preset, "seed": seed, "in x.json and in y.json": made(2, as, "a/b")} {
		if _, err := Together(names, []*result.Result{made(1, as, "a/b"), b}); !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if _, err := Together(nil, nil); !errors.Is(err, ErrRequest) {
		t.Error(err)
	}
}
