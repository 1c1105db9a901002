// Package export writes results for other programs, in full precision: CSV, JSON,
// Go benchmark text, Bencher metric format, JUnit, OpenMetrics and trace events.
package export

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// CSV writes one line per row of the summary. Headings are plain words, so that R
// and pandas take them as names without options; units are base units, and the
// column unit has that of the rate. R takes only TRUE and FALSE for truth values. What
// is not known is empty, never 0; invalid is known, so its 0 says that none was.
func CSV(w io.Writer, summary []result.Summary) error {
	out := csv.NewWriter(w)
	var head []string
	for _, c := range columns {
		head = append(head, c.name)
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, r := range summary {
		line := make([]string, len(columns))
		for i, c := range columns {
			line[i] = harmless(c.cell(&r))
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// harmless keeps a spreadsheet from running a text as a formula: names come from
// drivers and files, not from us. Numbers stay as they are.
func harmless(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}

type column struct {
	name string
	cell func(*result.Summary) string
}

var columns = append(keyColumns(), valueColumns()...)

func keyColumns() []column {
	return []column{
		{"workload", func(r *result.Summary) string { return r.Workload }},
		{"mode", func(r *result.Summary) string { return r.Mode }},
		{"size_label", func(r *result.Summary) string { return r.Size.Label }},
		{"size", func(r *result.Summary) string { return known(r.Size.N) }},
		{"strategy", func(r *result.Summary) string { return r.Strategy }},
		{"split", func(r *result.Summary) string { return r.Split }},
		{"transport", func(r *result.Summary) string { return r.Transport }},
		{"algorithm", func(r *result.Summary) string { return r.Algorithm }},
		{"residency", func(r *result.Summary) string { return r.Residency }},
		{"cache", func(r *result.Summary) string { return r.Cache }},
		{"count", func(r *result.Summary) string { return strconv.Itoa(r.Count) }},
		{"teams", teams},
		{"total", func(r *result.Summary) string { return known(r.Total) }},
		{"status", func(r *result.Summary) string { return r.Status }},
		{"reason", func(r *result.Summary) string { return r.Reason }},
		{"verified", func(r *result.Summary) string { return strings.ToUpper(strconv.FormatBool(r.Verified)) }},
		{"launches", func(r *result.Summary) string { return strconv.Itoa(r.Launches) }},
		{"samples", func(r *result.Summary) string { return strconv.Itoa(r.Samples) }},
		{"basis", func(r *result.Summary) string { return r.Basis }},
	}
}

// teams writes device sets as 0+1;2+3.
func teams(r *result.Summary) string {
	var b []byte
	for i, team := range r.Teams {
		if i > 0 {
			b = append(b, ';')
		}
		for k, d := range team {
			if k > 0 {
				b = append(b, '+')
			}
			b = strconv.AppendInt(b, int64(d), 10)
		}
	}
	return string(b)
}

func valueColumns() []column {
	var out []column
	out = append(out,
		column{"seconds", func(r *result.Summary) string {
			if r.Seconds == nil {
				return ""
			}
			return number(&r.Seconds.Median)
		}},
		column{"seconds_low", func(r *result.Summary) string {
			if r.Seconds == nil {
				return ""
			}
			return number(r.Seconds.Low)
		}},
		column{"seconds_high", func(r *result.Summary) string {
			if r.Seconds == nil {
				return ""
			}
			return number(r.Seconds.High)
		}})
	out = append(out, estimate("rate", func(r *result.Summary) *result.Value { return r.Rate })...)
	out = append(out, column{"unit", func(r *result.Summary) string {
		if r.Rate == nil {
			return ""
		}
		return r.Rate.Unit
	}})
	out = append(out, estimate("speedup", func(r *result.Summary) *result.Value { return r.Speedup })...)
	out = append(out, estimate("efficiency", func(r *result.Summary) *result.Value { return r.Efficiency })...)
	out = append(out, column{"bound", func(r *result.Summary) string { return number(r.Bound) }})
	for _, c := range causes {
		out = append(out, column{"lost_" + c.name, func(r *result.Summary) string {
			if r.Lost == nil {
				return ""
			}
			return number(c.of(r.Lost))
		}})
	}
	return append(out, // at the end: scripts may count columns
		column{"invalid", func(r *result.Summary) string {
			n := 0
			for _, x := range r.Invalid {
				n += x.Count
			}
			return strconv.Itoa(n)
		}},
		column{"invalid_reasons", func(r *result.Summary) string {
			var parts []string
			for _, x := range r.Invalid {
				parts = append(parts, x.Reason+"="+strconv.Itoa(x.Count))
			}
			return strings.Join(parts, ";")
		}},
		column{"clock", func(r *result.Summary) string { return number(r.Clock) }},
		ofRoof("of_roof", func(s *result.RoofShare) *float64 { return &s.Value }),
		ofRoof("of_roof_low", func(s *result.RoofShare) *float64 { return s.Low }),
		ofRoof("of_roof_high", func(s *result.RoofShare) *float64 { return s.High }),
		column{"roof", func(r *result.Summary) string {
			if r.Roof == nil {
				return ""
			}
			return r.Roof.Roof
		}},
		column{"efficiency_method", func(r *result.Summary) string {
			switch e := r.Efficiency; {
			case e == nil || e.Low == nil:
				return ""
			case e.Method != "":
				return e.Method
			}
			return "hodges-lehmann"
		}},
		ofMemory("memory_peak", func(m *result.Memory) string { return strconv.FormatInt(m.Peak, 10) }),
		ofMemory("memory_saved", func(m *result.Memory) string { return number(m.Saved) }),
		ofMemory("memory_used", func(m *result.Memory) string {
			if m.Used == nil {
				return ""
			}
			return number(&m.Used.Most)
		}))
}

// ofRoof is a column with a part of the share of the measured roof.
func ofRoof(name string, part func(*result.RoofShare) *float64) column {
	return column{name, func(r *result.Summary) string {
		if r.Roof == nil {
			return ""
		}
		return number(part(r.Roof))
	}}
}

// ofMemory is a column with a part of what the row took of its devices' memory.
func ofMemory(name string, part func(*result.Memory) string) column {
	return column{name, func(r *result.Summary) string {
		if r.Memory == nil {
			return ""
		}
		return part(r.Memory)
	}}
}

// estimate is three columns: the value and the ends of its 95 % interval.
func estimate(name string, of func(*result.Summary) *result.Value) []column {
	part := func(get func(*result.Value) *float64) func(*result.Summary) string {
		return func(r *result.Summary) string {
			v := of(r)
			if v == nil {
				return ""
			}
			return number(get(v))
		}
	}
	return []column{
		{name, part(func(v *result.Value) *float64 { return &v.Value })},
		{name + "_low", part(func(v *result.Value) *float64 { return v.Low })},
		{name + "_high", part(func(v *result.Value) *float64 { return v.High })},
	}
}

// number is the shortest text that reads back as the same value.
func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// causes are what efficiency is lost to.
var causes = []struct {
	name string
	of   func(*result.Lost) *float64
}{
	{"imbalance", func(l *result.Lost) *float64 { return l.Imbalance }},
	{"serialization", func(l *result.Lost) *float64 { return l.Serialization }},
	{"transfer", func(l *result.Lost) *float64 { return l.Transfer }},
	{"orchestration", func(l *result.Lost) *float64 { return l.Orchestration }},
	{"clock", func(l *result.Lost) *float64 { return l.Clock }},
	{"work", func(l *result.Lost) *float64 { return l.Work }},
	{"rate", func(l *result.Lost) *float64 { return l.Rate }},
}
