package html

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
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
	return out
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

func linkTable(all []result.Link) *plain {
	t := &plain{Label: "Links between the devices", Columns: append(append(numbers("from", "to"), texts("transport", "verified")...),
		append(numbers("one way", "both ways", "latency"), texts("kind", "NUMA", "remarks")...)...)}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b result.Link) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	for _, l := range all {
		quantity := func(v *float64, unit string) string {
			if v == nil {
				return "-"
			}
			return table.Quantity(*v, unit)
		}
		word := func(is bool, yes, no string) string {
			if is {
				return yes
			}
			return no
		}
		numa := "-"
		if l.SameNUMA != nil {
			numa = word(*l.SameNUMA, "same node", "other node")
		}
		t.Rows = append(t.Rows, []string{strconv.Itoa(l.From), strconv.Itoa(l.To), orDash(table.Clean(l.Transport)), word(l.Verified, "yes", "no"),
			quantity(l.Bandwidth, "B/s"), quantity(l.BothWays, "B/s"), quantity(l.Latency, "s"), orDash(wiring(l)), numa, orDash(remarks(l))})
	}
	return t
}

// wiring says how two devices are connected.
func wiring(l result.Link) string {
	text := table.Clean(strings.TrimSpace(l.Kind + " " + l.Distance))
	if n := l.NVLink; n != nil {
		text = fmt.Sprintf("%d NVLinks %s", n.Links, table.Clean(n.Version))
		if n.Switched {
			text += " by switch"
		}
	} else if p := l.PCIe; p != nil {
		text = strings.TrimSpace(text + fmt.Sprintf(" PCIe %d.0 x%d", p.Generation, p.Width))
	}
	return strings.TrimSpace(text)
}

func remarks(l result.Link) string {
	var out []string
	if l.Slow {
		slow := "slow"
		if l.Typical != nil {
			slow += ": links of its kind reach " + table.Quantity(*l.Typical, "B/s")
		}
		out = append(out, slow)
	}
	for _, text := range append([]string{l.Reason}, l.Excluded...) {
		if text != "" {
			out = append(out, table.Clean(text))
		}
	}
	return strings.Join(out, "; ")
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
