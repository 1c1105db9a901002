package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// laws are the sentences under a table (measurement.md 2.4): what cannot be
// identified says so in place of a number.
func laws(l *result.Law) []string {
	if l == nil {
		return nil
	}
	var first []string
	if n := len(l.KarpFlatt); n > 0 {
		p := l.KarpFlatt[n-1]
		first = append(first, fmt.Sprintf("serial fraction (Karp-Flatt, N=%d) %s", p.Count, Estimate(&p.Value, 3)))
	}
	fit := func(name string, f *result.Fit) {
		switch {
		case f == nil:
		case !f.Identifiable || f.Value == nil:
			first = append(first, name+": "+Clean(f.Reason))
		default:
			first = append(first, name+" "+Parameter(*f.Value, f.Low, f.High, f.Bound, 3))
		}
	}
	fit("Amdahl f (effective serial fraction, descriptive)", l.Amdahl)
	fit("Gustafson s' (serial share)", l.Gustafson)
	out := []string{}
	if u := l.USL; u != nil {
		first = append(first, "USL: "+usl(u))
	}
	if len(first) > 0 {
		out = append(out, strings.Join(first, "; "))
	}
	if l.Descriptive {
		out = append(out, "the devices are unequal: these fractions describe, they do not explain")
	}
	for _, w := range l.Warnings {
		out = append(out, Clean(w.Text))
	}
	for _, p := range l.Predictions {
		out = append(out, prediction(p))
	}
	return out
}

// prediction is one sentence; why there is none if there is none.
func prediction(p result.Prediction) string {
	if p.Efficiency == nil || p.Speedup == nil {
		return fmt.Sprintf("N=%d: not predicted: %s", p.Count, Clean(p.Reason))
	}
	name := map[string]string{"usl": "USL", "amdahl": "Amdahl", "gustafson": "Gustafson"}[p.Law]
	text := fmt.Sprintf("N=%d by %s: ", p.Count, name)
	if p.Rate != nil {
		s := scaleFor([]float64{p.Rate.Value})
		text += s.format(p.Rate.Value) + " " + s.prefix + unitName(p.Rate.Unit)
		if pm := PlusMinus(p.Rate.Value, p.Rate.Low, p.Rate.High); pm != "" {
			text += " " + pm
		}
		text += ", "
	}
	text += fmt.Sprintf("speedup %s, efficiency %s", Estimate(p.Speedup, 2), Estimate(p.Efficiency, 3))
	if p.Cut != "" {
		text += " (intervals end at " + Clean(p.Cut) + ")"
	}
	return text
}

func usl(u *result.USL) string {
	if !u.Identifiable || u.Sigma == nil || u.Kappa == nil {
		return Clean(u.Reason)
	}
	var parts []string
	if u.SigmaLow != nil {
		parts = append(parts, "sigma "+Parameter(*u.Sigma, u.SigmaLow, u.SigmaHigh, u.SigmaBound, 4))
	}
	if u.KappaLow != nil {
		parts = append(parts, "kappa "+Parameter(*u.Kappa, u.KappaLow, u.KappaHigh, u.KappaBound, 5))
	}
	if u.Reason != "" {
		parts = append(parts, Clean(u.Reason))
	}
	if u.Peak != nil {
		parts = append(parts, "largest throughput at N="+Interval(u.Peak.Value, u.Peak.Low, u.Peak.High, 1))
	}
	return strings.Join(parts, ", ")
}

// Parameter formats a law's parameter with its interval. Where the fit ends on a
// bound of the parameter it is a one-sided bound (measurement.md P6), with as many
// digits as it needs to differ from both ends of what the parameter can be. A bound
// that reaches the other end says nothing, and the text says that.
func Parameter(value float64, low, high *float64, bound string, decimals int) string {
	end, word := high, "at most"
	if bound == result.OnUpper {
		end, word = low, "at least"
	}
	switch {
	case bound == "":
		return Interval(value, low, high, decimals)
	case end == nil || *end == value:
		return fmt.Sprintf("%g (on its bound)", value)
	case bound == result.OnUpper && *end <= 0, bound == result.OnLower && *end >= 1:
		return fmt.Sprintf("%g (on its bound; the data allow any value from 0 to 1)", value)
	}
	return fmt.Sprintf("%g (on its bound; %s %s)", value, word, inside(*end))
}

// inside formats a number between 0 and 1 so that it looks like neither.
func inside(v float64) string {
	if v < 0.5 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	digits := 3
	for ; digits < 9 && 1-v < 0.5*math.Pow10(-digits); digits++ {
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}
