package gate

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"

	yaml "go.yaml.in/yaml/v3"
)

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
