package report

import (
	"bytes"
	"fmt"
	"io"

	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/report/html"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// Named is a result with the name it is shown under, such as its file.
type Named struct {
	Name   string
	Result *result.Result
}

// Together renders several results as one HTML page that compares them: into dir as
// report.html, or to w where dir is empty. Errors are those of RenderWith.
func Together(all []Named, dir string, w io.Writer, o Options) ([]string, error) {
	var sources []html.Source
	for _, n := range all {
		rows, laws, warnings := stat.SummaryFor(n.Result, o.Ask)
		sources = append(sources, html.Source{Name: n.Name, Result: n.Result, Rows: rows, Laws: laws, Warnings: warnings})
	}
	var b bytes.Buffer
	if err := html.Write(&b, sources, trend(o.History)); err != nil {
		return nil, fmt.Errorf("rendering html: %w", err)
	}
	if dir == "" {
		_, err := w.Write(b.Bytes())
		return nil, err
	}
	return save(dir, []file{{"report.html", b.Bytes()}})
}

// trend is a history as a page shows it; nil if there is none.
func trend(h *gate.History) *html.History {
	if h == nil {
		return nil
	}
	out := &html.History{Results: h.Results, Threshold: h.Threshold, Method: fmt.Sprintf(
		"An energy statistic proposes where the level changes, Welch's test of the levels before and after decides (window %d, p %g). A drift is a trend within the levels (Mann-Kendall, p %g). A change takes %d results of a row, a drift %d.", h.Window, h.P, h.P, h.Needs.Change, h.Needs.Drift)}
	for _, s := range h.Rows {
		row := html.HistoryRow{Key: s.Key, Count: s.Count, Device: -1, TooFew: s.Code == gate.TooFewResults}
		if s.Device != nil {
			row.Device = *s.Device
		}
		for _, p := range s.Points {
			row.Points = append(row.Points, html.HistoryPoint{Created: p.Created, Commit: p.Commit, Seconds: p.Value})
		}
		for _, c := range s.Changes {
			row.Changes = append(row.Changes, html.HistoryChange{Index: c.Index, Verdict: string(c.Verdict), Reason: c.Reason,
				Effect: result.Value{Value: c.Effect.Value, Low: c.Effect.Low, High: c.Effect.High}})
		}
		if d := s.Drift; d != nil {
			row.Drift = &html.HistoryDrift{Verdict: string(d.Verdict), Reason: d.Reason,
				Effect: result.Value{Value: d.Effect.Value, Low: d.Effect.Low, High: d.Effect.High}}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
