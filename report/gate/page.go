package gate

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// targetsPage is the page of the targets (docs/targets.md): how many limits of each
// are met, then every limit with the value, its interval and how far it is from the
// mark. Everything in it comes from the rules and the result, so that the same files
// give the same page. It is a format of the gate, and not a program of its own,
// because all it needs is a Report: no package has to know another for it.
func targetsPage(r *Report) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`# Targets

Written by ` + "`amgpu gate RESULT --rules targets.yaml --format targets`" + `; a test compares.
Each target is a mark that its origin planned, expected or simulated: none is a
measured result of another system, and meeting one does not mean to be faster than
anything. A limit is met or missed when the whole 95 % interval is, and undecided
otherwise.

`)
	fmt.Fprintf(&b, "Measured: %s.\n\n", cell(r.measured()))
	if strings.Contains(r.property("models"), "software device") {
		b.WriteString("**Software devices: no value here says anything about GPUs.**\n\n")
	}
	quick := r.property("preset") == "quick"
	if quick {
		b.WriteString("**Quick preset: it takes too few launches for a verdict, so every limit on a time, rate or share of time is undecided. " +
			"What is met here was counted or verified, not timed. `--preset default` decides.**\n\n")
	}
	fmt.Fprintf(&b, "%s.\n", sentence(r.counted()))
	b.WriteString("\n## Overview\n\n| target | origin | as stated there | met | missed | undecided | not measured |\n|---|---|---|---|---|---|---|\n")
	for _, t := range r.Targets {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell(t.ID), cell(t.Origin), cell(t.Says), r.tally(t))
	}
	b.WriteString("\nNot to be seen in a result file:\n\n")
	for _, t := range r.Targets {
		if t.Shown != "" {
			fmt.Fprintf(&b, "- %s (%s): %s\n", cell(t.ID), cell(t.Origin), cell(t.Shown))
		}
	}
	if slices.ContainsFunc(r.Targets, func(t Target) bool { return t.Undecided != "" }) {
		b.WriteString("\nMeasured, but without a limit that decides:\n\n")
	}
	for _, t := range r.Targets {
		if t.Undecided != "" {
			fmt.Fprintf(&b, "- %s (%s): %s\n", cell(t.ID), cell(t.Origin), cell(t.Undecided))
		}
	}
	b.WriteString("\n## Limits\n\n| target | row | limit | value (95 %) | from the mark | verdict | why |\n|---|---|---|---|---|---|---|\n")
	rows := slices.Clone(r.Rows)
	slices.SortStableFunc(rows, func(x, y Row) int { return cmp.Compare(x.rule, y.rule) })
	rows = slices.DeleteFunc(rows, func(row Row) bool { return row.Target == "" })
	for i, name := range shortNames(rows) {
		row := &rows[i]
		limit := row.Limit
		if row.Metric != Presence {
			limit = row.Metric + " " + limit
		}
		verdict := targetWords[row.Verdict]
		if row.Verdict != Met {
			verdict = "**" + verdict + "**"
		}
		why := ""
		if row.Verdict != Met && row.Verdict != Unmet {
			why = cmp.Or(row.Code, row.Reason)
			if quick && row.Code == "too_few_launches" {
				why = "quick preset"
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n",
			cell(row.Target), cell(name), cell(limit), cell(effectText(row.Effect)), distance(row), verdict, cell(why))
	}
	return b.Bytes(), nil
}

// shortNames names rows that were not measured by what their rule says, the others by
// what tells them apart: what a rule leaves open would make every name long.
func shortNames(rows []Row) []string {
	var measured, missing []Row
	for _, row := range rows {
		if row.Verdict == Missing {
			missing = append(missing, row)
		} else {
			measured = append(measured, row)
		}
	}
	of := map[Verdict][]string{Missing: names(missing), Met: names(measured)}
	var out []string
	for _, row := range rows {
		kind := Met
		if row.Verdict == Missing {
			kind = Missing
		}
		out, of[kind] = append(out, of[kind][0]), of[kind][1:]
	}
	return out
}

// targetWords are the verdicts as the page says them.
var targetWords = map[Verdict]string{Met: "met", Unmet: "missed", Inconclusive: "undecided", Missing: "not measured",
	WrongResult: "wrong result", DeviceLost: "device lost"}

func cell(text string) string { return escape(clean(text)) }

// property is one field of the fingerprint.
func (r *Report) property(name string) string {
	for _, p := range r.Properties {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

// measured is what the numbers come from.
func (r *Report) measured() string {
	return fmt.Sprintf("%s x %s, %s, amgpu %s, preset %s, seed %s", r.property("devices"), r.property("models"),
		r.property("drivers"), r.property("tool"), r.property("preset"), r.property("seed"))
}

// tally counts the verdicts of a target's limits.
func (r *Report) tally(t Target) string {
	if t.Shown != "" {
		return "- | - | - | see below"
	}
	met, missed, undecided, missing := 0, 0, 0, 0
	for i := range r.Rows {
		if r.Rows[i].Target != t.ID {
			continue
		}
		switch r.Rows[i].Verdict {
		case Met:
			met++
		case Unmet, WrongResult, DeviceLost:
			missed++
		case Missing:
			missing++
		default:
			undecided++
		}
	}
	var cells []string
	for _, n := range []int{met, missed, undecided, missing} {
		cells = append(cells, cmp.Or(strings.TrimPrefix(fmt.Sprint(n), "0"), "-"))
	}
	return strings.Join(cells, " | ")
}

// distance is how far the value is from the mark, relative to it, on the good side
// with a plus.
func distance(r *Row) string {
	if r.Effect == nil || r.limit.Min == nil && r.limit.Max == nil {
		return "-"
	}
	v := r.Effect.Value
	switch {
	case r.limit.Min != nil && *r.limit.Min > 0 && (r.limit.Max == nil || v < *r.limit.Max):
		return fmt.Sprintf("%+.1f %%", noMinusZero(100*(v / *r.limit.Min - 1)))
	case r.limit.Max != nil && *r.limit.Max > 0:
		return fmt.Sprintf("%+.1f %%", noMinusZero(100*(1 - v / *r.limit.Max)))
	}
	return "-"
}
