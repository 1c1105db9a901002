package html

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/amgpu/amgpu/report/plot"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/table"
)

// History is rows of many results over time with the changes of their level, which
// somebody else has found.
type History struct {
	Results   int
	Threshold float64 // smallest change that was looked for, relative
	Method    string  // how they were found, and how many results that takes
	Rows      []HistoryRow
}

// HistoryRow is one row over time, oldest first. Device is that of a solo row, else -1.
type HistoryRow struct {
	result.Key
	Count, Device int
	Points        []HistoryPoint
	Changes       []HistoryChange
	Drift         *HistoryDrift // nil: none
	TooFew        bool          // points to tell whether the row changed
}

// HistoryPoint is the median of one row of one result.
type HistoryPoint struct {
	Created time.Time
	Commit  string
	Seconds float64
}

// HistoryChange is a change of the level; Index is the first point of the new one.
type HistoryChange struct {
	Index   int
	Verdict string
	Effect  result.Value // relative change of the time
	Reason  string
}

// HistoryDrift is a slow change from the first point to the last.
type HistoryDrift struct {
	Verdict string
	Effect  result.Value // last level against first, relative
	Reason  string
}

// trend is a history as it is shown.
type trend struct {
	Text    string
	Changes *plain // nil: none
	Figures []figure
	Rows    *plain
}

func trendOf(h *History) (*trend, error) {
	t := &trend{Rows: &plain{Label: "Every row over time", Columns: append(append(texts("row"), numbers("GPUs", "results", "first", "last", "last / first")...), numbers("changes")...)}}
	drifts, few := 0, 0
	changes := &plain{Label: "Changes of the level and drifts", Columns: append(append(texts("row"), numbers("GPUs")...), append(texts("at", "commit", "verdict"), append(numbers("change of the time (95 % CI)"), texts("why")...)...)...)}
	var order []result.Key
	groups := map[result.Key][]HistoryRow{}
	for _, r := range h.Rows {
		if groups[r.Key] == nil {
			order = append(order, r.Key)
		}
		groups[r.Key] = append(groups[r.Key], r)
		name := rowName(identity{r.Key, r.Count, r.Device})
		if n := len(r.Points); n > 0 {
			first, last, found := r.Points[0].Seconds, r.Points[n-1].Seconds, strconv.Itoa(len(r.Changes))
			if r.TooFew {
				found = "too few results"
				few++
			}
			t.Rows.Rows = append(t.Rows.Rows, []string{name, strconv.Itoa(r.Count), strconv.Itoa(n), table.Seconds(first), table.Seconds(last), fmt.Sprintf("%.3f", last/first), found})
		}
		for _, c := range r.Changes {
			if c.Index < 0 || c.Index >= len(r.Points) {
				continue
			}
			p := r.Points[c.Index]
			changes.Rows = append(changes.Rows, []string{name, strconv.Itoa(r.Count), date(p.Created), orDash(commit(p.Commit)), table.Clean(c.Verdict), signed(c.Effect), table.Clean(c.Reason)})
		}
		if d, n := r.Drift, len(r.Points); d != nil && n > 0 {
			drifts++
			changes.Rows = append(changes.Rows, []string{name, strconv.Itoa(r.Count), date(r.Points[0].Created) + " to " + date(r.Points[n-1].Created), "-", table.Clean(d.Verdict), signed(d.Effect), table.Clean(d.Reason)})
		}
	}
	t.Text = fmt.Sprintf("%s, %s, %s and %s of %.3g\u00a0%% or more.", counted(h.Results, "result"), counted(len(h.Rows), "row"),
		counted(len(changes.Rows)-drifts, "change"), counted(drifts, "drift"), 100*h.Threshold)
	if few > 0 {
		t.Text += fmt.Sprintf(" Too few results to tell: %d of %d rows.", few, len(h.Rows))
	}
	if h.Method != "" {
		t.Text += " " + h.Method
	}
	if len(changes.Rows) > 0 {
		t.Changes = changes
	}
	for _, key := range order {
		f, ok, err := trendFigure(groups[key])
		if err != nil {
			return nil, err
		}
		if ok {
			t.Figures = append(t.Figures, f)
		}
	}
	return t, nil
}

// trendFigure draws the rows of one series over each other, each relative to its
// first value, so that a change has the same height at every count.
func trendFigure(rows []HistoryRow) (figure, bool, error) {
	g := plot.Graph{X: "result, oldest first", Y: "time, first result = 1"}
	for i, r := range rows {
		name := gpus(r.Count)
		if r.Device >= 0 {
			name = "GPU " + strconv.Itoa(r.Device)
		}
		line := plot.Line{Name: name, Ink: plot.SeriesInk(i), Join: true, Dots: true}
		for k, p := range r.Points {
			line.X, line.Y = append(line.X, float64(k+1)), append(line.Y, p.Seconds/r.Points[0].Seconds)
			says := fmt.Sprintf("%s, %s", name, date(p.Created))
			if p.Commit != "" {
				says += ", " + commit(p.Commit)
			}
			line.Says = append(line.Says, says+": "+table.Seconds(p.Seconds))
		}
		for _, c := range r.Changes {
			if c.Index >= 0 && c.Index < len(line.X) {
				line.Rings = append(line.Rings, c.Index)
				line.Says[c.Index] += fmt.Sprintf("; the level changed here: %s by %s", table.Clean(c.Verdict), signed(c.Effect))
			}
		}
		if n := len(line.X); r.Drift != nil && n > 0 {
			line.Rings = append(line.Rings, n-1)
			line.Says[n-1] += fmt.Sprintf("; drifted since the first result: %s by %s", table.Clean(r.Drift.Verdict), signed(r.Drift.Effect))
		}
		g.Lines = append(g.Lines, line)
	}
	if g.Empty() {
		return figure{}, false, nil
	}
	name := strings.TrimSpace(table.Clean(rows[0].Workload + " " + rows[0].Mode + " " + rows[0].Size.Label))
	d, err := g.Inline(name + ": time over the results")
	return draw(d, name+": lower is faster."), true, err
}

// commit is as much of a commit as tells it from others: all of it would push what
// changed out of view.
func commit(name string) string {
	return fmt.Sprintf("%.12s", table.Clean(name))
}

func date(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// signed is a relative change in percent with its interval.
func signed(v result.Value) string {
	text := fmt.Sprintf("%+.1f %%", 100*v.Value)
	if v.Low != nil && v.High != nil && !math.IsNaN(*v.Low) && !math.IsNaN(*v.High) {
		text += fmt.Sprintf(" [%+.1f, %+.1f]", 100**v.Low, 100**v.High)
	}
	return text
}
