package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/amgpu/amgpu/report/result"
)

// prefixes are the SI prefixes by power of 1000, from 10^-15 on.
var prefixes = []string{"f", "p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"}

// none is what stands where there is no number.
const none = "-"

// scale is one prefix and one number of decimals for a column.
type scale struct {
	factor   float64
	prefix   string
	decimals int
}

// scaleFor picks the prefix that keeps the smallest of the values at 1 or above
// (the largest, where they are more than four orders apart) and as many decimals
// as give the smallest three digits. Values must be positive and finite.
func scaleFor(values []float64) scale {
	if len(values) == 0 {
		return scale{factor: 1}
	}
	least, most := values[0], values[0]
	for _, v := range values {
		least, most = min(least, v), max(most, v)
	}
	lead := least
	if most > 1e4*least {
		lead = most
	}
	if lead > 0 { // round first: 0.9999 prints as 1.00
		unit := math.Pow(10, math.Floor(math.Log10(lead))-2)
		lead = math.Round(lead/unit) * unit
	}
	power := min(max(int(math.Floor(math.Log10(lead)/3+1e-12)), -5), len(prefixes)-6)
	s := scale{factor: math.Pow(1000, float64(power)), prefix: prefixes[power+5]}
	digits := int(math.Floor(math.Log10(lead/s.factor) + 1e-12))
	s.decimals = min(max(2-digits, 0), 6)
	return s
}

func (s scale) format(v float64) string {
	return strconv.FormatFloat(v/s.factor, 'f', s.decimals, 64)
}

// unitName writes operations as they are usually written: FLOP, B, others as given.
func unitName(unit string) string {
	if rest, ok := strings.CutPrefix(unit, "flop"); ok {
		return "FLOP" + rest
	}
	return Clean(unit)
}

// Seconds formats one time with its own prefix.
func Seconds(v float64) string { return Quantity(v, "s") }

// Quantity formats one value with its own prefix and three digits; 0 and what is
// no number print as "-".
func Quantity(v float64, unit string) string {
	if !(v > 0) || math.IsInf(v, 0) {
		return none
	}
	s := scaleFor([]float64{v})
	return s.format(v) + " " + s.prefix + unitName(unit)
}

// Bytes formats a size in binary units.
func Bytes(n int64) string {
	names := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	v, i := float64(n), 0
	for v >= 1024 && i < len(names)-1 {
		v /= 1024
		i++
	}
	if v == math.Trunc(v) {
		return fmt.Sprintf("%.0f %s", v, names[i])
	}
	return fmt.Sprintf("%.1f %s", v, names[i])
}

// Size formats a problem size: exactly where that is short, with binary prefixes
// for multiples of powers of two, else with three digits.
func Size(n int64) string {
	switch {
	case n < 100_000:
		return strconv.FormatInt(n, 10)
	case n%(1<<30) == 0:
		return strconv.FormatInt(n>>30, 10) + "Gi"
	case n%(1<<20) == 0:
		return strconv.FormatInt(n>>20, 10) + "Mi"
	case n%(1<<10) == 0 && n < 1<<24:
		return strconv.FormatInt(n>>10, 10) + "Ki"
	}
	s := scaleFor([]float64{float64(n)})
	return s.format(float64(n)) + s.prefix
}

// PlusMinus is the larger one-sided distance of an interval relative to its
// estimate, like benchstat's; empty without an interval.
func PlusMinus(value float64, low, high *float64) string {
	if low == nil || high == nil || value == 0 {
		return ""
	}
	p := 100 * max(value-*low, *high-value) / math.Abs(value)
	switch {
	case p < 0.05:
		return "±0.0 %"
	case p < 9.95:
		return fmt.Sprintf("±%.1f %%", p)
	}
	return fmt.Sprintf("±%.0f %%", p)
}

// Interval formats an estimate with its interval, if it has one.
func Interval(value float64, low, high *float64, decimals int) string {
	f := func(v float64) string {
		s := strconv.FormatFloat(v, 'f', decimals, 64)
		if strings.Trim(s, "-0.") == "" { // no -0.000
			s = strings.TrimPrefix(s, "-")
		}
		return s
	}
	switch {
	case low != nil && high != nil:
		return f(value) + " [" + f(*low) + ", " + f(*high) + "]"
	case high != nil:
		return f(value) + " (at most " + f(*high) + ")"
	}
	return f(value)
}

// Estimate formats a value that may be missing.
func Estimate(v *result.Value, decimals int) string {
	if v == nil {
		return none
	}
	return Interval(v.Value, v.Low, v.High, decimals) + Mark(v)
}

// Mark follows an interval that assumes a distribution; a note of the row explains it.
func Mark(v *result.Value) string {
	if v != nil && v.Method == result.StudentT {
		return " t"
	}
	return ""
}

// Clean replaces what could steer a terminal or reverse the order of a line:
// names come from drivers and files, not from us.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return '?'
		}
		return r
	}, s)
}
