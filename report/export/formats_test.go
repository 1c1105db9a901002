package export_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/report/export"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// writers are the formats of other programs by the suffix of their golden files.
var writers = map[string]func(io.Writer, *result.Result) error{
	"csv": func(w io.Writer, res *result.Result) error { return export.CSV(w, summary(res)) },
	"junit.xml": func(w io.Writer, res *result.Result) error {
		return export.JUnit(w, res, summary(res))
	},
	"bench.txt": func(w io.Writer, res *result.Result) error { return export.Benchfmt(w, res, stat.Rows(res)) },
	"bmf.json":  func(w io.Writer, res *result.Result) error { return export.BMF(w, summary(res)) },
	"prom": func(w io.Writer, res *result.Result) error {
		return export.OpenMetrics(w, res, summary(res))
	},
	"trace.json": func(w io.Writer, res *result.Result) error { return export.Trace(w, res, stat.Rows(res)) },
}

func summary(res *result.Result) []result.Summary {
	rows, _, _ := stat.Summary(res)
	return rows
}

// withSpans gives every launch with device times the spans that they imply: a copy
// that ends within the computation, as hidden communication does.
func withSpans(res *result.Result) *result.Result {
	for i := range res.Trials {
		t := &res.Trials[i]
		if t.Times.Len() == 0 {
			continue
		}
		for k, d := range t.Devices {
			c, x := t.Times.At(0).Compute[k], t.Times.At(0).Transfer[k]
			t.Spans = append(t.Spans, result.Span{Device: d, Kind: "compute", Label: t.Workload, Start: -1e-7, End: c},
				result.Span{Device: d, Kind: "transfer", Start: c / 2, End: c + x})
		}
	}
	return res
}

func write(t *testing.T, suffix string, res *result.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := writers[suffix](&b, res); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for _, name := range []string{"scaling", "unequal", "quick", "solo", "hostile"} {
		res, _ := load(t, name)
		for suffix := range writers {
			if suffix == "trace.json" {
				res = withSpans(res)
			}
			got := write(t, suffix, res)
			if name != "scaling" || suffix == "csv" || suffix == "junit.xml" { // the others are long and say no more
				golden(t, "testdata/"+name+"."+suffix, []byte(got))
			}
			res, _ = load(t, name)
			if again := write(t, suffix, res); suffix != "trace.json" && again != got {
				t.Errorf("%s of %s differs from one writing to the next", suffix, name)
			}
			if suffix != "csv" && strings.ContainsAny(got, "\x1b\u202e") { // a table keeps texts as they are
				t.Errorf("%s of %s holds control characters", suffix, name)
			}
		}
	}
}

