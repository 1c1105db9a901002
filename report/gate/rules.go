package gate

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// Rules are the contents of a rules file.
type Rules struct {
	Threshold float64 // relative; 0: not stated
	Points    float64 // change of an efficiency that matters, 0.03 for 3 percentage points
	Metrics   []string
	Targets   []Target
	Rows      []Rule
}

// Rule states limits for the rows it matches; empty fields match everything.
type Rule struct {
	Workload string // glob
	Match    map[string]string
	Count    int
	Device   *int // of a row of one device alone

	Threshold  float64 // of the comparison; 0: that of the whole gate
	Required   bool
	Efficiency Limits
	Rate       Limits            // of the whole team, in the workload's unit of work per second
	RatePerGPU Limits            // of every single GPU
	Time       Limits            // seconds
	Measures   map[string]Limits // by the names of measures
	Target     string            // whose mark it is: one of Rules.Targets
	line       int
}

// Limits are an interval that a value must lie in.
type Limits struct{ Min, Max *float64 }

func (l Limits) stated() bool { return l.Min != nil || l.Max != nil }

// limited tells whether the rule states any limit.
func (r *Rule) limited() bool {
	return r.Efficiency.stated() || r.Rate.stated() || r.RatePerGPU.stated() || r.Time.stated() || len(r.Measures) > 0
}

// limitText is "speedup min 1.8": all limits with their metrics.
func (r *Rule) limitText() string {
	all := r.all()
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if l := all[name]; l.stated() {
			parts = append(parts, name+" "+l.String())
		}
	}
	return strings.Join(parts, "; ")
}

// all are the limits by metric.
func (r *Rule) all() map[string]Limits {
	all := map[string]Limits{Efficiency: r.Efficiency, Rate: r.Rate, RatePerGPU: r.RatePerGPU, Time: r.Time}
	maps.Copy(all, r.Measures)
	return all
}

// matches tells whether the rule is about the row.
func (r *Rule) matches(id identity) bool {
	if ok, err := path.Match(r.Workload, id.Workload); err != nil || !ok {
		return false
	}
	if r.Count != 0 && r.Count != id.count || r.Device != nil && *r.Device != id.device {
		return false
	}
	for name, want := range r.Match {
		if have := keyField(id, name); have != want && !(name == "size" && sizeIs(id.Size, want)) {
			return false
		}
	}
	return true
}

var keyFields = []string{"mode", "size", "strategy", "split", "transport", "algorithm", "residency", "cache"}

func keyField(id identity, name string) string {
	switch name {
	case "mode":
		return id.Mode
	case "size":
		return id.Size.Label
	case "strategy":
		return id.Strategy
	case "split":
		return id.Split
	case "transport":
		return id.Transport
	case "algorithm":
		return id.Algorithm
	case "residency":
		return id.Residency
	}
	return id.Cache
}
