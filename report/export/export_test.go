package export_test

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/report/export"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

var update = flag.Bool("update", false, "rewrite golden files")

func load(t *testing.T, name string) (*result.Result, []result.Summary) {
	t.Helper()
	res, err := result.Read("../testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	rows, _, _ := stat.Summary(res)
	return res, rows
}

func TestCSV(t *testing.T) {
	for _, name := range []string{"scaling", "unequal", "hostile"} {
		_, rows := load(t, name)
		var b bytes.Buffer
		if err := export.CSV(&b, rows); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(bytes.NewReader(b.Bytes())).ReadAll()
		if err != nil || len(lines) != len(rows)+1 {
			t.Fatalf("%s: %d lines, %v", name, len(lines), err)
		}
		at := map[string]int{}
		for i, h := range lines[0] {
			at[h] = i
		}
		for i, r := range rows {
			line := lines[i+1]
			if line[at["workload"]] != r.Workload || line[at["status"]] != r.Status {
				t.Errorf("line %d: %v", i, line)
			}
			if r.Rate == nil {
				if line[at["rate"]] != "" || line[at["seconds"]] != "" {
					t.Errorf("a row without a rate prints one: %v", line)
				}
				continue
			}
			if v, err := strconv.ParseFloat(line[at["rate"]], 64); err != nil || v != r.Rate.Value {
				t.Errorf("rate %q is not %v", line[at["rate"]], r.Rate.Value)
			}
		}
		if name == "scaling" {
			golden(t, "testdata/scaling.csv", b.Bytes())
		}
	}
}

// TestCSVInvalidClockAndRoof: how many samples were left out and why, the clock, the roof.
func TestCSVInvalidClockAndRoof(t *testing.T) {
	clock, low := 1.83e9, .4
	var b bytes.Buffer
	err := export.CSV(&b, []result.Summary{
		{Clock: &clock, Memory: &result.Memory{Peak: 5, Saved: &low, Used: &result.Range{Least: .1, Most: .9}}, Efficiency: &result.Value{Value: 1, Low: &low, High: &clock, Method: result.StudentT}, Roof: &result.RoofShare{Value: .5, Low: &low, Roof: result.RoofMemory}, Invalid: []result.InvalidCount{{Reason: result.InvalidThrottled, Count: 3}, {Reason: result.InvalidDevice, Count: 1}}}, {}})
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"invalid,invalid_reasons,clock,of_roof,of_roof_low,of_roof_high,roof,efficiency_method,memory_peak,memory_saved,memory_used", "4,throttled=3;device-error=1,1.83e+09,0.5,0.4,,memory,student-t,5,0.4,0.9", "0,,,,,,,,,,"} {
		if n := len(lines[i]); strings.Join(lines[i][n-11:], ",") != want {
			t.Errorf("line %d ends with %v, want %s", i, lines[i][n-11:], want)
		}
	}
}

func TestCSVHoldsNoFormulas(t *testing.T) {
	for from, want := range map[string]string{
		`=HYPERLINK("http://x")`: `'=HYPERLINK("http://x")`, "@SUM(1)": "'@SUM(1)", "+cmd|x": "'+cmd|x", "-x": "'-x",
		"-1.5": "-1.5", "linalg/matmul": "linalg/matmul", "": "",
	} {
		var b bytes.Buffer
		if err := export.CSV(&b, []result.Summary{{Key: result.Key{Workload: from}}}); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&b).ReadAll()
		if err != nil || lines[1][0] != want {
			t.Errorf("%q is written as %q, want %q, %v", from, lines[1][0], want, err)
		}
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		if err := os.WriteFile(path+".new", got, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s differs; compare with %s.new, then run go test -update", path, path)
	}
}

// TestJSON: what is written has the recomputed summary and reads back the same.
func TestJSON(t *testing.T) {
	res, rows := load(t, "scaling")
	_, laws, warnings := stat.Summary(res)
	var b bytes.Buffer
	if err := export.JSON(&b, res, rows, laws, warnings); err != nil {
		t.Fatal(err)
	}
	got, err := result.Decode(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(rows, got.Summary); d != "" {
		t.Error(d)
	}
	if len(res.Summary) != 0 {
		t.Error("the result itself was changed")
	}
}
