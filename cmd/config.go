package cmd

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/amgpu/amgpu/internal/near"
)

// fill sets flags that the command line leaves open from AMGPU_* variables
// first and from the file of --config second. It returns the file's workloads.
func fill(c *cobra.Command) ([]string, error) {
	if err := unknownEnv(c.Root(), os.Environ()); err != nil {
		return nil, err
	}
	if err := fillFromEnv(c); err != nil {
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
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, usage("--config %s: it is a folder: name a YAML file", path)
	}
	conf, err := parseConfig(file, settingNames(c))
	if err != nil {
		return nil, usage("%s: %w", path, err)
	}
	for _, s := range conf.settings {
		var exit *exitError
		if err := s.apply(c, path); errors.As(err, &exit) {
			return nil, err
		} else if err != nil {
			return nil, usage("%s: line %d: %w", path, s.line, err)
		}
	}
	if _, err := findWorkloads(conf.workloads); err != nil {
		return nil, usage("%s: line %d: workloads: %w", path, conf.line, err)
	}
	return conf.workloads, nil
}

// envName is the variable that mirrors a flag: --max-time is AMGPU_MAX_TIME.
func envName(flag string) string {
	return "AMGPU_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func fillFromEnv(c *cobra.Command) error {
	var bad error
	c.Flags().VisitAll(func(f *pflag.Flag) {
		value, ok := os.LookupEnv(envName(f.Name))
		if !ok || value == "" || f.Name == "help" || bad != nil {
			return
		}
		where := envName(f.Name) + "=" + value
		if f.Changed {
			if err := checkValue(c.Name(), f.Name, []string{value}); err != nil {
				bad = outweighed(err, where)
			}
			return
		}
		if err := c.Flags().Set(f.Name, value); err != nil {
			bad = usage("%s: %w", where, wanted(f, value, err))
			return
		}
		bad = c.Flags().SetAnnotation(f.Name, setIn, []string{where})
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

// wanted says what a flag takes instead of a value that it refuses, and why it does.
func wanted(f *pflag.Flag, value string, why error) error {
	if errors.Is(why, strconv.ErrRange) {
		return fmt.Errorf("%q: the number is too large", value)
	}
	switch f.Value.Type() {
	case "bool":
		return fmt.Errorf("%q: use true or false", value)
	case "int", "int64":
		return fmt.Errorf("%q: use a whole number", value)
	case "uint64":
		return fmt.Errorf("%q: use a whole number, 0 or more", value)
	case "float64":
		return fmt.Errorf("%q: use a number", value)
	}
	return fmt.Errorf("%q: quotes must enclose a whole name of the list", value)
}
