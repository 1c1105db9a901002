// Package ingest reads anybody's scaling data, so that it comes under the same laws,
// intervals and plots as what amgpu measured.
package ingest

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// ErrFormat is the kind of error for a table that cannot be understood; its text
// names file and line.
var ErrFormat = errors.New("not a table of scaling data")

// Limits of what is believed: no machine has more devices, no time or rate is
// further from 1 than a result may hold.
const (
	mostDevices = 1 << 24
	least       = 1e-30
	most        = 1e30
)

// columns of a table. Other ones are ignored, which a warning says.
var names = map[string]string{
	"count": "count", "n": "count", "gpus": "count", "devices": "count",
	"seconds": "seconds", "time": "seconds", "rate": "rate", "throughput": "rate", "x": "rate",
	"workload": "workload", "mode": "mode", "size": "size", "unit": "unit",
}

// timeUnits are what may stand in brackets behind the heading of a time.
var timeUnits = map[string]float64{"": 1, "s": 1, "sec": 1, "seconds": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9}

// row is one line of the table.
type row struct {
	line  int
	key   result.Key
	count int
	value float64
	unit  string
}

// CSV reads a table with a heading: count and seconds or rate, optional workload,
// mode (strong, weak; default strong), size (of one device in weak mode) and unit
// (of the rate). Rows that are alike but for the value are repetitions. Seconds are
// of one iteration, rates are units of work per second; a heading such as "time (ms)"
// or "rate (img/s)" names another unit. Between semicolons a number may have a
// decimal comma. name is that of the file:
// it stands in errors and, without its suffix, for a workload that is not named.
func CSV(r io.Reader, name, workload string) (*result.Result, error) {
	t, err := open(r, name)
	if err != nil {
		return nil, err
	}
	res := &result.Result{Schema: result.Schema, Fingerprint: "imported",
		Plan: result.Plan{Preset: stat.Imported}, Warnings: []result.Warning{{Code: "imported",
			Text: fmt.Sprintf("imported from %s: neither measured nor verified by amgpu", name)}}}
	repeats := map[string]int{}
	for {
		row, err := t.next(workload)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		id := fmt.Sprint(row.key, row.count)
		res.Trials = append(res.Trials, t.trial(row, repeats[id], len(res.Trials)))
		repeats[id]++
	}
	if len(res.Trials) == 0 {
		return nil, t.fault(1, "no row follows the heading")
	}
	for _, n := range repeats {
		res.Plan.Launches = max(res.Plan.Launches, n)
	}
	if len(t.ignored) > 0 {
		res.Warnings = append(res.Warnings, result.Warning{Code: "columns-ignored",
			Text: "columns not used: " + strings.Join(t.ignored, ", ")})
	}
	if t.rates {
		res.Warnings = append(res.Warnings, result.Warning{Code: "times-from-rates",
			Text: "the table gives rates: a time is that of one unit of work (weak: of one unit on each device)"})
	}
	return res, nil
}

// table is an open table.
type table struct {
	name    string
	in      *csv.Reader
	column  map[string]int
	width   int
	ignored []string
	rates   bool
	seconds float64 // of one unit of the times
	unit    string  // of the rates, as the heading says
	units   map[result.Key]string
}

func (t *table) fault(line int, format string, args ...any) error {
	return fmt.Errorf("%w: %s, line %d: %s", ErrFormat, t.name, line, fmt.Sprintf(format, args...))
}

// open reads the heading. The separator is the comma; a heading without one may use
// semicolons or tabs.
func open(r io.Reader, name string) (*table, error) {
	b := bufio.NewReader(r)
	if mark, err := b.Peek(3); err == nil && bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		if _, err := b.Discard(3); err != nil {
			return nil, err
		}
	}
	start, err := b.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	t := &table{name: name, in: csv.NewReader(b), column: map[string]int{}, seconds: 1, units: map[result.Key]string{}}
	t.in.Comma, t.in.Comment = separator(start), '#'
	t.in.FieldsPerRecord, t.in.TrimLeadingSpace, t.in.ReuseRecord = -1, true, true
	head, err := t.in.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, t.fault(1, "the file is empty")
	case err != nil:
		return nil, t.explain(err)
	}
	line, _ := t.in.FieldPos(0)
	t.width = len(head)
	for i, h := range head {
		h = strings.TrimSpace(h)
		plain, unit, _ := strings.Cut(h, "(") // "time (s)"
		unit = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(unit), ")"))
		known := names[strings.ToLower(strings.TrimSpace(plain))]
		if known == "" {
			t.ignored = append(t.ignored, strconv.Quote(h))
			continue
		}
		if _, twice := t.column[known]; twice {
			return nil, t.fault(line, "two columns give the %s", known)
		}
		t.column[known] = i
		switch known {
		case "seconds":
			if t.seconds = timeUnits[strings.ToLower(unit)]; t.seconds == 0 {
				return nil, t.fault(line, "the unit %q of a time; it is s, ms, us or ns", unit)
			}
		case "rate":
			t.unit = unit
		}
	}
	_, seconds := t.column["seconds"]
	_, t.rates = t.column["rate"]
	switch _, count := t.column["count"]; {
	case !count:
		return nil, t.fault(line, "no column \"count\"; the heading must name count and seconds or rate")
	case !seconds && !t.rates:
		return nil, t.fault(line, "neither a column \"seconds\" nor \"rate\"")
	case seconds && t.rates:
		return nil, t.fault(line, "both seconds and rate; leave one of the columns out")
	}
	return t, nil
}