// TestBenchfmt: every line is one the format's grammar knows, the launches are those
// of the statistics, and a rate times its time is the work.
func TestBenchfmt(t *testing.T) {
	config := regexp.MustCompile(`^[a-z][^\sA-Z:]*: \S.*$`)
	unit := regexp.MustCompile(`^Unit \S+ better=(higher|lower)$`)
	bench := regexp.MustCompile(`^Benchmark[^\sa-z]\S*/gpus=\d+ \d+ \S+ sec/op( \S+ \S+/s)?$`)
	for _, name := range []string{"scaling", "unequal", "quick", "solo", "hostile"} {
		res, _ := load(t, name)
		var times []float64
		for _, r := range stat.Rows(res) {
			if r.Seconds != nil {
				times = append(times, r.Times...)
			}
		}
		var got []float64
		for _, l := range strings.Split(strings.TrimSuffix(write(t, "bench.txt", res), "\n"), "\n") {
			switch {
			case bench.MatchString(l):
				f := strings.Fields(l)
				s, err := strconv.ParseFloat(f[2], 64)
				if err != nil {
					t.Error(err)
				}
				got = append(got, s)
			case !config.MatchString(l) && !unit.MatchString(l):
				t.Errorf("%s: no line of the format: %q", name, l)
			}
		}
		if d := cmp.Diff(times, got); d != "" || len(got) == 0 {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestNamesDiffer: rows that differ in one fact, or in characters that cannot stand
// in a name, have different names in every format.
func TestNamesDiffer(t *testing.T) {
	base := result.Key{Workload: "a/b", Mode: "strong", Size: result.Size{Label: "M", N: 8}, Strategy: "equal"}
	var rows []result.Summary
	for _, change := range []func(*result.Summary){
		func(*result.Summary) {}, func(r *result.Summary) { r.Workload = "A/b" }, func(r *result.Summary) { r.Workload = "a.b" }, func(r *result.Summary) { r.Workload = "a b" },
		func(r *result.Summary) { r.Workload = "a\tb" }, func(r *result.Summary) { r.Workload = "a%20b" },
		func(r *result.Summary) { r.Workload = "a/b/mode=strong" }, func(r *result.Summary) { r.Workload = "a\xffb" },
		func(r *result.Summary) { r.Workload = "a\ufffdb" }, func(r *result.Summary) { r.Workload = "a\u200bb" },
		func(r *result.Summary) { r.Workload = "" }, func(r *result.Summary) { r.Workload = "%61/b" },
		func(r *result.Summary) { r.Workload = strings.Repeat("x", 3000) }, func(r *result.Summary) { r.Workload = strings.Repeat("x", 3001) },
		func(r *result.Summary) { r.Mode = "weak" }, func(r *result.Summary) { r.Size.N = 9 }, func(r *result.Summary) { r.Count = 2 },
		func(r *result.Summary) { r.Split = "rows/gpus=1" }, func(r *result.Summary) { r.Transport = "host" }, func(r *result.Summary) { r.Cache = "cold" },
		func(r *result.Summary) { r.Mode, r.Teams = "solo", [][]int{{0}} }, func(r *result.Summary) { r.Mode, r.Teams = "solo", [][]int{{1}} },
	} {
		r := result.Summary{Key: base, Count: 1, Status: result.OK, Seconds: &result.Median{Median: 1}}
		change(&r)
		rows = append(rows, r)
	}
	var b bytes.Buffer
	if err := export.BMF(&b, rows); err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(b.Bytes(), &all); err != nil || len(all) != len(rows) {
		t.Errorf("%d names of %d rows, %v: %v", len(all), len(rows), err, slices.Sorted(maps.Keys(all)))
	}
	for name := range all {
		if len(name) > 1024 {
			t.Errorf("a name of %d bytes", len(name))
		}
	}
	b.Reset()
	if err := export.OpenMetrics(&b, &result.Result{}, rows); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, l := range strings.Split(b.String(), "\n") {
		if strings.HasPrefix(l, "amgpu_iteration_seconds{") {
			names[l] = true
		}
	}
	if len(names) != len(rows) {
		t.Errorf("%d series of %d rows", len(names), len(rows))
	}
	b.Reset()
	var bench []stat.Row
	for _, r := range rows {
		bench = append(bench, stat.Row{Summary: r, Trials: []*result.Trial{{Status: result.OK, Samples: []float64{1}}}})
	}
	if err := export.Benchfmt(&b, &result.Result{}, bench); err != nil {
		t.Fatal(err)
	}
	clear(names)
	for _, l := range strings.Split(b.String(), "\n") {
		if strings.HasPrefix(l, "Benchmark") {
			names[strings.Fields(l)[0]] = true
		}
	}
	if len(names) != len(rows) {
		t.Errorf("%d benchmarks of %d rows", len(names), len(rows))
	}
}

// TestJUnitOutcomes: every status has its element, and the counts are those of the
// elements.
func TestJUnitOutcomes(t *testing.T) {
	want := map[string]string{result.OK: "", result.Throttled: "", result.Unsupported: "skipped", result.Skipped: "skipped", result.AbovePeak: "skipped",
		result.WrongResult: "error", result.DeviceLost: "error", result.Degraded: "error", "from-a-newer-version": "error"}
	var rows []result.Summary
	for _, s := range slices.Sorted(maps.Keys(want)) {
		rows = append(rows, result.Summary{Key: result.Key{Workload: "w/" + s, Mode: "strong"}, Count: 1, Status: s, Reason: "device 1: <&>\x00"})
	}
	var got struct {
		Tests   int `xml:"tests,attr"`
		Errors  int `xml:"errors,attr"`
		Skipped int `xml:"skipped,attr"`
		Cases   []struct {
			Class string `xml:"classname,attr"`
			Error *struct {
				Type    string `xml:"type,attr"`
				Message string `xml:"message,attr"`
			} `xml:"error"`
			Skipped *struct {
				Message string `xml:"message,attr"`
			} `xml:"skipped"`
		} `xml:"testsuite>testcase"`
	}
	parse := func(rows []result.Summary) {
		var b bytes.Buffer
		if err := export.JUnit(&b, &result.Result{}, rows); err != nil {
			t.Fatal(err)
		}
		got.Cases = nil
		if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
	}
	parse(rows)
	if got.Tests != 9 || got.Errors != 4 || got.Skipped != 3 || len(got.Cases) != 9 {
		t.Errorf("%+v", got)
	}
	for _, c := range got.Cases {
		status := strings.TrimPrefix(c.Class, "amgpu.w.")
		switch want[status] {
		case "error":
			if c.Error == nil || c.Error.Type != status || c.Error.Message != "device 1: <&>" {
				t.Errorf("%s: %+v", status, c.Error)
			}
		case "skipped":
			if c.Skipped == nil || c.Skipped.Message != status+": device 1: <&>" {
				t.Errorf("%s: %+v", status, c.Skipped)
			}
		default:
			if c.Error != nil || c.Skipped != nil {
				t.Errorf("%s does not pass", status)
			}
		}
	}
	if parse(nil); got.Tests != 1 || got.Errors != 1 || got.Cases[0].Error.Type != "nothing-measured" {
		t.Errorf("nothing measured passes: %+v", got)
	}
}

// TestOpenMetrics checks what the format demands of its text.
func TestOpenMetrics(t *testing.T) {
	line := regexp.MustCompile(`^([a-z_]+)(\{[a-z]+="([^"\\]|\\[\\"n])*"(,[a-z]+="([^"\\]|\\[\\"n])*")*\})? (\S+)$`)
	for _, name := range []string{"scaling", "unequal", "quick", "solo", "hostile"} {
		res, _ := load(t, name)
		text := write(t, "prom", res)
		body, ok := strings.CutSuffix(text, "# EOF\n")
		if !ok {
			t.Fatalf("%s does not end in # EOF", name)
		}
		seen, series, current := map[string]bool{}, map[string]bool{}, ""
		for _, l := range strings.Split(strings.TrimSuffix(body, "\n"), "\n") {
			if rest, is := strings.CutPrefix(l, "# TYPE "); is {
				current, _, _ = strings.Cut(rest, " ")
				if seen[current] {
					t.Errorf("%s is declared twice", current)
				}
				seen[current] = true
				continue
			}
			if rest, is := strings.CutPrefix(l, "# UNIT "); is {
				family, unit, _ := strings.Cut(rest, " ")
				if family != current || !strings.HasSuffix(family, "_"+unit) {
					t.Errorf("%q", l)
				}
				continue
			}
			if strings.HasPrefix(l, "# HELP "+current+" ") {
				continue
			}
			m := line.FindStringSubmatch(l)
			if m == nil || m[1] != current {
				t.Errorf("%s: %q in the family %s", name, l, current)
				continue
			}
			if series[m[1]+m[2]] {
				t.Errorf("twice: %q", l)
			}
			series[m[1]+m[2]] = true
			if v, err := strconv.ParseFloat(m[6], 64); err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%q", l)
			}
		}
	}
}

// TestTrace: what Perfetto's importer needs. A negative time, a missing duration, a
// thread number used twice or spans that overlap on a thread would lose events.
func TestTrace(t *testing.T) {
	for _, name := range []string{"scaling", "unequal", "hostile"} {
		res, _ := load(t, name)
		var got struct {
			Events []struct {
				Name, Cat, Ph string
				Ts, Dur       *float64
				Pid, Tid      *uint32
				Args          map[string]any
			} `json:"traceEvents"`
		}
		if err := json.Unmarshal([]byte(write(t, "trace.json", withSpans(res))), &got); err != nil {
			t.Fatal(err)
		}
		owner, until, named, spans, onPath := map[uint32]uint32{}, map[uint32]float64{}, map[uint32]bool{}, 0, 0
		for _, e := range got.Events {
			if e.Pid == nil || e.Tid == nil || *e.Pid == 0 || *e.Tid == 0 {
				t.Fatalf("no process or thread: %+v", e)
			}
			switch e.Ph {
			case "M":
				named[*e.Tid] = named[*e.Tid] || e.Name == "thread_name" && e.Args["name"] != ""
			case "X":
				spans++
				if e.Cat == "critical path" {
					onPath++
				}
				if e.Ts == nil || e.Dur == nil || *e.Ts < 0 || *e.Dur < 0 || e.Name == "" || !named[*e.Tid] {
					t.Fatalf("%+v", e)
				}
				if p, used := owner[*e.Tid]; used && p != *e.Pid {
					t.Errorf("thread %d is of two processes", *e.Tid)
				}
				owner[*e.Tid] = *e.Pid
				if *e.Ts < until[*e.Tid] {
					t.Errorf("spans overlap on thread %d", *e.Tid)
				}
				until[*e.Tid] = *e.Ts + *e.Dur
			default:
				t.Errorf("phase %q", e.Ph)
			}
		}
		if spans == 0 || spans == onPath {
			t.Errorf("%s has %d spans, %d on the critical path", name, spans, onPath)
		}
	}
	res, _ := load(t, "quick")
	if text := write(t, "trace.json", res); !json.Valid([]byte(text)) || !strings.Contains(text, `"note":"no launch holds spans`) {
		t.Errorf("without spans: %s", text)
	}
}

// TestTracePath: the critical path is a thread of its own, without gaps.
func TestTracePath(t *testing.T) {
	res, _ := load(t, "quick")
	for i := range res.Trials {
		if tr := &res.Trials[i]; tr.Workload == "linalg/matmul" && tr.Mode == "strong" && tr.Count == 2 {
			tr.Spans = []result.Span{
				{Device: 0, Kind: "host", Label: "start", End: 1e-3}, {Device: 0, Kind: "compute", Start: 1e-3, End: 4e-3}, {Device: 0, Kind: "host", Label: "end", Start: 4e-3, End: 5e-3},
				{Device: 1, Kind: "host", Label: "start", End: 1e-3}, {Device: 1, Kind: "compute", Start: 1e-3, End: 2e-3}, {Device: 1, Kind: "wait", Start: 2e-3, End: 4e-3},
			}
		}
	}
	text := write(t, "trace.json", res)
	for _, want := range []string{
		`"args":{"name":"critical path"}`, `"name":"device 1 wait, `,
		`{"name":"host","cat":"critical path","ph":"X","ts":0,"dur":1000,`, `{"name":"compute of device 0","cat":"critical path","ph":"X","ts":1000,"dur":3000,`,
		`{"name":"host","cat":"critical path","ph":"X","ts":4000,"dur":1000,`, `"args":{"device":0,"span":"end"}`,
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%d times %s in\n%s", strings.Count(text, want), want, text)
		}
	}
}

// TestTraceNamesNodes: in a trace of several nodes the threads say where their device is.
func TestTraceNamesNodes(t *testing.T) {
	res, _ := load(t, "job")
	for i := range res.Trials {
		if tr := &res.Trials[i]; tr.Count == 4 {
			tr.Spans = []result.Span{{Device: 0, Kind: "compute", End: 1e-3}, {Device: 3, Kind: "transfer", Start: 1e-3, End: 2e-3}}
		}
	}
	var b bytes.Buffer
	if err := export.Trace(&b, res, stat.Rows(res)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"device 0 compute, on node1, NVIDIA", "device 3 transfer, on node2, NVIDIA"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestSizesNotKnown: what nobody told is left out, not 0.
func TestSizesNotKnown(t *testing.T) {
	res, _ := load(t, "quick")
	for i := range res.Trials {
		res.Trials[i].Size, res.Trials[i].Total = result.Size{}, 0
	}
	for format, never := range map[string]string{"bench.txt": "/n=", "prom": `,n="`, "junit.xml": "n=0"} {
		if text := write(t, format, res); strings.Contains(text, never) {
			t.Errorf("%s holds %s: %.300s", format, never, text)
		}
	}
}

// TestNoDate: a result that nobody dated is not one of 1970 or of the year 1.
func TestNoDate(t *testing.T) {
	res, _ := load(t, "quick")
	dated := write(t, "prom", res) + write(t, "junit.xml", res)
	res.Created = time.Time{}
	for format, never := range map[string]string{"prom": "amgpu_created_seconds", "junit.xml": "timestamp="} {
		if text := write(t, format, res); strings.Contains(text, never) || !strings.Contains(dated, never) {
			t.Errorf("%s holds %s: %.300s", format, never, text)
		}
	}
}

// TestCSVHeader: pandas and R take the headings as names as they are.
func TestCSVHeader(t *testing.T) {
	head, _, _ := strings.Cut(write(t, "csv", &result.Result{}), "\n")
	seen := map[string]bool{}
	for _, h := range strings.Split(head, ",") {
		if !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(h) || seen[h] {
			t.Errorf("heading %q", h)
		}
		seen[h] = true
	}
	res, _ := load(t, "scaling")
	if text := write(t, "csv", res); !strings.Contains(text, ",TRUE,") || !strings.Contains(text, ",FALSE,") || strings.Contains(text, ",true,") {
		t.Error("truth values are not TRUE and FALSE, which R needs")
	}
}

// TestDegenerate: a file with nothing in it, and one with values at the limits, can
// be written in every format.
func TestDegenerate(t *testing.T) {
	extreme := &result.Result{Trials: []result.Trial{{Key: result.Key{Workload: "w", Mode: "strong"}, Count: 1, Devices: []int{0}, Status: result.OK,
		Verified: true, Samples: []float64{1e-36, 1e36}, Work: result.Work{Value: 1e36, Unit: "x y"},
		Spans: []result.Span{{Device: 7, Kind: "compute", Start: -1e36, End: 1e36}, {Device: -1, Start: 5, End: 1}}}},
		Devices: []result.Device{{}}}
	for _, res := range []*result.Result{{}, extreme} {
		for suffix := range writers {
			if text := write(t, suffix, res); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
				t.Errorf("%s: %s", suffix, text)
			}
		}
	}
}
