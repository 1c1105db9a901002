package html

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/table"
)

// linkTable lists every link with all that is known of it.
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
