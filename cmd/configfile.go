package cmd

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	yaml "go.yaml.in/yaml/v3"

	"github.com/amgpu/amgpu/internal/near"
)

var notInConfig = []string{"config", "help"}

// otherNames are names under which settings are known elsewhere, with the unit that
// their values lack.
var otherNames = map[string]struct{ flag, unit string }{
	"device_filter":           {"device", ""},
	"load_balancing_strategy": {"strategy", ""},
	"memory_pool_size_mb":     {"memory-pool", "MiB"},
	"sync_timeout_ms":         {"sync-timeout", "ms"},
}

// apply sets the flag of a setting, unless the command line or a variable has.
func (s setting) apply(c *cobra.Command, path string) error {
	name, unit := flagOf(s.name)
	f := c.Flags().Lookup(name)
	if f == nil || slices.Contains(notInConfig, name) {
		return fmt.Errorf("`%s %s` has no setting %q%s; settings are named like flags", c.Root().Name(), c.Name(), s.name, meant(s.name, settingNames(c)))
	}
	values, err := scalars(s.value)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if _, list := f.Value.(pflag.SliceValue); !list {
		if len(values) == 0 {
			return fmt.Errorf("%s: %w", s.name, errNoValue)
		}
		values = []string{strings.Join(values, ",")} // as the flag takes them
	}
	where := fmt.Sprintf("%s, line %d", path, s.line)
	if f.Changed { // the value does not count, and a mistake in it is one all the same
		for i := range values {
			values[i] += unit
		}
		if err := checkValue(c.Name(), name, values); err != nil {
			return outweighed(err, where)
		}
		return nil
	}
	for _, v := range values {
		if err := c.Flags().Set(name, v+unit); err != nil {
			return fmt.Errorf("%s: %w", s.name, wanted(f, v, err))
		}
	}
	return c.Flags().SetAnnotation(name, setIn, []string{where})
}

// outweighed adds to a complaint about a value where it is set, and that it did not count.
func outweighed(err error, where string) error {
	return usage("%w; it is set in %s, which is outweighed here: correct it or take it out", err, where)
}

// groups are names that people give to what several settings choose.
var groups = map[string][]string{
	"pool":       {"device", "exclude", "max-devices", "software", "allow-cpu", "gpus"},
	"filters":    {"device", "exclude", "max-devices"},
	"thresholds": {"max-temperature", "max-memory", "max-power"},
	"memory":     {"memory-pool", "max-memory"},
	"limits":     {"max-temperature", "max-memory", "max-power", "max-time", "timeout", "sync-timeout"},
}

// meant is the end of a complaint about a name that is no setting: the nearest one, those of
// the group it names, or all.
func meant(name string, known []string) string {
	all := slices.Concat(known, slices.Collect(maps.Keys(groups)))
	at := near.Name(strings.ReplaceAll(name, "_", "-"), all)
	if of, ok := groups[at]; ok && !slices.Contains(known, at) {
		of = slices.DeleteFunc(slices.Clone(of), func(s string) bool { return !slices.Contains(known, s) })
		return fmt.Sprintf(": the settings of the %s are %s", at, strings.Join(of, ", "))
	}
	return near.HintOrAll(name, known)
}

// setIn is the annotation of a flag that a file or a variable has set: where.
const setIn = "set-in"

// placed adds to a complaint about a flag where a file or a variable has set it.
func placed(c *cobra.Command, err error) error {
	var exit *exitError
	if !errors.As(err, &exit) || exit.code != codeUsage {
		return err
	}
	var where []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		_, after, said := strings.Cut(err.Error()+" ", "--"+f.Name)
		if f.Shorthand != "" && strings.HasPrefix(err.Error(), "-"+f.Shorthand+" ") {
			after, said = " ", true
		}
		if at := f.Annotations[setIn]; len(at) > 0 && said && !strings.ContainsAny(after[:1], "-abcdefghijklmnopqrstuvwxyz") {
			where = append(where, at...)
		}
	})
	if len(where) == 0 {
		return err
	}
	return &exitError{code: exit.code, err: fmt.Errorf("%w; it is set in %s", err, strings.Join(where, " and ")), hint: exit.hint}
}

// flagOf is the flag that a setting stands for, with the unit that its values lack.
func flagOf(setting string) (name, unit string) {
	if other, ok := otherNames[setting]; ok {
		return other.flag, other.unit
	}
	return strings.ReplaceAll(setting, "_", "-"), ""
}

// settingNames are what a file may set for a command.
func settingNames(c *cobra.Command) []string {
	known := []string{"workloads"}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(notInConfig, f.Name) {
			known = append(known, f.Name)
		}
	})
	return known
}

// config is a parsed amgpu.yaml.
type config struct {
	workloads []string
	line      int // of workloads
	settings  []setting
}

type setting struct {
	name  string
	line  int
	value *yaml.Node
}

var errNoValue = errors.New("it has no value: give it one or leave it out")

// parseConfig reads settings named like flags, each a scalar or a list of
// scalars, and the list `workloads`; known are their names.
func parseConfig(r io.Reader, known []string) (*config, error) {
	var doc, more yaml.Node
	dec := yaml.NewDecoder(r)
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return &config{}, nil
	} else if err != nil {
		return nil, err
	}
	if err := dec.Decode(&more); err == nil {
		return nil, fmt.Errorf("line %d: a second document; write all settings into one", more.Line)
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if root := doc.Content[0]; root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: expected settings as `name: value`, each on a line of its own: there is %s", root.Line, strings.Join(known, ", "))
	}
	conf := &config{}
	seen := map[string]int{} // lines by flag
	pairs := doc.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		key, value := pairs[i], pairs[i+1]
		if key.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("line %d: expected the name of a setting before the colon: there is %s", key.Line, strings.Join(known, ", "))
		}
		name, _ := flagOf(key.Value)
		if line, dup := seen[name]; dup {
			return nil, fmt.Errorf("line %d: %s: already set in line %d", key.Line, key.Value, line)
		}
		seen[name] = key.Line
		if key.Value == "workloads" {
			conf.line = key.Line
			if conf.workloads, err = scalars(value); err != nil {
				return nil, fmt.Errorf("line %d: workloads: %w", key.Line, err)
			}
			continue
		}
		conf.settings = append(conf.settings, setting{key.Value, key.Line, value})
	}
	return conf, nil
}

// scalars are the values of a setting; the values of a list may not be lists themselves.
func scalars(n *yaml.Node) ([]string, error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	var out []string
	for _, item := range items {
		switch {
		case item.Kind == yaml.MappingNode:
			return nil, errors.New("expected a value or a list of values, not settings of its own")
		case item.Kind != yaml.ScalarNode:
			return nil, errors.New("expected a list of plain values")
		case item.Tag == "!!null" || item.Value == "":
			return nil, errNoValue
		}
		out = append(out, item.Value)
	}
	return out, nil
}
