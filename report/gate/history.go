package gate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// History is the rows of many results over time.
type History struct {
	Results   int      `json:"results"`
	Threshold float64  `json:"threshold"` // smallest change reported
	Window    int      `json:"window"`
	P         float64  `json:"p"`
	Needs     Needs    `json:"needs"`
	Rows      []Series `json:"rows"`
}

// Series is one row over time, oldest first.
type Series struct {
	result.Key
	Count   int           `json:"count"`
	Device  *int          `json:"device,omitempty"`
	Metric  string        `json:"metric"`
	Points  []HistoryItem `json:"points"`
	Changes []Change      `json:"changes"`
	Drift   *Drift        `json:"drift,omitempty"` // nil: none
	// Code is too_few_results where no change can be told from so few points, and
	// too_few_for_drift where a change could be but no drift; Reason says how many it takes.
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// HistoryItem is the median of one row of one result.
type HistoryItem struct {
	Created time.Time `json:"created"`
	Commit  string    `json:"commit,omitempty"`
	Value   float64   `json:"value"` // seconds
}

// Change is a change of the level; Index is the first point of the new one.
type Change struct {
	Index   int       `json:"index"`
	Created time.Time `json:"created"`
	Commit  string    `json:"commit,omitempty"`
	Effect  Effect    `json:"effect"`
	Verdict Verdict   `json:"verdict"` // regressed, improved
	Reason  string    `json:"reason"`
}

// Trace finds the changes and drifts in the history of every row: launch medians over
// the results in the order of their making, changes of at least the threshold.
func Trace(all []*result.Result, o Options) (*History, error) {
	h := &History{Threshold: o.Threshold, Window: historyWindow, P: historyP, Needs: Needs{leastForChange, leastForDrift}, Rows: []Series{}}
	if o.Rules != nil {
		h.Threshold = cmp.Or(h.Threshold, o.Rules.Threshold)
	}
	h.Threshold = cmp.Or(h.Threshold, DefaultThreshold)
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *result.Result) int { return a.Created.Compare(b.Created) })
	type track struct {
		Series
		sides []*side
	}
	tracks := map[identity]*track{}
	var ids []identity
	for i, res := range all {
		if len(res.Trials) == 0 || slices.ContainsFunc(all[:i], func(b *result.Result) bool { return sameOccasion(b, res) }) {
			continue
		}
		h.Results++
		oc := rowsOf(res)
		for k := range oc.rows {
			r := &oc.rows[k]
			if len(r.Times) == 0 {
				continue
			}
			id := identityOf(r)
			t := tracks[id]
			if t == nil {
				t = &track{Series: Series{Key: r.Key, Count: r.Count, Metric: Time, Changes: []Change{}}}
				t.Size.N = max(r.Total, t.Size.N)
				if r.Device >= 0 {
					t.Device = new(r.Device)
				}
				tracks[id] = t
				ids = append(ids, id)
			}
			t.Points = append(t.Points, HistoryItem{res.Created, res.Tool.Commit, stat.Median(r.Times)})
			t.sides = append(t.sides, &side{res, r})
		}
	}
	for _, id := range ids {
		t := tracks[id]
		xs := make([]float64, len(t.Points))
		for i, p := range t.Points {
			xs[i] = p.Value
		}
		cuts := ChangePoints(xs, historyWindow, historyP, h.Threshold)
		for k, i := range cuts {
			t.Changes = append(t.Changes, changeAt(xs, cuts, k, t.Points[i], t.sides[i-1], t.sides[i]))
		}
		if t.Drift = driftOf(xs, cuts, historyP, h.Threshold); t.Drift != nil {
			t.Drift.From, t.Drift.To = t.Points[0].Created, t.Points[len(xs)-1].Created
		}
		t.enough()
		h.Rows = append(h.Rows, t.Series)
	}
	return h, nil
}

