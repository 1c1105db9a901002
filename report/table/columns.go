package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// column is a heading with the way to its cells.
type column struct {
	Column
	cell func(result.Summary) string
}

// columnsFor chooses the columns that say something about rows.
func columnsFor(res *result.Result, rows []result.Summary) []column {
	var out []column
	add := func(name string, number bool, cell func(result.Summary) string) {
		out = append(out, column{Column{name, number}, cell})
	}
	some := func(f func(result.Summary) bool) bool { return slices.ContainsFunc(rows, f) }
	if rows[0].Mode == "solo" {
		add("GPU", false, func(r result.Summary) string { return soloName(res, r) })
	} else {
		add("GPUs", true, func(r result.Summary) string { return strconv.Itoa(r.Count) })
		if some(func(r result.Summary) bool { return r.Total > 0 }) {
			add("size", true, func(r result.Summary) string { return Size(r.Total) })
			add("size/GPU", true, func(r result.Summary) string { return Size((r.Total + int64(r.Count)/2) / int64(r.Count)) })
		}
	}
	add("time", true, timeColumn(rows))
	if some(func(r result.Summary) bool { return r.Rate != nil }) {
		add("rate", true, rateColumn(rows))
	}
	if some(func(r result.Summary) bool { return r.Roof != nil }) {
		add("of roof", true, OfRoof)
	}
	if some(func(r result.Summary) bool { return r.Efficiency != nil }) {
		name := "efficiency (95 % CI)"
		if some(func(r result.Summary) bool { return r.Basis == "within launch" }) {
			name = "efficiency (95 % within launch)"
		}
		add("speedup", true, func(r result.Summary) string {
			if r.Speedup == nil {
				return none
			}
			return strconv.FormatFloat(r.Speedup.Value, 'f', 2, 64)
		})
		add(name, false, func(r result.Summary) string { return Estimate(r.Efficiency, 3) })
		if res.Plan.Preset != stat.Imported { // no device clock was there
			add("lost to", false, Lost)
		}
	}
	if some(func(r result.Summary) bool { return r.Balance != nil && r.Balance.Error != nil }) {
		add("expected", true, expectedColumn(rows))
	}
	if some(func(r result.Summary) bool { return r.Clock != nil }) {
		add("clock", true, clockColumn(rows))
	}
	if some(func(r result.Summary) bool { return r.Energy != nil }) {
		add("energy", true, energyColumn(rows))
	}
	if some(func(r result.Summary) bool { return r.Status != result.OK }) {
		add("status", false, func(r result.Summary) string { return Clean(r.Status) })
	}
	return out
}

func soloName(res *result.Result, r result.Summary) string {
	if len(r.Teams) != 1 || len(r.Teams[0]) != 1 {
		return none
	}
	i := r.Teams[0][0]
	if i >= len(res.Devices) {
		return strconv.Itoa(i)
	}
	return fmt.Sprintf("%d  %s", i, Clean(res.Devices[i].Name))
}

// timeColumn has one prefix for all rows.
func timeColumn(rows []result.Summary) func(result.Summary) string {
	var all []float64
	for _, r := range rows {
		if r.Seconds != nil {
			all = append(all, r.Seconds.Median)
		}
	}
	s := scaleFor(all)
	return func(r result.Summary) string {
		if r.Seconds == nil {
			return none
		}
		m := r.Seconds
		text := s.format(m.Median) + " " + s.prefix + "s"
		if pm := PlusMinus(m.Median, m.Low, m.High); pm != "" {
			text += " " + pm
		}
		return text
	}
}

func rateColumn(rows []result.Summary) func(result.Summary) string {
	var all []float64
	for _, r := range rows {
		if r.Rate != nil {
			all = append(all, r.Rate.Value)
		}
	}
	s := scaleFor(all)
	return func(r result.Summary) string {
		if r.Rate == nil {
			return none
		}
		return s.format(r.Rate.Value) + " " + s.prefix + unitName(r.Rate.Unit)
	}
}

