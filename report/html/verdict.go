package html

import (
	"fmt"
	"strconv"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/report/table"
)

// verdict is the sentence on one series.
type verdict struct {
	Mode  string
	Class string // good, fair, poor, bad, none: colour; the words say the same
	Word  string
	Text  string
	Share float64 // efficiency, 0: none
}

// judge says how the largest count of a series that has an efficiency scales. A
// failed row comes first: it is what must be looked at.
func judge(s table.Section) verdict {
	v := verdict{Mode: table.Clean(s.Key.Mode), Class: "none", Word: "no scaling statement"}
	if s.Key.Mode == "solo" {
		v.Word = "solo rates"
	}
	var best *result.Summary
	for i := range s.Rows {
		r := &s.Rows[i].Summary
		switch r.Status {
		case result.WrongResult, result.DeviceLost, result.Degraded:
			return verdict{Mode: v.Mode, Class: "bad", Word: r.Status, Text: fmt.Sprintf("on %s: %s", gpus(r.Count), table.Clean(r.Reason))}
		}
		if r.Efficiency != nil && r.Count != r.Base {
			best = r
		}
	}
	if best == nil {
		v.Text = single(s)
		return v
	}
	e := best.Efficiency
	v.Share = e.Value
	v.Class, v.Word = grade(best)
	v.Text = fmt.Sprintf("%s of ideal on %s", percent(e.Value), gpus(best.Count))
	if e.Low != nil && e.High != nil {
		v.Text += fmt.Sprintf(" (%s to %s%s)", percent(*e.Low), percent(*e.High), table.Mark(e))
	} else {
		v.Text += ", no interval"
	}
	if best.Base > 1 {
		v.Text += fmt.Sprintf(", relative to %s", gpus(best.Base))
	}
	if causes := table.Causes(best.Lost); len(causes) > 0 && causes[0].Loss >= 0.001 {
		v.Text += fmt.Sprintf("; most is lost to %s (%s)", causes[0].Name, percent(causes[0].Loss))
	}
	return v
}

// grade compares the interval with what is acceptable; without an interval, or
// with one that no verdict may rest on, there is none.
func grade(r *result.Summary) (class, word string) {
	e := r.Efficiency
	switch {
	case r.Basis == "within launch":
		return "none", "quick look, no verdict"
	case e.Low == nil || e.High == nil:
		return "none", "no verdict without an interval"
	case e.Method != "":
		return "none", "few launches, no verdict"
	case *e.Low >= table.Acceptable:
		return "good", "scales well"
	case *e.High < table.Acceptable:
		return "poor", "scales poorly"
	}
	return "fair", "borderline"
}

// single describes a series without scaling by its rates.
func single(s table.Section) string {
	var rates []*result.Value
	failed := "nothing was measured"
	for _, r := range s.Rows {
		if r.Summary.Rate != nil {
			rates = append(rates, r.Summary.Rate)
		} else if r.Summary.Status != result.OK {
			failed = table.Clean(r.Summary.Status + ": " + r.Summary.Reason)
		}
	}
	if len(rates) == 0 {
		return failed
	}
	least, most := rates[0], rates[0]
	for _, r := range rates {
		if r.Value < least.Value {
			least = r
		}
		if r.Value > most.Value {
			most = r
		}
	}
	text := table.Quantity(most.Value, most.Unit)
	if low := table.Quantity(least.Value, least.Unit); low != text {
		text = low + " to " + text
	}
	switch n := len(rates); {
	case s.Key.Mode == "solo" && n > 1:
		return fmt.Sprintf("%s, %d devices each alone", text, n)
	case s.Key.Mode == "solo":
		return text + " on one device"
	case n == 1:
		for _, r := range s.Rows {
			if r.Summary.Rate != nil {
				return text + " on " + gpus(r.Summary.Count)
			}
		}
	}
	return text
}

// gpus is a number of them.
func gpus(n int) string { return counted(n, "GPU") }

// counted is a number of things.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// percent keeps number and sign on one line.
func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + "\u00a0%" }

// headline is the first sentence of the page.
func headline(res *result.Result, rows []result.Summary) string {
	seen, failed, measured := map[string]bool{}, 0, 0
	for _, r := range rows {
		seen[r.Workload] = true
		switch {
		case r.Rate != nil || r.Seconds != nil:
			measured++
		case r.Status != result.Unsupported && r.Status != result.Skipped:
			failed++
		}
	}
	plural := func(n int, what string) string {
		if n == 1 {
			return "1 " + what
		}
		return fmt.Sprintf("%d %ss", n, what)
	}
	if res.Plan.Preset == stat.Imported {
		return fmt.Sprintf("%s of imported data: %s.", plural(len(seen), "workload"), plural(measured, "row"))
	}
	text := fmt.Sprintf("%s on %s: %s measured", plural(len(seen), "workload"), table.DeviceNames(res, rows), plural(measured, "row"))
	if rest := len(rows) - measured - failed; rest > 0 {
		text += fmt.Sprintf(", %d not measurable here", rest)
	}
	if failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	return text + "."
}
