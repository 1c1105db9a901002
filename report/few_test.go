package report_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// threeLaunches is the scaling fixture with three of its blocks.
func threeLaunches() *result.Result {
	res := scaling()
	res.Plan.Launches = 3
	res.Trials = slices.DeleteFunc(res.Trials, func(t result.Trial) bool { return t.Block > 2 })
	return res
}

// TestThreeLaunches: every format for people says which interval is Student's, JSON and
// CSV name it, and formats that others decide by have none.
func TestThreeLaunches(t *testing.T) {
	for format, want := range map[string]string{
		"text":  `1\.\d\d +0\.\d{3} \[0\.\d{3}, \d\.\d{3}\] t `,
		"md":    `0\.\d{3} \\\[0\.\d{3}, \d\.\d{3}\\\] t `,
		"html":  `0\.\d{3} \[0\.\d{3}, \d\.\d{3}\] t<`,
		"json":  `"efficiency": \{[^}]*"method": "student-t"`,
		"csv":   `,student-t,`,
		"junit": `efficiency 0\.\d* \[0\.\d*, \d\.\d*\] student-t`,
	} {
		var b bytes.Buffer
		if _, err := report.Render(threeLaunches(), []string{format}, "", &b); err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(want).Match(b.Bytes()) {
			t.Errorf("%s has no %s", format, want)
		}
		if format != "csv" && !strings.Contains(b.String(), "Student&#39;s interval over 3 launches") && !strings.Contains(b.String(), "Student's interval over 3 launches") {
			t.Errorf("%s does not say what the interval is", format)
		}
		if format == "html" && (!strings.Contains(b.String(), "few launches, no verdict") || strings.Contains(b.String(), "scales well")) {
			t.Error("html gives a verdict")
		}
	}
	for format, never := range map[string]string{"bmf": `lower_value`, "openmetrics": `(?m)^amgpu_(efficiency|speedup)_(low|high)_ratio\{`} {
		var b bytes.Buffer
		if _, err := report.Render(threeLaunches(), []string{format}, "", &b); err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(never).Find(b.Bytes()); found != nil {
			t.Errorf("%s has %s", format, found)
		}
	}
}

// TestThreeLaunchesDecideNothing: a limit that the whole of Student's interval keeps is
// neither met nor missed by three launches.
func TestThreeLaunchesDecideNothing(t *testing.T) {
	rules, err := gate.ReadRules(strings.NewReader("rows: [{workload: linalg/matmul, mode: strong, count: 2, min_efficiency: 0.01, speedup: {min: 0.01}}]"))
	if err != nil {
		t.Fatal(err)
	}
	row := func(res *result.Result) result.Summary {
		rows, _, _ := stat.Summary(res)
		return rows[slices.IndexFunc(rows, func(r result.Summary) bool {
			return r.Workload == "linalg/matmul" && r.Mode == "strong" && r.Count == 2
		})]
	}
	if e := row(threeLaunches()).Efficiency; e.Low == nil || *e.Low < .01 {
		t.Fatalf("%+v", e)
	}
	for n, want := range map[gate.Verdict]*result.Result{gate.Inconclusive: threeLaunches(), gate.Met: scaling()} {
		out, err := gate.Run(nil, want, gate.Options{Rules: rules})
		if err != nil {
			t.Fatal(err)
		}
		out.Rows = slices.DeleteFunc(out.Rows, func(r gate.Row) bool { return r.Workload != "linalg/matmul" })
		if len(out.Rows) != 2 {
			t.Fatal(out.Rows)
		}
		for _, r := range out.Rows {
			if r.Verdict != n {
				t.Errorf("%s of %d launches: %s, %s", r.Metric, want.Plan.Launches, r.Verdict, r.Reason)
			}
		}
	}
}
