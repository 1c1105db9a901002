package export

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

type testSuites struct {
	XMLName xml.Name  `xml:"testsuites"`
	Name    string    `xml:"name,attr"`
	Suite   testSuite `xml:"testsuite"`
	counts
}

type testSuite struct {
	Name       string     `xml:"name,attr"`
	Timestamp  string     `xml:"timestamp,attr,omitempty"`
	Properties []property `xml:"properties>property"`
	Cases      []testCase `xml:"testcase"`
	counts
}

type counts struct {
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type testCase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    string   `xml:"time,attr"`
	Error   *outcome `xml:"error"`
	Skipped *outcome `xml:"skipped"`
	Out     string   `xml:"system-out,omitempty"`
}

type outcome struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
}

// JUnit writes one test case per row. Wrong results, lost and failed devices are
// errors; what could not be measured, or measured so that no verdict may rest on
// it, is skipped; a report has no failures, which are the gate's. The time of a
// case is that of one iteration, so that a CI's trend of it is the row's. A result
// without rows is an error, not a success of nothing.
func JUnit(w io.Writer, res *result.Result, summary []result.Summary) error {
	s := testSuite{Name: "amgpu report"}
	if !res.Created.IsZero() {
		s.Timestamp = res.Created.UTC().Format("2006-01-02T15:04:05")
	}
	for _, p := range []part{{"fingerprint", res.Fingerprint}, {"tool", res.Tool.Version}, {"preset", res.Plan.Preset},
		{"seed", strconv.FormatUint(res.Plan.Seed, 10)},
		{"devices", inventory(res.Devices, func(d result.Device) string { return d.Name })},
		{"drivers", inventory(res.Devices, func(d result.Device) string { return d.Driver })}} {
		s.Properties = append(s.Properties, property{p.key, line(p.value)})
	}
	total := 0.0
	for i := range summary {
		r := &summary[i]
		if r.Seconds != nil {
			total += r.Seconds.Median
		}
		s.add(caseOf(r))
	}
	if len(summary) == 0 {
		s.add(testCase{Class: "amgpu", Name: "rows", Time: "0", Error: &outcome{"nothing was measured", "nothing-measured"}})
	}
	s.Time = number(&total)
	all := testSuites{Name: "amgpu", Suite: s, counts: s.counts}
	raw, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, raw)
	return err
}

func (s *testSuite) add(c testCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Error != nil {
		s.Errors++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
}

func caseOf(r *result.Summary) testCase {
	c := testCase{Class: "amgpu." + strings.ReplaceAll(encode(r.Workload, "="), "/", "."), Name: rowName(r), Time: "0"}
	o := &outcome{Message: line(r.Reason), Type: line(r.Status)}
	if o.Message == "" {
		o.Message = o.Type
	}
	switch r.Status {
	case result.OK, result.Throttled:
		c.Out = numbers(r)
	case result.Unsupported, result.Skipped, result.AbovePeak:
		o.Message, o.Type = o.Type+": "+o.Message, "" // the schema has no type here
		c.Skipped = o
	default: // wrong-result, device-lost, degraded, and what newer versions know
		c.Error = o
	}
	if r.Seconds != nil {
		c.Time = number(&r.Seconds.Median)
	}
	return c
}

// numbers is the row in words.
func numbers(r *result.Summary) string {
	var lines []string
	say := func(name string, v, low, high *float64, unit string) {
		text := name + " " + number(v)
		if low != nil && high != nil {
			text += " [" + number(low) + ", " + number(high) + "]"
		}
		lines = append(lines, strings.TrimSpace(text+" "+line(unit)))
	}
	if s := r.Seconds; s != nil {
		say("time", &s.Median, s.Low, s.High, "s")
	}
	for _, v := range []struct {
		name string
		v    *result.Value
	}{{"rate", r.Rate}, {"speedup", r.Speedup}, {"efficiency", r.Efficiency}} {
		if v.v != nil {
			say(v.name, &v.v.Value, v.v.Low, v.v.High, strings.TrimSpace(v.v.Unit+" "+v.v.Method))
		}
	}
	if r.Status != result.OK {
		lines = append(lines, line(r.Status+": "+r.Reason))
	}
	for _, x := range r.Warnings {
		lines = append(lines, "warning: "+line(x.Text))
	}
	return strings.Join(lines, "\n")
}
