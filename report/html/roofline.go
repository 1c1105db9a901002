package html

import (
	"fmt"
	"strings"

	"github.com/amgpu/amgpu/report/plot"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/table"
)

// rooflines draws one plot for each team whose roofs are known: what it can do at most,
// and what the rows measured on it reached.
func rooflines(res *result.Result, rows []result.Summary) ([]figure, error) {
	var out []figure
	for _, l := range plot.Rooflines(res, rows, plot.Words{Quantity: table.Quantity, Clean: table.Clean}) {
		name, what := rooflineOf(res, l.Team)
		drawn, err := l.Graph.Inline("Roofline of " + name)
		if err != nil {
			return nil, err
		}
		f := draw(drawn, what)
		if len(l.Points) > 0 {
			f.Table = &plain{Label: "Workloads on " + name, Columns: append(texts("workload"), numbers("operations/B", "rate", "of the roof")...)}
			for _, p := range l.Points {
				f.Table.Rows = append(f.Table.Rows, []string{p.Name, fmt.Sprintf("%.3g", p.Intensity), table.Quantity(p.Rate, p.Unit), p.Share})
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// rooflineOf names a team, and says what its plot shows.
func rooflineOf(res *result.Result, team []int) (name, caption string) {
	if len(team) == 1 {
		return fmt.Sprintf("device %d", team[0]), fmt.Sprintf("Device %d, %s.", team[0], table.Clean(res.Devices[team[0]].Name))
	}
	var parts []string
	for _, d := range team {
		parts = append(parts, fmt.Sprint(d))
	}
	name = "devices " + strings.Join(parts, "+")
	return name, "Devices " + strings.Join(parts, "+") + ": the sums of their roofs."
}
