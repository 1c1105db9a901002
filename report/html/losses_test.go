package html

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/table"
)

// TestLossBars: what is gained lies beyond the ideal, which is at one place in all bars
// of a workload, however much is lost; nothing that is shown in the table is left out.
func TestLossBars(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	row := func(count int, efficiency float64, l *result.Lost) table.Row {
		return table.Row{Summary: result.Summary{Count: count, Efficiency: &result.Value{Value: efficiency}, Lost: l}}
	}
	b := lossBars([]table.Section{{Key: result.Key{Mode: "strong"}, Rows: []table.Row{
		{Summary: result.Summary{Count: 1}},
		row(2, 0.9, &result.Lost{Transfer: f(0.1), Clock: f(0), Rate: f(0.0004)}),
		row(4, 1.02, &result.Lost{Transfer: f(0.18), Clock: f(-0.05), Rate: f(-0.15)}),
		row(8, 0.1, &result.Lost{Transfer: f(1.2), Rate: f(-0.4)}),
	}}})
	if len(b.Rows) != 3 || !b.Beyond() || b.Ideal != 1.2 || math.Abs(b.whole-1.6) > 1e-12 {
		t.Fatalf("%+v", b)
	}
	for i, r := range b.Rows {
		lost, gained := 0.0, 0.0
		for _, c := range r.Lost {
			lost += c.Loss
		}
		for _, c := range r.Gained {
			gained += c.Loss
		}
		// Blank, what is left and what is lost end at the ideal; gains begin there.
		if end := r.Blank + r.Left + lost; math.Abs(end-b.Ideal) > 1e-12 || r.Left < 0 || r.Blank < -1e-12 {
			t.Errorf("row %d: %+v ends at %g", i, r, end)
		}
		if math.Abs(r.Kept-(1-lost+gained)) > 0.0005 {
			t.Errorf("row %d: %+v", i, r)
		}
	}
	if g := b.Rows[1].Gained; len(g) != 2 || g[0].Name != "rate" || g[0].Loss != 0.15 || g[1].Loss != 0.05 {
		t.Errorf("gains %+v", g)
	}
	if b.Rows[0].Median != 0 || b.Rows[1].Median != 0 || b.Rows[2].Median != 0.1 {
		t.Errorf("medians of %+v", b.Rows)
	}
	plain := lossBars([]table.Section{{Rows: []table.Row{row(2, 0.9, &result.Lost{Transfer: f(0.1)})}}})
	if plain.Beyond() || plain.Width(plain.Rows[0].Left) != "90.00" {
		t.Errorf("%+v", plain)
	}
}

// TestGainsAreSeen: the page draws them striped behind the line of the ideal, and says them.
func TestGainsAreSeen(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	for gain, want := range map[float64]bool{0.05: true, 0: false} {
		rows := []result.Summary{{Key: result.Key{Workload: "a/b", Mode: "strong"}, Count: 1, Base: 1, Status: result.OK, Seconds: &result.Median{Median: 1}, Rate: &result.Value{Value: 1, Unit: "flop/s"}},
			{Key: result.Key{Workload: "a/b", Mode: "strong"}, Count: 2, Base: 1, Status: result.OK, Seconds: &result.Median{Median: 1}, Rate: &result.Value{Value: 1, Unit: "flop/s"},
				Efficiency: &result.Value{Value: 0.95}, Lost: &result.Lost{Transfer: f(0.1), Rate: f(-gain)}}}
		var page strings.Builder
		if err := Write(&page, []Source{{Result: &result.Result{}, Rows: rows}}, nil); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{`<i class="gain c-computation scaling" style="width:4.76%">`, `<b style="left:95.24%">`, "gained by <span", "The line is the ideal"} {
			if strings.Contains(page.String(), text) != want {
				t.Errorf("a gain of %g: %q is in the page: %t", gain, text, !want)
			}
		}
		if !strings.Contains(page.String(), "lost to <span") {
			t.Error("the loss is not named")
		}
	}
}
