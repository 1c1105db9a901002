package html_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/html"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// write renders several results as one page.
func write(t *testing.T, history *html.History, all ...*result.Result) string {
	t.Helper()
	var sources []html.Source
	for i, res := range all {
		rows, laws, warnings := stat.Summary(res)
		sources = append(sources, html.Source{Name: []string{"base.json", "<new>.json", "third.json"}[i], Result: res, Rows: rows, Laws: laws, Warnings: warnings})
	}
	var b bytes.Buffer
	if err := html.Write(&b, sources, history); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// compared is a page of three results, one of them of another machine, with a trend.
func compared(t *testing.T) string {
	base := load(t, "scaling")
	return write(t, history(base), base, later(base, 3, 0.06), load(t, "unequal"))
}

// history is a row at four counts over 24 results, three of which change.
func history(base *result.Result) *html.History {
	h := &html.History{Results: 24, Threshold: .05, Method: "So they were found."}
	for _, n := range []int{1, 2, 4, 8} {
		row := html.HistoryRow{Key: base.Trials[0].Key, Count: n, Device: -1}
		for i := range 24 {
			v := 0.02 / float64(n) * (1 + 0.004*float64((i*7+n)%5))
			if i >= 14 && n > 1 {
				v *= 1.07
			}
			row.Points = append(row.Points, html.HistoryPoint{Created: base.Created.AddDate(0, 0, i), Commit: "c0ffee0123456789", Seconds: v})
		}
		if n > 1 {
			low, high := .06, .08
			row.Changes = []html.HistoryChange{{Index: 14, Verdict: "regressed", Effect: result.Value{Value: .07, Low: &low, High: &high}, Reason: "the level changed here"}, {Index: 99}}
		}
		if n == 8 {
			low, high := .04, .08
			row.Drift = &html.HistoryDrift{Verdict: "regressed", Effect: result.Value{Value: .06, Low: &low, High: &high}, Reason: "a slow drift"}
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

func TestCompared(t *testing.T) {
	text := strings.ReplaceAll(compared(t), "&#43;", "+")
	for _, want := range []string{"3 results compared.", "&lt;new&gt;.json", "Devices or drivers differ", ">B\u00a0/\u00a0A (95\u00a0%\u00a0CI)<", "1.060 [1.0", "Result C: third.json",
		`id="A-w1"`, `id="C-fingerprint"`, `download="B-results.json.gz"`, "A strong, 8 GPUs: efficiency 94.4\u00a0%", "B strong, 8 GPUs: efficiency",
		"24 results, 4 rows, 3 changes and 1 drift of 5\u00a0% or more. So they were found.", "regressed by +7.0 % [+6.0, +8.0]", "drifted since the first result: regressed by +6.0 % [+4.0, +8.0]", ">2026-11-20 09:30 to 2026-12-13 09:30<", ">a slow drift<", "4 GPUs, 2026-12-04 09:30, c0ffee012345: "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not there", want)
		}
	}
	same := write(t, nil, load(t, "scaling"), later(load(t, "scaling"), 1, 0))
	if strings.Contains(same, "Devices or drivers differ") || !strings.Contains(same, "What differs") || strings.Contains(same, "Changes of the level") {
		t.Error("two results of one machine")
	}
}

// TestComparedAlone: a row that one side has only, or that failed, is not a ratio.
func TestComparedAlone(t *testing.T) {
	a, b := load(t, "solo"), load(t, "solo")
	b.Trials = b.Trials[:1]
	b.Trials[0].Status, b.Trials[0].Reason = result.WrongResult, "off by one"
	text := write(t, nil, a, b)
	if !strings.Contains(text, ">wrong-result</td><td class=\"n\">-</td>") {
		t.Error("a failed row has a ratio")
	}
	text, _, _ = strings.Cut(dataLinks.ReplaceAllString(text, ""), "<script>")
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Error("a number that is none")
	}
}

// TestHistoryAlone: a trend needs no result beside it, and an empty one says so.
func TestHistoryAlone(t *testing.T) {
	text := write(t, history(load(t, "scaling")))
	if !strings.Contains(text, "24 results over time.") || !strings.Contains(text, "<svg") {
		t.Error("no trend")
	}
	if !strings.Contains(write(t, &html.History{}, load(t, "solo")), "0 results, 0 rows, 0 changes") {
		t.Error("an empty history")
	}
}
