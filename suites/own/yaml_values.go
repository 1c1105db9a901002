package own

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/amgpu/amgpu/internal/near"
)

func scalar(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return "", errors.New("expected a single value")
	}
	return n.Value, nil
}

func str(to *string) field {
	return func(n *yaml.Node) (err error) {
		if *to, err = scalar(n); err == nil && *to == "" {
			err = errors.New("is empty")
		}
		return err
	}
}

func boolean(to *bool) field {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
			return errors.New("expected true or false")
		}
		return n.Decode(to)
	}
}

func whole(to *int64, least, most int64) field {
	return func(n *yaml.Node) error {
		text, err := scalar(n)
		if err != nil {
			return err
		}
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil || v < least || v > most {
			return fmt.Errorf("%q: expected a whole number from %d to %d", text, least, most)
		}
		*to = v
		return nil
	}
}

func float(to *float64) field {
	return func(n *yaml.Node) error {
		text, err := scalar(n)
		if err != nil {
			return err
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%q: expected a number", text)
		}
		*to = v
		return nil
	}
}

func span(n *yaml.Node, low, high *float64) error {
	ends := []*float64{low, high}
	i := 0
	err := list(func(n *yaml.Node) error {
		i++
		return float(ends[i-1])(n)
	}, 2)(n)
	if err == nil && (i != 2 || *low >= *high) {
		err = errors.New("expected [low, high] with low below high")
	}
	return err
}

func oneOf(to *string, known ...string) field {
	return func(n *yaml.Node) error {
		text, err := scalar(n)
		if err == nil && !slices.Contains(known, text) {
			err = fmt.Errorf("%q is not understood%s", text, near.HintOrAll(text, known))
		}
		*to = text
		return err
	}
}

func list(each field, most int) field {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.SequenceNode {
			return errors.New("expected a list")
		}
		if len(n.Content) > most {
			return fmt.Errorf("%d entries, at most %d are possible", len(n.Content), most)
		}
		for _, item := range n.Content {
			if err := each(item); err != nil {
				return err
			}
		}
		return nil
	}
}

func expression(to **expr) field {
	return func(n *yaml.Node) error {
		text, err := scalar(n)
		if err != nil {
			return err
		}
		if *to, err = parseExpr(text); err == nil {
			(*to).line = n.Line
		}
		return err
	}
}

// tolerance reads a number of units of 2^-24, such as 2u.
func tolerance(to *float64) field {
	return func(n *yaml.Node) error {
		text, err := scalar(n)
		if err != nil {
			return err
		}
		v, err := strconv.ParseFloat(strings.TrimSuffix(text, "u"), 64)
		if err != nil || !strings.HasSuffix(text, "u") || !(v >= 0 && v <= 1<<24) {
			return fmt.Errorf("%q: expected units of roundoff, such as 2u (u = 2^-24)", text)
		}
		*to = v
		return nil
	}
}
