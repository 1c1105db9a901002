package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	yaml "go.yaml.in/yaml/v3"

	"github.com/amgpu/amgpu/internal/near"
)

// fill sets flags that the command line leaves open from AMGPU_* variables
// first and from the file of --config second. It returns the file's workloads.
func fill(c *cobra.Command) ([]string, error) {
	if err := unknownEnv(c.Root(), os.Environ()); err != nil {
		return nil, err
	}
	if err := fillFromEnv(c.Flags()); err != nil {
		return nil, err
	}
	f := c.Flags().Lookup("config")
	if f == nil || f.Value.String() == "" {
		return nil, nil
	}
	path := f.Value.String()
	file, err := os.Open(path)
	if err != nil {
		return nil, usage("--config: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	conf, err := parseConfig(file)
	if err != nil {
		return nil, usage("%s: %w", path, err)
	}
	for _, s := range conf.settings {
		if err := s.apply(c); err != nil {
			return nil, usage("%s: %w", path, err)
		}
	}
	return conf.workloads, nil
}

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
func (s setting) apply(c *cobra.Command) error {
	name, unit := strings.ReplaceAll(s.name, "_", "-"), ""
	if other, ok := otherNames[s.name]; ok {
		name, unit = other.flag, other.unit
	}
	f := c.Flags().Lookup(name)
	if f == nil || slices.Contains(notInConfig, name) {
		known := []string{"workloads"}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(notInConfig, f.Name) {
				known = append(known, f.Name)
			}
		})
		return fmt.Errorf("line %d: `%s %s` has no setting %q%s; settings are named like flags", s.line, c.Root().Name(), c.Name(), s.name, near.Hint(s.name, known))
	}
	if f.Changed {
		return nil
	}
	values := s.values
	if _, list := f.Value.(pflag.SliceValue); !list && len(values) > 1 {
		values = []string{strings.Join(values, ",")} // as the flag takes them
	}
	for _, v := range values {
		if err := c.Flags().Set(name, v+unit); err != nil {
			return fmt.Errorf("line %d: %s: %w", s.line, s.name, err)
		}
	}
	return nil
}

// envName is the variable that mirrors a flag: --max-time is AMGPU_MAX_TIME.
func envName(flag string) string {
	return "AMGPU_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func fillFromEnv(flags *pflag.FlagSet) error {
	var bad error
	flags.VisitAll(func(f *pflag.Flag) {
		value, ok := os.LookupEnv(envName(f.Name))
		if !ok || value == "" || f.Changed || f.Name == "help" || bad != nil {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			bad = usage("%s=%s: %w", envName(f.Name), value, err)
		}
	})
	return bad
}

// otherEnv are the variables that mirror no flag.
var otherEnv = []string{"AMGPU_VISIBLE_DEVICES", "AMGPU_VULKAN_LIBRARY", "AMGPU_CUDA_LIBRARY", "AMGPU_SWIFTSHADER_DIR", "AMGPU_VALIDATION", "AMGPU_FAULT"}

// unknownEnv refuses variables that look like a mistyped one of ours, which would be
// ignored in silence; others may belong to whoever runs the program.
func unknownEnv(root *cobra.Command, environment []string) error {
	known := slices.Clone(otherEnv)
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, envName(f.Name)) })
	}
	for _, pair := range environment {
		name, value, _ := strings.Cut(pair, "=")
		if value == "" || !strings.HasPrefix(name, "AMGPU_") || slices.Contains(known, name) {
			continue
		}
		if at := near.Name(name, known); at != "" && near.Edits(name, at) <= mistyped {
			return usage("the variable %s is not known: did you mean %s? Unset it otherwise", name, at)
		}
	}
	return nil
}

// mistyped is by how many letters a mistyped name differs at most.
const mistyped = 2

// config is a parsed amgpu.yaml.
type config struct {
	workloads []string
	settings  []setting
}

type setting struct {
	name   string
	line   int
	values []string
}

// parseConfig reads settings named like flags, each a scalar or a list of
// scalars, and the list `workloads`.
func parseConfig(r io.Reader) (*config, error) {
	var doc, more yaml.Node
	dec := yaml.NewDecoder(r)
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return &config{}, nil
	} else if err != nil {
		return nil, err
	}
	if err := dec.Decode(&more); err == nil {
		return nil, fmt.Errorf("line %d: a second document; write all settings into one", more.Line)
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("expected settings as `name: value`")
	}
	conf := &config{}
	seen := map[string]int{} // lines by name
	pairs := doc.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		key, value := pairs[i], pairs[i+1]
		if line, dup := seen[key.Value]; dup {
			return nil, fmt.Errorf("line %d: %s: already set in line %d", key.Line, key.Value, line)
		}
		seen[key.Value] = key.Line
		values, err := scalars(value)
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", key.Line, key.Value, err)
		}
		if key.Value == "workloads" {
			conf.workloads = append(conf.workloads, values...)
			continue
		}
		conf.settings = append(conf.settings, setting{key.Value, key.Line, values})
	}
	return conf, nil
}

func scalars(n *yaml.Node) ([]string, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return []string{n.Value}, nil
	case yaml.SequenceNode:
		var out []string
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode {
				return nil, errors.New("expected a list of plain values")
			}
			out = append(out, item.Value)
		}
		return out, nil
	}
	return nil, errors.New("expected a value or a list of values")
}
