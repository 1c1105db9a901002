package table_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/table"
)

// TestParameter: on a bound there is one end, and it never looks like the value (P6).
func TestParameter(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	for want, got := range map[string]string{
		"0.031 [0.028, 0.034]":                                   table.Parameter(.031, f(.028), f(.034), "", 3),
		"0.031":                                                  table.Parameter(.031, nil, nil, "", 3),
		"0 (on its bound; at most 0.0123)":                       table.Parameter(0, nil, f(.0123), result.OnLower, 3),
		"0 (on its bound; at most 4.5e-05)":                      table.Parameter(0, nil, f(4.5e-5), result.OnLower, 3),
		"0 (on its bound)":                                       table.Parameter(0, nil, f(0), result.OnLower, 3),
		"1 (on its bound; at least 0.987)":                       table.Parameter(1, f(.987), nil, result.OnUpper, 3),
		"1 (on its bound; at least 0.99996)":                     table.Parameter(1, f(.99996), nil, result.OnUpper, 3),
		"1 (on its bound; at least 0.0031)":                      table.Parameter(1, f(.0031), nil, result.OnUpper, 3),
		"1 (on its bound; at least 2e-05)":                       table.Parameter(1, f(2e-5), nil, result.OnUpper, 3),
		"0 (on its bound; at most 0.9999)":                       table.Parameter(0, nil, f(.9999), result.OnLower, 3),
		"1 (on its bound; the data allow any value from 0 to 1)": table.Parameter(1, f(0), nil, result.OnUpper, 3),
		"0 (on its bound; the data allow any value from 0 to 1)": table.Parameter(0, nil, f(1), result.OnLower, 3),
		"1 (on its bound)":                                       table.Parameter(1, nil, nil, result.OnUpper, 3),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestInvalidAndClock: invalid samples are counted and named under their row, and the
// clock is a column where it is known.
func TestInvalidAndClock(t *testing.T) {
	res := load(t, "solo")
	var text bytes.Buffer
	if err := table.Text(&text, table.Build(res)); err != nil || strings.Contains(text.String(), "clock") {
		t.Fatalf("%v: %s", err, text.String())
	}
	for i := range res.Trials {
		res.Trials[i].Clocks = []float64{1.83e9}
	}
	res.Trials[0].Invalid = []result.InvalidSample{{Index: 1, Reason: result.InvalidThrottled, Detail: "thermal"}}
	text.Reset()
	if err := table.Text(&text, table.Build(res)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"clock", "1.83 GHz", "samples are invalid: 1 throttled (left out of the median)"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
}

// TestEnergyColumn: joules per unit of work are a column where a counter exists.
func TestEnergyColumn(t *testing.T) {
	res := load(t, "solo")
	for i := range res.Trials {
		res.Trials[i].Energy = &result.Energy{Joules: 2e-12 * res.Trials[i].Work.Value, Seconds: 6}
	}
	var text bytes.Buffer
	if err := table.Text(&text, table.Build(res)); err != nil {
		t.Fatal(err)
	}
	if want := "2.00 pJ/" + res.Trials[0].Work.Unit; !strings.Contains(text.String(), want) || !strings.Contains(text.String(), "energy") {
		t.Errorf("%q is not in\n%s", want, text.String())
	}
}
