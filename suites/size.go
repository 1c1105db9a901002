package suites

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Sizes are the standard sizes: S for software devices, M the default on GPUs,
// L for cards with 80 GB.
type Sizes struct{ S, M, L int64 }

// binary are the suffixes of numbers.
var binary = map[string]int64{"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}

// Parse resolves "S", "M", "L" or a number, which may end in Ki, Mi or Gi; label is
// "custom" for a number that is none of the three.
func (s Sizes) Parse(text string) (n int64, label string, err error) {
	switch text {
	case "S", "s":
		return s.S, "S", nil
	case "M", "m":
		return s.M, "M", nil
	case "L", "l":
		return s.L, "L", nil
	}
	digits, unit := text, int64(1)
	for suffix, u := range binary {
		if rest, ok := strings.CutSuffix(text, suffix); ok {
			digits, unit = rest, u
		}
	}
	n, err = strconv.ParseInt(digits, 10, 64)
	if errors.Is(err, strconv.ErrRange) && n > 0 || n > math.MaxInt64/unit {
		return 0, "", fmt.Errorf("size %q: the number is too large", text)
	}
	if err != nil || n <= 0 {
		return 0, "", fmt.Errorf("size %q: use S, M, L, fill or a whole number above 0, such as 4096, 64Ki, 16Mi or 1Gi", text)
	}
	n *= unit
	switch n {
	case s.S:
		return n, "S", nil
	case s.M:
		return n, "M", nil
	case s.L:
		return n, "L", nil
	}
	return n, "custom", nil
}

// List resolves a comma list of sizes. A range such as 1..256Mi stands for its first
// size and all powers of four times it up to its last.
func (s Sizes) List(text string) (out []Size, err error) {
	for item := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(item, "..")
		if ranged && (first == "" || last == "") {
			return nil, fmt.Errorf("size %q: a range has a size on both sides, such as 1..256Mi", item)
		}
		n, label, err := s.Parse(first)
		if err != nil {
			return nil, err
		}
		out = append(out, Size{n, label})
		if !ranged {
			continue
		}
		most, _, err := s.Parse(last)
		if err != nil {
			return nil, err
		}
		if most < n {
			return nil, fmt.Errorf("size %q: the range ends below its start", item)
		}
		for n <= most/4 {
			n *= 4
			_, label, err := s.Parse(strconv.FormatInt(n, 10))
			if err != nil {
				return nil, err
			}
			out = append(out, Size{n, label})
		}
	}
	seen := map[int64]bool{}
	return slices.DeleteFunc(out, func(x Size) bool {
		again := seen[x.N]
		seen[x.N] = true
		return again
	}), nil
}

// Size is one resolved size.
type Size struct {
	N     int64
	Label string
}
