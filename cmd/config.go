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
)

// fill sets flags that the command line leaves open from AMGPU_* variables
// first and from the file of --config second. It returns the file's workloads.
func fill(c *cobra.Command) ([]string, error) {
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
		f := c.Flags().Lookup(s.name)
		if f == nil || slices.Contains(notInConfig, s.name) {
			return nil, usage("%s: `%s %s` has no setting %q; settings are named like flags", path, c.Root().Name(), c.Name(), s.name)
		}
		if f.Changed {
			continue
		}
		for _, v := range s.values {
			if err := c.Flags().Set(s.name, v); err != nil {
				return nil, usage("%s: %s: %w", path, s.name, err)
			}
		}
	}
	return conf.workloads, nil
}

var notInConfig = []string{"config", "help"}

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

// config is a parsed amgpu.yaml.
type config struct {
	workloads []string
	settings  []setting
}

type setting struct {
	name   string
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
		conf.settings = append(conf.settings, setting{key.Value, values})
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