// changeAt describes the change at cuts[k] and what else changed there.
func changeAt(xs []float64, cuts []int, k int, p HistoryItem, before, after *side) Change {
	a, b := around(xs, cuts, k)
	v, _ := stat.Ratio(b, a)
	c := Change{Index: cuts[k], Created: p.Created, Commit: p.Commit, Verdict: Regressed, Reason: "the level changed here",
		Effect: Effect{Value: change(xs, cuts, k), Unit: "relative"}}
	if v.Low != nil && v.High != nil {
		c.Effect.Low, c.Effect.High = new(*v.Low-1), new(*v.High-1)
	}
	if c.Effect.Value < 0 {
		c.Verdict = Improved
	}
	var differs []string
	for _, d := range compareMethods(before, after, "") {
		if d.field != "seed" {
			differs = append(differs, d.String())
		}
	}
	if len(differs) > 0 {
		c.Reason += "; so did " + strings.Join(differs, "; ")
	}
	return c
}

// RenderHistory writes a history as text, json or md.
func RenderHistory(h *History, format string) ([]byte, error) {
	switch format {
	case "json":
		raw, err := json.MarshalIndent(h, "", "  ")
		return append(raw, '\n'), err
	case "text", "md":
		return historyTable(h, format == "md")
	}
	return nil, fmt.Errorf("%w: a history has no format %s; use text, json, md", ErrRequest, format)
}

func historyTable(h *History, md bool) ([]byte, error) {
	rows := make([]Row, len(h.Rows))
	changes, drifts := 0, 0
	for i, s := range h.Rows {
		rows[i] = Row{Key: s.Key, Count: s.Count, Device: s.Device}
		changes += len(s.Changes)
		if s.Drift != nil {
			drifts++
		}
	}
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(cells ...string) {
		if md {
			for i := range cells {
				cells[i] = escape(cells[i])
			}
			fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
			return
		}
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t")) // into memory
	}
	line("ROW", "RESULTS", "TREND", "CHANGE (95 %)", "AT", "WHY")
	if md {
		b.WriteString("|---|---|---|---|---|---|\n")
	}
	for i, name := range names(rows) {
		s := h.Rows[i]
		n, trend := fmt.Sprint(len(s.Points)), spark(s.Points)
		if len(s.Changes) == 0 && s.Drift == nil {
			line(name, n, trend, "-", "-", s.Outcome())
		}
		for _, c := range s.Changes {
			when := c.Created.UTC().Format(historyTime)
			if c.Commit != "" {
				when += fmt.Sprintf(" %.12s", clean(c.Commit)) // json has all of it
			}
			line(name, n, trend, string(c.Verdict)+" "+effectText(&c.Effect), when, clean(c.Reason))
		}
		if d := s.Drift; d != nil {
			line(name, n, trend, string(d.Verdict)+" "+effectText(&d.Effect), d.From.UTC().Format(historyTime)+" to "+d.To.UTC().Format(historyTime), d.Reason)
		}
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\n%d results, %d rows, %d changes and %d drifts of %s or more (window %d, p %g)", h.Results, len(h.Rows), changes, drifts, percent(h.Threshold), h.Window, h.P)
	if few := h.TooFew(); few > 0 {
		fmt.Fprintf(&b, "; too few results to tell: %d of %d rows", few, len(h.Rows))
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// historyTime is how dates of results are written.
const historyTime = "2006-01-02 15:04:05"

// sparkWidth is how many of the latest points a trend shows.
const sparkWidth = 30

// spark draws the latest points as blocks, the least at the bottom.
func spark(points []HistoryItem) string {
	points = points[max(0, len(points)-sparkWidth):]
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		lo, hi = min(lo, p.Value), max(hi, p.Value)
	}
	blocks := []rune("▁▂▃▄▅▆▇█")
	var out []rune
	for _, p := range points {
		level := 0
		if hi > lo*1.001 {
			level = int((p.Value - lo) / (hi - lo) * float64(len(blocks)-1))
		}
		out = append(out, blocks[level])
	}
	return string(out)
}
