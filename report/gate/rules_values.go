package gate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/amgpu/amgpu/internal/near"
)

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
