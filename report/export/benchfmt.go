package export

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// Benchfmt writes the text format of Go benchmarks, which benchstat reads: one
// line per launch (launches are what is independent), with its median time of one
// iteration and its rate. The configuration holds only what must be equal for two
// results to be compared, so that benchstat puts others into tables of their own.
// Rows without a rate have no line.
func Benchfmt(w io.Writer, res *result.Result, rows []stat.Row) error {
	b := bufio.NewWriter(w)
	for _, c := range []part{
		{"goos", res.Host.OS}, {"goarch", res.Host.Arch}, {"cpu", res.Host.CPU},
		{"device", inventory(res.Devices, func(d result.Device) string { return d.Name })},
		{"driver", inventory(res.Devices, func(d result.Device) string { return d.Driver })},
		{"fingerprint", res.Fingerprint},
	} {
		if v := line(c.value); v != "" { // an empty one would mean: forget this key
			fmt.Fprintf(b, "%s: %s\n", c.key, v)
		}
	}
	fmt.Fprintf(b, "Unit sec/op better=lower\n")
	for _, u := range rateUnits(rows) {
		fmt.Fprintf(b, "Unit %s better=higher\n", u)
	}
	for i := range rows {
		r := &rows[i]
		if r.Seconds == nil {
			continue
		}
		name := benchmarkName(&r.Summary)
		for _, l := range launches(r) {
			fmt.Fprintf(b, "%s %d %s sec/op", name, l.iterations, number(&l.seconds))
			if u := rateUnit(&r.Summary); u != "" && l.trial.Work.Value > 0 {
				rate := l.trial.Work.Value / l.seconds
				fmt.Fprintf(b, " %s %s", number(&rate), u)
			}
			fmt.Fprintln(b)
		}
	}
	return b.Flush()
}

// benchmarkName begins with a capital, as Go demands; a workload that has one
// already is told from one that has not. family/name becomes Family.name: what
// follows a slash without a key is out of reach of benchstat's projections.
func benchmarkName(r *result.Summary) string {
	whole := rowName(r)
	name := strings.ReplaceAll(encode(r.Workload, "=."), "/", ".")
	switch c := name[:min(1, len(name))]; {
	case c >= "a" && c <= "z":
		name = strings.ToUpper(c) + name[1:]
	case c >= "A" && c <= "Z":
		name = fmt.Sprintf("%%%02X", c[0]) + name[1:]
	}
	return "Benchmark" + name + whole[len(encode(r.Workload, "=")):]
}

// rateUnit is the unit as one word, empty for a row without one. A time cannot be
// a rate: sec/op is taken.
func rateUnit(r *result.Summary) string {
	if r.Rate == nil || r.Rate.Unit == "" {
		return ""
	}
	return encode(r.Rate.Unit, "")
}

func rateUnits(rows []stat.Row) []string {
	var out []string
	for i := range rows {
		if u := rateUnit(&rows[i].Summary); u != "" && !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	slices.Sort(out)
	return out
}

// oneLaunch is a launch with a usable time.
type oneLaunch struct {
	trial      *result.Trial
	seconds    float64 // median of one iteration
	iterations int
}

// launches are those that the row's time rests on, in the same order.
func launches(r *stat.Row) []oneLaunch {
	if r.Seconds == nil {
		return nil
	}
	var out []oneLaunch
	for _, t := range r.Trials {
		if t.Status != result.OK && t.Status != result.Throttled && t.Status != result.AbovePeak {
			continue
		}
		if used := stat.ValidTimes(t); len(used) > 0 {
			out = append(out, oneLaunch{t, stat.Median(used), len(used) * max(t.Reps, 1)})
		}
	}
	return out
}
