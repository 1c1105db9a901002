package gate

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Suite    suite    `xml:"testsuite"`
}

type suite struct {
	Name       string     `xml:"name,attr"`
	Tests      int        `xml:"tests,attr"`
	Failures   int        `xml:"failures,attr"`
	Errors     int        `xml:"errors,attr"`
	Skipped    int        `xml:"skipped,attr"`
	Properties []property `xml:"properties>property"`
	Cases      []testcase `xml:"testcase"`
	Out        string     `xml:"system-out,omitempty"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type testcase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    string   `xml:"time,attr"`
	Failure *outcome `xml:"failure"`
	Error   *outcome `xml:"error"`
	Skipped *outcome `xml:"skipped"`
	Out     string   `xml:"system-out,omitempty"`
}

type outcome struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// junit is one test case per row; regressed rows and unmet limits are failures,
// wrong results, lost devices and missing rows errors, inconclusive and
// incomparable ones skipped. The fingerprint is in the properties.
func junit(r *Report) ([]byte, error) {
	s := suite{Name: "amgpu gate", Tests: len(r.Rows), Out: r.Headline() + "\n" + r.method()}
	for _, p := range append([]Property{{"verdict", string(r.Verdict)}, {"exit", fmt.Sprint(r.Exit)}, {"compared", fmt.Sprint(r.Compared)}, {"expected", fmt.Sprint(r.Expected)}}, r.Properties...) {
		s.Properties = append(s.Properties, property{p.Name, clean(p.Value)})
	}
	for i, name := range caseNames(r.Rows) {
		row := &r.Rows[i]
		c := testcase{Class: "amgpu." + strings.ReplaceAll(clean(row.Workload), "/", "."), Name: name, Time: "0"}
		o := &outcome{Message: effectText(row.Effect) + " " + why(row), Type: string(row.Verdict)}
		switch row.Verdict {
		case Regressed, Unmet:
			c.Failure = o
			s.Failures++
		case WrongResult, DeviceLost:
			c.Error = o
			s.Errors++
		case Missing:
			if row.Tolerated {
				o.Type, c.Skipped = "", o
				s.Skipped++
				break
			}
			c.Error = o
			s.Errors++
		case Inconclusive, Incomparable:
			o.Message, o.Type = string(row.Verdict)+": "+o.Message, ""
			c.Skipped = o
			s.Skipped++
		default:
			c.Out = string(row.Verdict) + ": " + o.Message
		}
		s.Cases = append(s.Cases, c)
	}
	all := suites{Name: "amgpu", Tests: s.Tests, Failures: s.Failures, Errors: s.Errors, Skipped: s.Skipped, Suite: s}
	raw, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(append([]byte(xml.Header), raw...), '\n'), nil
}

// caseNames tell every test case from the others, as readers of JUnit keep one of those
// that are called alike: a comparison and the limits of its row may be of one metric.
func caseNames(rows []Row) []string {
	out, seen := names(rows), map[string]int{}
	for i := range rows {
		r := &rows[i]
		out[i] += " " + r.Metric
		if limit := strings.TrimSpace(r.Target + " " + r.Limit); limit != "" {
			out[i] += " (" + clean(limit) + ")"
		}
		if seen[out[i]]++; seen[out[i]] > 1 {
			out[i] += fmt.Sprintf(" #%d", seen[out[i]])
		}
	}
	return out
}

// annotations is how many errors, and how many warnings, GitHub shows of a step.
const annotations = 10

// github is workflow commands: an annotation per row that fails or is in doubt, as
// many as are shown, then the outcome.
func github(r *Report) ([]byte, error) {
	var failed, doubtful []string
	for i, name := range names(r.Rows) {
		row := &r.Rows[i]
		message := fmt.Sprintf("%s %s: %s, %s", name, row.Metric, effectText(row.Effect), why(row))
		switch {
		case grave(row):
			failed = append(failed, annotation("error", r.NewFile, string(row.Verdict), message))
		case row.Verdict == Inconclusive || row.Verdict == Missing:
			doubtful = append(doubtful, annotation("warning", r.NewFile, string(row.Verdict), message))
		}
	}
	for _, d := range r.doubts() {
		doubtful = append(doubtful, annotation("warning", r.NewFile, "doubt", d))
	}
	var b bytes.Buffer
	failed, doubtful = most(failed, "error", r.NewFile), most(doubtful, "warning", r.NewFile)
	for _, line := range append(failed, doubtful...) {
		fmt.Fprintln(&b, line)
	}
	fmt.Fprintln(&b, annotation("notice", r.NewFile, string(r.Verdict), r.Headline()+"; "+r.method()))
	return b.Bytes(), nil
}

// most keeps as many lines as are shown; the last says how many are not.
func most(lines []string, level, file string) []string {
	left := len(lines) - (annotations - 1)
	if left <= 1 {
		return lines
	}
	return append(lines[:annotations-1:annotations-1], annotation(level, file, "more", fmt.Sprintf("%d more; `--format md` lists all", left)))
}

// annotation is one workflow command, escaped after GitHub's rules.
func annotation(level, file, title, message string) string {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	prop := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	return fmt.Sprintf("::%s file=%s,line=1,title=%s::%s", level, prop.Replace(file), prop.Replace("amgpu gate: "+title), data.Replace(message))
}
