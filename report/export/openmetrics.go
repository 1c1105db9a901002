package export

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// family is one metric with the values of all rows.
type family struct {
	name, unit, help string // the name ends in the unit, as the format demands
	of               func(*result.Summary) *float64
	more             func(*result.Summary) []part // labels beside the row's
}

// OpenMetrics writes the text format: gauges with the row's key as labels and no
// time stamps, which collectors of text files refuse; amgpu_created_seconds says
// when it was measured. What is not known has no sample.
func OpenMetrics(w io.Writer, res *result.Result, summary []result.Summary) error {
	b := bufio.NewWriter(w)
	if !res.Created.IsZero() { // imported data has no date
		head(b, "amgpu_created_seconds", "seconds", "When the result was measured, Unix time.")
		sample(b, "amgpu_created_seconds", nil, float64(res.Created.UnixNano())/1e9)
	}
	head(b, "amgpu_result", "", "What the result was made with, always 1.")
	sample(b, "amgpu_result", []part{{"fingerprint", res.Fingerprint}, {"version", res.Tool.Version}, {"preset", res.Plan.Preset}}, 1)
	head(b, "amgpu_device", "", "Devices of the pool, always 1.")
	for i := range res.Devices {
		d := &res.Devices[i]
		sample(b, "amgpu_device", []part{{"device", strconv.Itoa(i)}, {"name", d.Name}, {"uuid", d.UUID}, {"driver", d.Driver},
			{"software", strconv.FormatBool(d.Software)}}, 1)
	}
	for _, f := range families() {
		head(b, f.name, f.unit, f.help)
		for i := range summary {
			r := &summary[i]
			v := f.of(r)
			if v == nil {
				continue
			}
			labels := parts(r)
			if f.more != nil {
				labels = append(labels, f.more(r)...)
			}
			sample(b, f.name, labels, *v)
		}
	}
	fmt.Fprintln(b, "# EOF")
	return b.Flush()
}

func families() []family {
	out := []family{{name: "amgpu_row", help: "Rows with their status, always 1.",
		of:   func(*result.Summary) *float64 { one := 1.0; return &one },
		more: func(r *result.Summary) []part { return []part{{"status", r.Status}} }}}
	out = append(out, three("amgpu_iteration", "seconds", "Median time of one iteration", func(r *result.Summary) *result.Value {
		if r.Seconds == nil {
			return nil
		}
		return &result.Value{Value: r.Seconds.Median, Low: r.Seconds.Low, High: r.Seconds.High}
	}, nil)...)
	out = append(out, three("amgpu_rate", "", "Units of work per second, named by the label unit", func(r *result.Summary) *result.Value { return r.Rate },
		func(r *result.Summary) []part { return []part{{"unit", r.Rate.Unit}} })...)
	out = append(out, three("amgpu_speedup", "ratio", "Speedup over the base count", func(r *result.Summary) *result.Value { return r.Speedup }, nil)...)
	out = append(out, three("amgpu_efficiency", "ratio", "Efficiency", func(r *result.Summary) *result.Value { return r.Efficiency }, nil)...)
	for _, c := range causes {
		out = append(out, family{name: "amgpu_lost_" + c.name + "_ratio", unit: "ratio", help: "Efficiency lost to " + c.name + ".",
			of: func(r *result.Summary) *float64 {
				if r.Lost == nil {
					return nil
				}
				return c.of(r.Lost)
			}})
	}
	count := func(name, help string, of func(*result.Summary) int) {
		out = append(out, family{name: name, help: help, of: func(r *result.Summary) *float64 { v := float64(of(r)); return &v }})
	}
	count("amgpu_launches", "Launches of the row.", func(r *result.Summary) int { return r.Launches })
	count("amgpu_samples", "Samples of the row over all launches.", func(r *result.Summary) int { return r.Samples })
	return out
}

// three is a value and the ends of its 95 % interval.
func three(name, unit, help string, of func(*result.Summary) *result.Value, more func(*result.Summary) []part) []family {
	var out []family
	for _, end := range []struct {
		suffix, help string
		get          func(*result.Value) *float64
	}{
		{"", ".", func(v *result.Value) *float64 { return &v.Value }},
		{"_low", ", lower end of the 95 % interval.", func(v *result.Value) *float64 { low, _ := v.Firm(); return low }},
		{"_high", ", upper end of the 95 % interval.", func(v *result.Value) *float64 { _, high := v.Firm(); return high }},
	} {
		full := name + end.suffix
		if unit != "" {
			full += "_" + unit
		}
		out = append(out, family{full, unit, help + end.help, func(r *result.Summary) *float64 {
			v := of(r)
			if v == nil {
				return nil
			}
			return end.get(v)
		}, more})
	}
	return out
}

func head(w *bufio.Writer, name, unit, help string) {
	fmt.Fprintf(w, "# TYPE %s gauge\n", name)
	if unit != "" {
		fmt.Fprintf(w, "# UNIT %s %s\n", name, unit)
	}
	fmt.Fprintf(w, "# HELP %s %s\n", name, help)
}

// sample is one line; values of labels are encoded as in the names of rows, so
// that different ones stay different, then escaped.
func sample(w *bufio.Writer, name string, labels []part, v float64) {
	var set []string
	for _, l := range labels {
		set = append(set, fmt.Sprintf(`%s="%s"`, l.key, escape.Replace(visible(l.value))))
	}
	if len(set) > 0 {
		name += "{" + strings.Join(set, ",") + "}"
	}
	fmt.Fprintf(w, "%s %s\n", name, number(&v))
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// visible is encode for text in which spaces may stand.
func visible(text string) string {
	words := strings.Split(text, " ")
	for i := range words {
		words[i] = encode(words[i], "")
	}
	return strings.Join(words, " ")
}
