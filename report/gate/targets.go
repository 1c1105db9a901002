package gate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/amgpu/amgpu/report/result"
)

// Target is a mark that somebody set: rows of the rules name it, and their verdicts
// say that it is met or not and whose it is.
type Target struct {
	ID     string `json:"id"`
	Origin string `json:"origin"` // who set it
	Says   string `json:"says"`   // in the words of the rules file
	// Shown is where to look for a target that no result file can show; such a target
	// has no rows.
	Shown string `json:"shown,omitempty"`
	// Undecided is what to look at where no limit can state the mark: its rows are
	// required, and that they were measured does not mean that it is met.
	Undecided string `json:"undecided,omitempty"`
	line      int
}

// readTargets reads `ID: {origin, says, shown, undecided}`, in the order of the file.
func readTargets(into *[]Target) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.MappingNode {
			return at(n, "expected `ID: {origin: .., says: ..}`")
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			t := Target{ID: n.Content[i].Value, line: n.Content[i].Line}
			if err := mapping(n.Content[i+1], map[string]func(*yaml.Node) error{
				"origin": plain("origin", &t.Origin), "says": plain("says", &t.Says), "shown": plain("shown", &t.Shown), "undecided": plain("undecided", &t.Undecided),
			}); err != nil {
				return err
			}
			if t.ID == "" || t.Origin == "" || t.Says == "" {
				return at(n.Content[i], "a target needs a name, origin and says")
			}
			if slices.ContainsFunc(*into, func(o Target) bool { return o.ID == t.ID }) {
				return at(n.Content[i], "target %s is already stated", t.ID)
			}
			*into = append(*into, t)
		}
		return nil
	}
}

// plain reads a text of one line.
func plain(name string, into *string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode {
			return at(n, "%s: expected a plain value", name)
		}
		*into = strings.Join(strings.Fields(n.Value), " ")
		return nil
	}
}

// checkTargets refuses a target without rows that does not say where it is shown,
// and a row of a target that is not listed.
func (r *Rules) checkTargets() error {
	rows := map[string]int{}
	for _, rule := range r.Rows {
		if rule.Target == "" {
			continue
		}
		if !slices.ContainsFunc(r.Targets, func(t Target) bool { return t.ID == rule.Target }) {
			return fmt.Errorf("line %d: target %q is not among the targets; add it there with its origin", rule.line, rule.Target)
		}
		rows[rule.Target]++
	}
	for _, t := range r.Targets {
		if (rows[t.ID] == 0) == (t.Shown == "") {
			return fmt.Errorf("line %d: target %s: give it rows, or say with shown where it is to be seen, and not both", t.line, t.ID)
		}
	}
	return nil
}

// sizeIs tells whether a rule's size is that of a row: its label or its number.
func sizeIs(s result.Size, want string) bool {
	return s.Label == want || strconv.FormatInt(s.N, 10) == want
}

// sizeOf is the size that a rule names.
func sizeOf(text string) result.Size {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return result.Size{Label: "custom", N: n}
	}
	return result.Size{Label: text}
}

// undecided takes the verdict of rows that are there, but whose target no limit states.
func (r *Report) undecided(row *Row) {
	for _, t := range r.Targets {
		if t.ID == row.Target && t.Undecided != "" && row.Metric == Presence && row.Verdict == Met {
			row.Verdict, row.Code, row.Reason = Inconclusive, "no_limit", "measured, but no limit states the mark: "+t.Undecided
		}
	}
}

// byTarget is the target of a row, for the reason of its verdict.
func (r *Report) byTarget(row *Row) string {
	for _, t := range r.Targets {
		if t.ID == row.Target {
			return fmt.Sprintf("target %s of %s: ", t.ID, t.Origin)
		}
	}
	return ""
}

// names of limits that a rule may state beside those of Rule's own fields.
func measureNames() []string { return slices.Sorted(maps.Keys(measures)) }
