package cmd

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestReportScripts are about numbers that a report gives for published data.
func TestReportScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/report",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exitcode": exitcode,
			"schema":   schema,
			"number":   number,
		},
	})
}

// number PATH WANT TOLERANCE: the JSON on the last stdout holds at PATH, such as
// laws.0.usl.sigma, a number within TOLERANCE of WANT; a tolerance that ends in %
// is relative to WANT. ! number PATH: it is null or not there.
func number(ts *testscript.TestScript, neg bool, args []string) {
	if !neg && len(args) != 3 || neg && len(args) != 1 {
		ts.Fatalf("usage: number PATH WANT TOLERANCE, ! number PATH")
	}
	var doc any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &doc))
	for part := range strings.SplitSeq(args[0], ".") {
		switch at := doc.(type) {
		case map[string]any:
			doc = at[part]
		case []any:
			i, err := strconv.Atoi(part)
			ts.Check(err)
			if i >= len(at) {
				ts.Fatalf("%s: only %d elements", args[0], len(at))
			}
			doc = at[i]
		default:
			doc = nil
		}
	}
	got, ok := doc.(float64)
	if neg {
		if ok {
			ts.Fatalf("%s is %v, want none", args[0], got)
		}
		return
	}
	if !ok {
		ts.Fatalf("%s is no number: %v", args[0], doc)
	}
	want, err := strconv.ParseFloat(args[1], 64)
	ts.Check(err)
	text, relative := strings.CutSuffix(args[2], "%")
	tolerance, err := strconv.ParseFloat(text, 64)
	ts.Check(err)
	if relative {
		tolerance *= math.Abs(want) / 100
	}
	if math.Abs(got-want) > tolerance {
		ts.Fatalf("%s is %.12g, want %.12g within %g", args[0], got, want, tolerance)
	}
}

func TestPredictions(t *testing.T) {
	got, err := predictions("16, 2")
	if err != nil || len(got) != 2 || got[0] != 16 || got[1] != 2 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := predictions(""); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"0", "-1", "x", "1.5", ",", "99999999"} {
		if _, err := predictions(bad); codeFor(err) != codeUsage {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