// separator looks at the first line that is no comment.
func separator(start []byte) rune {
	for line := range bytes.Lines(start) {
		if len(bytes.TrimSpace(line)) == 0 || line[0] == '#' {
			continue
		}
		for _, c := range []rune{',', ';', '\t'} {
			if bytes.ContainsRune(line, c) {
				return c
			}
		}
		break
	}
	return ','
}

// explain names file and line of what the CSV reader did not understand.
func (t *table) explain(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return t.fault(parse.Line, "%v", parse.Err)
	}
	return fmt.Errorf("reading %s: %w", t.name, err)
}

// next reads one row; io.EOF after the last.
func (t *table) next(workload string) (row, error) {
	fields, err := t.in.Read()
	if errors.Is(err, io.EOF) {
		return row{}, err
	}
	if err != nil {
		return row{}, t.explain(err)
	}
	line, _ := t.in.FieldPos(0)
	if len(fields) != t.width {
		return row{}, t.fault(line, "%d fields, the heading has %d", len(fields), t.width)
	}
	get := func(name string) string {
		if i, ok := t.column[name]; ok {
			return strings.TrimSpace(fields[i])
		}
		return ""
	}
	out := row{line: line, unit: unitOf(cmp.Or(get("unit"), t.unit))}
	if out.count, err = strconv.Atoi(get("count")); err != nil || out.count < 1 || out.count > mostDevices {
		return row{}, t.fault(line, "count %q; it is a whole number of devices, at least 1", get("count"))
	}
	what := "seconds"
	if t.rates {
		what = "rate"
	}
	number := get(what)
	if t.in.Comma == ';' {
		number = strings.Replace(number, ",", ".", 1)
	}
	out.value, err = strconv.ParseFloat(number, 64)
	if !t.rates {
		out.value *= t.seconds
	}
	if err != nil || !(out.value >= least && out.value <= most) || math.IsInf(out.value, 0) {
		return row{}, t.fault(line, "%s %q; it is a number above 0", what, get(what))
	}
	out.key, err = t.key(get, workload, line)
	if err == nil && t.rates {
		series := out.key // all sizes of a workload and mode have one unit
		series.Size = result.Size{}
		if before, known := t.units[series]; known && before != out.unit {
			err = t.fault(line, "the unit %q after %q in rows of %s %s: convert one of them", out.unit, before, series.Workload, series.Mode)
		}
		t.units[series] = out.unit
	}
	return out, err
}

func (t *table) key(get func(string) string, workload string, line int) (result.Key, error) {
	k := result.Key{Workload: workload, Mode: "strong"}
	if w := get("workload"); w != "" {
		k.Workload = w
	}
	switch m := strings.ToLower(get("mode")); m {
	case "", "strong":
	case "weak":
		k.Mode = m
	default:
		return k, t.fault(line, "mode %q; it is strong or weak", get("mode"))
	}
	size := get("size")
	if n, err := strconv.ParseInt(size, 10, 64); err == nil {
		if n < 0 {
			return k, t.fault(line, "size %q; it cannot be negative", size)
		}
		k.Size.N = n
	} else {
		k.Size.Label = size
	}
	return k, nil
}

// unitOf is the unit of work of a rate's unit.
func unitOf(rate string) string {
	unit := strings.TrimSuffix(strings.TrimSuffix(rate, "/s"), "/sec")
	if unit == "" {
		return "unit"
	}
	return unit
}

// trial makes a launch of one sample. Every row is a block of its own: what stands
// side by side in somebody's table need not have been measured side by side.
func (t *table) trial(r row, launch, block int) result.Trial {
	out := result.Trial{Key: r.key, Count: r.count, Devices: []int{}, Launch: launch, Block: block, Status: result.OK,
		Total: r.key.Size.N, Samples: []float64{r.value}}
	grown := 1.0
	if r.key.Mode == "weak" {
		grown = float64(r.count)
		if r.key.Size.N < math.MaxInt64/int64(r.count) {
			out.Total = r.key.Size.N * int64(r.count)
		}
	}
	if t.rates {
		out.Work = result.Work{Value: grown, Unit: r.unit}
		out.Samples[0] = grown / r.value
	}
	return out
}
