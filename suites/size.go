package suites

import (
	"fmt"
	"strconv"
)

// Sizes are the standard sizes: S for software devices, M the default on GPUs,
// L for cards with 80 GB.
type Sizes struct{ S, M, L int64 }

// Parse resolves "S", "M", "L" or a number; label is "custom" for a number.
func (s Sizes) Parse(text string) (n int64, label string, err error) {
	switch text {
	case "S", "s":
		return s.S, "S", nil
	case "M", "m":
		return s.M, "M", nil
	case "L", "l":
		return s.L, "L", nil
	}
	n, err = strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return 0, "", fmt.Errorf("size %q: use S, M, L or a whole number above 0", text)
	}
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