// OfRoof is the share of the lowest measured roof and which that is.
func OfRoof(r result.Summary) string {
	if r.Roof == nil {
		return none
	}
	return fmt.Sprintf("%.1f %% %s", 100*r.Roof.Value, Clean(r.Roof.Roof))
}

// expectedColumn is when the last device was expected to be done, and how far that was
// off the time measured.
func expectedColumn(rows []result.Summary) func(result.Summary) string {
	var all []float64
	for _, r := range rows {
		if r.Balance != nil && r.Balance.Expected != nil {
			all = append(all, *r.Balance.Expected)
		}
	}
	s := scaleFor(all)
	return func(r result.Summary) string {
		if r.Balance == nil || r.Balance.Expected == nil || r.Balance.Error == nil {
			return none
		}
		return fmt.Sprintf("%s %ss (%+.1f %%)", s.format(*r.Balance.Expected), s.prefix, 100**r.Balance.Error)
	}
}

// clockColumn is the shader clock while sampling.
func clockColumn(rows []result.Summary) func(result.Summary) string {
	var all []float64
	for _, r := range rows {
		if r.Clock != nil {
			all = append(all, *r.Clock)
		}
	}
	s := scaleFor(all)
	return func(r result.Summary) string {
		if r.Clock == nil {
			return none
		}
		return s.format(*r.Clock) + " " + s.prefix + "Hz"
	}
}

// energyColumn is joules per unit of work.
func energyColumn(rows []result.Summary) func(result.Summary) string {
	var all []float64
	for _, r := range rows {
		if r.Energy != nil {
			all = append(all, r.Energy.Value)
		}
	}
	s := scaleFor(all)
	return func(r result.Summary) string {
		if r.Energy == nil {
			return none
		}
		return s.format(r.Energy.Value) + " " + s.prefix + unitName(r.Energy.Unit)
	}
}

// Cause is one part of the lost efficiency; negative: a gain.
type Cause struct {
	Name string
	Loss float64
}

// Causes lists the attributed parts, the largest loss first. Without a clock the
// rate holds clock effects too, and is called computation scaling (measurement.md A7).
func Causes(l *result.Lost) []Cause {
	if l == nil {
		return nil
	}
	rate := "rate"
	if l.Clock == nil {
		rate = "computation scaling"
	}
	var out []Cause
	for _, c := range []struct {
		name string
		loss *float64
	}{{"imbalance", l.Imbalance}, {"serialization", l.Serialization}, {"transfer", l.Transfer},
		{"orchestration", l.Orchestration}, {"clock", l.Clock}, {"work", l.Work}, {rate, l.Rate}} {
		if c.loss != nil {
			out = append(out, Cause{c.name, *c.loss})
		}
	}
	slices.SortStableFunc(out, func(a, b Cause) int {
		switch {
		case a.Loss > b.Loss:
			return -1
		case a.Loss < b.Loss:
			return 1
		}
		return 0
	})
	return out
}

// Lost names up to three causes of at least 0.1 % and gains of at least 0.5 %.
func Lost(r result.Summary) string {
	if r.Efficiency == nil || r.Count == r.Base {
		return none
	}
	if r.Lost == nil {
		return "not attributable"
	}
	causes := slices.DeleteFunc(Causes(r.Lost), func(c Cause) bool {
		return math.Abs(c.Loss) < 0.001 || c.Loss < 0 && c.Loss > -0.005
	})
	// The largest first, a gain among them: it may be what explains the row.
	slices.SortStableFunc(causes, func(a, b Cause) int { return cmp.Compare(math.Abs(b.Loss), math.Abs(a.Loss)) })
	var parts []string
	more := len(causes) > 3
	for _, c := range causes[:min(3, len(causes))] {
		if c.Loss < 0 {
			parts = append(parts, fmt.Sprintf("gained by %s %.1f %%", c.Name, -100*c.Loss))
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %.1f %%", c.Name, 100*c.Loss))
	}
	if more {
		parts = append(parts, "...")
	}
	if len(parts) == 0 {
		return none
	}
	return strings.Join(parts, ", ")
}
