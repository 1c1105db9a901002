package gate

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/amgpu/amgpu/report/result"
)

// formats in the order of the help text.
var formats = []struct {
	name   string
	render func(*Report) ([]byte, error)
}{
	{"text", text}, {"json", jsonFormat}, {"junit", junit}, {"md", markdown}, {"github", github}, {"targets", targetsPage},
}

// Formats lists the names of the formats.
func Formats() []string {
	var out []string
	for _, f := range formats {
		out = append(out, f.name)
	}
	return out
}

// Render writes the report in one format. The verdicts are the same in all.
func Render(r *Report, format string) ([]byte, error) {
	for _, f := range formats {
		if f.name == format {
			return f.render(r)
		}
	}
	return nil, fmt.Errorf("%w: no format %q; use %s", ErrRequest, format, strings.Join(Formats(), ", "))
}

func jsonFormat(r *Report) ([]byte, error) {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(raw, '\n'), nil
}

// names gives each row a short name that tells it from the others: the fields of
// the key in which rows differ, always with mode, size and count. What a row leaves
// open, as that of a rule which fits none does, differs from no other.
func names(rows []Row) []string {
	differ, first := map[string]bool{}, map[string]string{}
	for i := range rows {
		for _, name := range keyFields {
			v := keyField(identity{Key: rows[i].Key}, name)
			if v != "" && first[name] == "" {
				first[name] = v
			}
			if v != "" && v != first[name] {
				differ[name] = true
			}
		}
	}
	out := make([]string, len(rows))
	for i := range rows {
		r := &rows[i]
		parts := []string{r.Workload}
		if r.Mode != "" {
			parts = append(parts, r.Mode)
		}
		switch {
		case r.Size.Label == "custom":
			parts = append(parts, fmt.Sprintf("n=%d", r.Size.N))
		case r.Size.Label != "":
			parts = append(parts, r.Size.Label)
		}
		for _, name := range keyFields[2:] { // mode and size are there
			if v := keyField(identity{Key: r.Key}, name); differ[name] && v != "" {
				parts = append(parts, name+"="+v)
			}
		}
		if r.Count > 0 {
			parts = append(parts, fmt.Sprintf("N=%d", r.Count))
		}
		if r.Device != nil {
			parts = append(parts, fmt.Sprintf("device %d", *r.Device))
		}
		out[i] = clean(strings.Join(parts, " "))
	}
	return out
}

// clean replaces what would break a line or a terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, text)
}

// effectText is "+8.2 % [+7.1, +9.4]" or, for a limit, the value and its interval.
func effectText(e *Effect) string {
	if e == nil {
		return "-"
	}
	if e.Unit == "relative" {
		out := fmt.Sprintf("%+.1f %%", noMinusZero(100*e.Value))
		if e.Low != nil && e.High != nil {
			out += fmt.Sprintf(" [%+.1f, %+.1f]", noMinusZero(100**e.Low), noMinusZero(100**e.High))
		}
		return out
	}
	scale, unit := prefix(e)
	out := fmt.Sprintf("%.4g", e.Value/scale)
	if e.Low != nil && e.High != nil {
		out += fmt.Sprintf(" [%.4g, %.4g]", *e.Low/scale, *e.High/scale)
	}
	return clean(strings.TrimSuffix(out+" "+unit, " "))
}

// prefix scales a value so that it is printed with one to three digits before the
// point; numbers without a unit stay.
func prefix(e *Effect) (scale float64, unit string) {
	if e.Unit == "1" || e.Unit == "" || !(e.Value > 0) {
		return 1, strings.TrimSuffix(e.Unit, "1")
	}
	prefixes := []string{"p", "n", "u", "m", "", "k", "M", "G", "T", "P", "E"}
	k := int(math.Floor(math.Log10(e.Value)/3 + 1e-9))
	k = max(-4, min(k, 6))
	return math.Pow(1000, float64(k)), prefixes[k+4] + e.Unit
}

// noMinusZero keeps what rounds to zero from being printed as -0.0.
func noMinusZero(v float64) float64 {
	if math.Abs(v) < 0.05 {
		return 0
	}
	return v
}

func pText(r *Row) string {
	switch {
	case r.P == nil:
		return "-"
	}
	return pValue(*r.P)
}

func pValue(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// why is the reason with its code and limit.
func why(r *Row) string {
	out := r.Reason
	if r.Code != "" {
		out = r.Code + ": " + out
	}
	if r.Limit != "" {
		out += " (limit: " + r.Limit + ")"
	}
	if r.Tolerated {
		out += " (allowed)"
	}
	return clean(out)
}

// counted is "compared 7 of 8 rows: 1 regressed, 6 same, 1 missing".
func (r *Report) counted() string {
	var parts []string
	for _, v := range order {
		if n := r.Count(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing was compared"}
	}
	return fmt.Sprintf("compared %d of %d rows: %s", r.Compared, r.Expected, strings.Join(parts, ", "))
}

// Headline is the outcome in one line.
func (r *Report) Headline() string {
	return fmt.Sprintf("%s; %s", strings.ToUpper(string(r.Verdict)), r.counted())
}

// method is how it was decided.
func (r *Report) method() string {
	if r.Occasions == 0 {
		return "limits on 95 % intervals"
	}
	correction := map[string]string{holm: "Holm", benjamini: "Benjamini-Hochberg", joint: "Benjamini-Hochberg and Westfall-Young"}[r.Correction]
	looks := ""
	if r.Looks > 1 {
		looks = fmt.Sprintf(", %d looks", r.Looks)
	}
	return fmt.Sprintf("threshold %s, noise floor %s, %s over %d comparisons%s, %d in the baseline",
		percent(r.Threshold), percent(r.Phi), correction, r.Family, looks, r.Occasions)
}

// doubts are all warnings: the report's own, then those of rows, each text once
// with how many rows say so.
func (r *Report) doubts() []string {
	var all []result.Warning
	seen := map[result.Warning]int{}
	count := func(w result.Warning) {
		if seen[w]++; seen[w] == 1 {
			all = append(all, w)
		}
	}
	for _, w := range r.Warnings {
		count(w)
	}
	own := len(all)
	for i := range r.Rows {
		for _, w := range r.Rows[i].Warnings {
			count(w)
		}
	}
	var out []string
	for i, w := range all {
		line := clean(w.Code + ": " + w.Text)
		if i >= own {
			line += fmt.Sprintf(" (%d of %d rows)", seen[w], len(r.Rows))
		}
		if !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}
