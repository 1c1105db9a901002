package gate

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/amgpu/amgpu/internal/near"
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

// ReadRules reads a rules file. Unknown names are errors that name the nearest
// known one; all errors are of kind ErrRequest and name the line.
func ReadRules(r io.Reader) (*Rules, error) {
	rules, err := readRules(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	return rules, nil
}

func readRules(r io.Reader) (*Rules, error) {
	var doc, more yaml.Node
	dec := yaml.NewDecoder(r)
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, errors.New("the rules are empty; state a threshold or rows")
	} else if err != nil {
		return nil, err
	}
	if err := dec.Decode(&more); err == nil {
		return nil, fmt.Errorf("line %d: a second document; write all rules into one", more.Line)
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(doc.Content) != 1 {
		return nil, errors.New("the rules are empty; state a threshold or rows")
	}
	rules := &Rules{}
	err := mapping(doc.Content[0], map[string]func(*yaml.Node) error{
		"threshold": fraction(&rules.Threshold),
		"points":    fraction(&rules.Points),
		"metrics": func(n *yaml.Node) error {
			return sequence(n, func(item *yaml.Node) error {
				if item.Value != Time && item.Value != Efficiency {
					return at(item, "metrics: %q; use time, efficiency", item.Value)
				}
				rules.Metrics = append(rules.Metrics, item.Value)
				return nil
			})
		},
		"targets": readTargets(&rules.Targets),
		"rows": func(n *yaml.Node) error {
			return sequence(n, func(item *yaml.Node) error {
				rule, err := readRule(item)
				rules.Rows = append(rules.Rows, rule)
				return err
			})
		},
	})
	if err == nil {
		err = rules.checkTargets()
	}
	return rules, err
}

func readRule(n *yaml.Node) (Rule, error) {
	r := Rule{Match: map[string]string{}, Measures: map[string]Limits{}, line: n.Line}
	known := map[string]func(*yaml.Node) error{
		"workload": func(n *yaml.Node) error {
			if _, err := path.Match(n.Value, ""); err != nil || n.Kind != yaml.ScalarNode || n.Value == "" {
				return at(n, "workload: use a name or a pattern such as \"linalg/*\"")
			}
			r.Workload = n.Value
			return nil
		},
		"count": func(n *yaml.Node) error {
			v, err := strconv.Atoi(n.Value)
			if err != nil || v < 1 {
				return at(n, "count: %q is no whole number above 0", n.Value)
			}
			r.Count = v
			return nil
		},
		"device": func(n *yaml.Node) error {
			v, err := strconv.Atoi(n.Value)
			if err != nil || v < 0 {
				return at(n, "device: %q is no index of a device", n.Value)
			}
			r.Device = &v
			return nil
		},
		"required": func(n *yaml.Node) error {
			if err := n.Decode(&r.Required); err != nil {
				return at(n, "required: write true or false")
			}
			return nil
		},
		"threshold":      fraction(&r.Threshold),
		"min_efficiency": share(&r.Efficiency.Min),
		"max_efficiency": share(&r.Efficiency.Max),
		"rate":           limits(&r.Rate, number),
		"rate_per_gpu":   limits(&r.RatePerGPU, number),
		"time":           limits(&r.Time, number),
		"target":         plain("target", &r.Target),
	}
	for name := range measures {
		known[name] = func(n *yaml.Node) error {
			var l Limits
			read := share
			if name == "speedup" || name == "decision" {
				read = number
			}
			err := limits(&l, read)(n)
			r.Measures[name] = l
			return err
		}
	}
	for _, name := range keyFields {
		known[name] = func(n *yaml.Node) error {
			if n.Kind != yaml.ScalarNode {
				return at(n, "%s: expected a plain value", name)
			}
			r.Match[name] = n.Value
			return nil
		}
	}
	if err := mapping(n, known); err != nil {
		return r, err
	}
	if r.Workload == "" {
		return r, at(n, "a row without workload; name one or a pattern such as \"*/*\"")
	}
	if !r.Required && r.Threshold == 0 && !r.limited() {
		return r, at(n, "the row for %s states nothing; add a limit, a threshold or required: true", r.Workload)
	}
	for name, l := range r.all() {
		if l.Min != nil && l.Max != nil && *l.Min > *l.Max {
			return r, at(n, "%s: the minimum %g is above the maximum %g", name, *l.Min, *l.Max)
		}
	}
	return r, nil
}

func at(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{n.Line}, args...)...)
}

// mapping reads the names of a node that known has readers for.
func mapping(n *yaml.Node, known map[string]func(*yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return at(n, "expected `name: value`")
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if line, twice := lines[key.Value]; twice {
			return at(key, "%s: already stated in line %d", key.Value, line)
		}
		lines[key.Value] = key.Line
		read, ok := known[key.Value]
		if !ok {
			return at(key, "unknown name %q%s", key.Value, near.HintOrAll(key.Value, slices.Sorted(maps.Keys(known))))
		}
		if err := read(value); err != nil {
			return err
		}
	}
	return nil
}

func sequence(n *yaml.Node, read func(*yaml.Node) error) error {
	if n.Kind != yaml.SequenceNode {
		return at(n, "expected a list")
	}
	for _, item := range n.Content {
		if err := read(item); err != nil {
			return err
		}
	}
	return nil
}

func fraction(into *float64) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		text, percent := strings.CutSuffix(n.Value, "%")
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if percent {
			v /= 100
		}
		if err != nil || !(v > 0 && v < 1) {
			return at(n, "%q: use a fraction between 0 and 1 such as 5%% or 0.05", n.Value)
		}
		*into = v
		return nil
	}
}

// number reads a limit in base units.
func number(into **float64) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		v, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || !(v >= 0) || math.IsInf(v, 0) {
			return at(n, "%q: use a number in base units such as 180e12", n.Value)
		}
		*into = &v
		return nil
	}
}

// share reads a limit on a quotient, which may be in percent.
func share(into **float64) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		text, percent := strings.CutSuffix(n.Value, "%")
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(v >= 0) || math.IsInf(v, 0) {
			return at(n, "%q: use a share such as 5%% or 0.05", n.Value)
		}
		if percent {
			v /= 100
		}
		*into = &v
		return nil
	}
}

func limits(into *Limits, read func(**float64) func(*yaml.Node) error) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if err := mapping(n, map[string]func(*yaml.Node) error{"min": read(&into.Min), "max": read(&into.Max)}); err != nil {
			return err
		}
		if !into.stated() {
			return at(n, "state min, max or both")
		}
		return nil
	}
}
