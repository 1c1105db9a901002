package table

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/amgpu/amgpu/report/result"
)

// Acceptable is the efficiency from which scaling is called good (POP, pop-coe.eu).
const Acceptable = 0.8

// Factors is the table of what the efficiency of a series is made of: one column
// per count.
type Factors struct {
	Counts []string
	Lines  []FactorLine
}

// FactorLine is one factor; Depth says how far it stands inside the one above.
type FactorLine struct {
	Name  string
	Depth int
	Cells []Factor
}

// Factor is one cell. Text is empty where the factor is not known; Low is a factor
// below what is acceptable.
type Factor struct {
	Text     string // 94.9 %
	Interval string // 94.1 to 95.6 %
	Low      bool
}

// factorsOf lays out the factors of rows; nil if no row has any.
func factorsOf(rows []result.Summary) *Factors {
	var used []result.Summary
	for _, r := range rows {
		if r.Factors != nil {
			used = append(used, r)
		}
	}
	if len(used) == 0 {
		return nil
	}
	out := &Factors{}
	for _, r := range used {
		name := strconv.Itoa(r.Count) + " GPUs"
		if r.Count == 1 {
			name = "1 GPU"
		}
		out.Counts = append(out.Counts, name)
	}
	add := func(name string, depth int, of func(*result.Factors) *result.Value) {
		line, known := FactorLine{Name: name, Depth: depth}, false
		for _, r := range used {
			cell := Factor{}
			if v := of(r.Factors); v != nil {
				cell, known = factor(v), true
			}
			line.Cells = append(line.Cells, cell)
		}
		if known {
			out.Lines = append(out.Lines, line)
		}
	}
	add("global efficiency", 0, func(f *result.Factors) *result.Value { return f.Global })
	add("parallel efficiency", 1, func(f *result.Factors) *result.Value { return f.Parallel })
	add("load balance", 2, func(f *result.Factors) *result.Value { return f.LoadBalance })
	add("serialization", 2, func(f *result.Factors) *result.Value { return f.Serialization })
	add("transfer", 2, func(f *result.Factors) *result.Value { return f.Transfer })
	add("orchestration", 2, func(f *result.Factors) *result.Value { return f.Orchestration })
	add("computation scaling", 1, func(f *result.Factors) *result.Value { return f.Computation })
	add("work", 2, func(f *result.Factors) *result.Value { return f.Work })
	add("clock", 2, func(f *result.Factors) *result.Value { return f.Clock })
	rate := "rate"
	if slices.ContainsFunc(used, func(r result.Summary) bool { return r.Factors.Clock == nil }) {
		rate = "clock and rate" // not told apart
	}
	add(rate, 2, func(f *result.Factors) *result.Value {
		if f.Work == nil && f.Clock == nil {
			return nil // all of the computation scaling
		}
		return f.Rate
	})
	hidden, known := FactorLine{Name: "hidden transfer (share of the time)"}, false
	for _, r := range used {
		cell := Factor{}
		if h := r.Factors.HiddenTransfer; h != nil {
			cell, known = Factor{Text: percent(*h)}, true
		}
		hidden.Cells = append(hidden.Cells, cell)
	}
	if known {
		out.Lines = append(out.Lines, hidden)
	}
	return out
}

func factor(v *result.Value) Factor {
	f := Factor{Text: percent(v.Value), Low: v.Value < Acceptable}
	if v.Low != nil && v.High != nil && *v.Low < *v.High {
		f.Interval = fmt.Sprintf("%.1f to %s", 100**v.Low, percent(*v.High))
	}
	return f
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + " %" }
