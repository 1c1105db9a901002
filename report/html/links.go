package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/plot"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/table"
)

// links are the connections between the devices: heat maps and a table of all.
type links struct {
	Maps  []heatMap
	Table *plain
}

// heatMap is a matrix of one quantity, from the device of the row to that of the
// column.
type heatMap struct {
	Label   string
	Caption string
	Devices []int
	Rows    []heatRow
}

type heatRow struct {
	Device int
	Cells  []heatCell
}

// heatCell is one link. Step is its shade; -1: there is no value.
type heatCell struct {
	Text, Says string
	Step       int
	Slow       bool
}

// linksOf is nil if the result knows no link.
func linksOf(res *result.Result) *links {
	if len(res.Links) == 0 {
		return nil
	}
	out := &links{Table: linkTable(res.Links)}
	for i, q := range []struct {
		label, caption, unit string
		of                   func(*result.Link) *float64
	}{
		{"Bandwidth one way", "the stronger the colour, the faster", "B/s", func(l *result.Link) *float64 { return l.Bandwidth }},
		{"Bandwidth both ways at once", "the stronger the colour, the faster", "B/s", func(l *result.Link) *float64 { return l.BothWays }},
		{"Latency", "the stronger the colour, the slower", "s", func(l *result.Link) *float64 { return l.Latency }},
	} {
		if m, unit, ok := heat(res.Links, q.unit, q.of); ok {
			if i > 0 {
				m.forget()
			}
			m.Label, m.Caption = q.label, fmt.Sprintf("%s in %s, from the GPU of the row to that of the column; %s.", q.label, unit, q.caption)
			out.Maps = append(out.Maps, m)
		}
	}
	if len(out.Maps) == 0 {
		if m, unit, ok := heat(res.Links, "B/s", nominal); ok {
			m.forget()
			m.Label, m.Caption = "Nominal bandwidth", "Bandwidth one way in "+unit+" that the wiring allows, nominal: none was measured."
			out.Maps = append(out.Maps, m)
		}
	}
	return out
}

// nominal is the bandwidth of the wires between two devices.
func nominal(l *result.Link) *float64 {
	switch {
	case l.NVLink != nil && l.NVLink.Bandwidth > 0:
		return &l.NVLink.Bandwidth
	case l.PCIe != nil && l.PCIe.Bandwidth > 0:
		return &l.PCIe.Bandwidth
	}
	return nil
}

// heat lays out a quantity of all links. Cells have numbers only, in the unit returned.
func heat(all []result.Link, unit string, of func(*result.Link) *float64) (m heatMap, shown string, ok bool) {
	most := 0.0
	byPair := map[[2]int]*result.Link{}
	for i := range all {
		l := &all[i]
		m.Devices = append(m.Devices, l.From, l.To)
		byPair[[2]int{l.From, l.To}] = l
		if v := of(l); v != nil {
			most = max(most, *v)
		}
	}
	slices.Sort(m.Devices)
	m.Devices = slices.Compact(m.Devices)
	factor, prefix := prefixed(most)
	for _, from := range m.Devices {
		row := heatRow{Device: from}
		for _, to := range m.Devices {
			row.Cells = append(row.Cells, cellOf(byPair[[2]int{from, to}], from, to, unit, of, most, factor))
		}
		m.Rows = append(m.Rows, row)
	}
	return m, prefix + unit, most > 0
}

// forget drops what is known of slow links: they are those slow one way.
func (m heatMap) forget() {
	for _, r := range m.Rows {
		for i := range r.Cells {
			r.Cells[i].Slow = false
		}
	}
}

func cellOf(l *result.Link, from, to int, unit string, of func(*result.Link) *float64, most, factor float64) heatCell {
	c := heatCell{Text: "-", Step: -1, Says: fmt.Sprintf("GPU %d to GPU %d: ", from, to)}
	switch {
	case from == to:
		c.Says = fmt.Sprintf("GPU %d itself", from)
		return c
	case l == nil:
		c.Says += "not known"
		return c
	}
	if v := of(l); v != nil && *v > 0 {
		c.Text, c.Step, c.Slow = fmt.Sprintf("%.3g", *v/factor), plot.StepOf(*v/most), l.Slow
		c.Says += table.Quantity(*v, unit)
	} else {
		c.Says += "not measured"
	}
	var more []string
	for _, t := range []string{l.Transport, l.Kind, l.Distance, l.Reason} {
		if t != "" {
			more = append(more, table.Clean(t))
		}
	}
	if l.Slow {
		more = append(more, "slower than links of its kind")
	}
	if len(more) > 0 {
		c.Says += "; " + strings.Join(more, ", ")
	}
	return c
}

// prefixed is the prefix of a unit that makes v a handy number, and its factor.
func prefixed(v float64) (float64, string) {
	for _, p := range []struct {
		factor float64
		name   string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "µ"}} {
		if v >= p.factor {
			return p.factor, p.name
		}
	}
	return 1e-9, "n"
}

// Many tells whether the table of all links is long enough to be folded.
func (l *links) Many() bool { return len(l.Table.Rows) > 12 }
