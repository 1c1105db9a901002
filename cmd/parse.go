package cmd

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// parseCounts resolves --gpus ("1,2,4", "1-4", "1,2,all") against a pool of
// that many devices: ascending, each count once. With a pool of 0, which is one
// not known yet, only the syntax is checked.
func parseCounts(text string, pool int) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		lo, hi, isRange := strings.Cut(part, "-")
		if isRange && (lo == "" || hi == "") { // as a whole: -1 is no count and no range
			return nil, badCount(part)
		}
		first, err := count(lo, pool)
		if err != nil {
			return nil, err
		}
		last := first
		if isRange {
			if last, err = count(hi, pool); err != nil {
				return nil, err
			}
		}
		if pool == 0 && (first == 0 || last == 0) {
			continue // all of a pool that is not known yet
		}
		if last < first {
			return nil, fmt.Errorf("range %q runs backwards: write %d-%d", part, last, first)
		}
		if pool == 0 {
			continue
		}
		if last > pool {
			return nil, fmt.Errorf("count %d is larger than the pool of %d", last, pool)
		}
		for n := first; n <= last; n++ {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func count(text string, pool int) (int, error) {
	if text == "all" {
		return pool, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, badCount(text)
	}
	return n, nil
}

func badCount(text string) error {
	return fmt.Errorf("count %q: use whole numbers above 0, such as 1,2,4 or 1-4 or 1,2,all", text)
}

// defaultCounts are all powers of two up to the pool, and the pool.
func defaultCounts(pool int) []int {
	var out []int
	for n := 1; n < pool; n *= 2 {
		out = append(out, n)
	}
	return append(out, pool)
}

// parseSeconds reads "2.5" (seconds) or a Go duration such as "1m30s".
func parseSeconds(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if seconds, numErr := strconv.ParseFloat(text, 64); numErr == nil {
		d, err = 0, nil // out of range (also NaN): refused below
		if math.Abs(seconds) < 1e9 {
			d = time.Duration(seconds * float64(time.Second))
		}
	}
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q: use a time above 0 such as 30s or 2m", text)
	}
	return d, nil
}

// parseFraction reads "1%" or "0.01".
func parseFraction(text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) {
		return 0, fmt.Errorf("%q: use a fraction between 0 and 1 such as 1%% or 0.01", text)
	}
	return v, nil
}

// parseParams reads name=value pairs.
func parseParams(pairs []string) (map[string]int64, error) {
	out := map[string]int64{}
	for _, p := range pairs {
		name, value, ok := strings.Cut(p, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if !ok || name == "" || err != nil {
			return nil, fmt.Errorf("%q: write name=value with a whole number", p)
		}
		if _, dup := out[name]; dup {
			return nil, fmt.Errorf("%q is given twice: give it once", name)
		}
		out[name] = n
	}
	return out, nil
}

// list splits "a,b"; blanks and empty items do not count.
func list(text string) []string {
	var out []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" && !slices.Contains(out, item) {
			out = append(out, item)
		}
	}
	return out
}
