package html

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/report/plot"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/report/table"
)

// comparison is several results side by side.
type comparison struct {
	Results  *plain
	Differs  *plain // nil: made by the same tool on the same machine
	Hardware bool   // devices or drivers differ
	Rows     *plain
	Figures  []figure
}

// compare lays the rows of all results beside each other; the first is the base.
func compare(sources []Source) (*comparison, error) {
	c := &comparison{Results: resultTable(sources)}
	c.Differs, c.Hardware = differences(sources)
	c.Rows = sideBySide(sources)
	names := make([]string, len(sources))
	rows := make([][]result.Summary, len(sources))
	for i, s := range sources {
		names[i], rows[i] = letter(i), s.Rows
	}
	for _, chart := range plot.Compare(names, rows) {
		name := table.Clean(chart.Title)
		if label := chart.Key.Size.Label; label != "" {
			name += " " + table.Clean(label)
		}
		d, err := chart.Inline(plot.Efficiency, name+": efficiency over the number of GPUs, by result")
		if err != nil {
			return nil, err
		}
		caption := name + ": efficiency of each result, with 95\u00a0% intervals."
		if chart.Student() {
			caption += " " + student
		}
		c.Figures = append(c.Figures, draw(d, caption))
	}
	return c, nil
}

func resultTable(sources []Source) *plain {
	t := &plain{Label: "Results", Columns: texts("result", "file", "made", "program", "devices", "fingerprint")}
	for i, s := range sources {
		made := "-"
		if !s.Result.Created.IsZero() {
			made = s.Result.Created.UTC().Format("2006-01-02 15:04:05")
		}
		program := table.Clean(strings.TrimSpace(s.Result.Tool.Version + " " + s.Result.Tool.Commit))
		t.Rows = append(t.Rows, []string{letter(i), orDash(table.Clean(s.Name)), made, orDash(program), table.DeviceNames(s.Result, s.Rows), orDash(table.Clean(s.Result.Fingerprint))})
	}
	return t
}

// differences are the properties in which the results are not alike; hardware tells
// whether devices or drivers are among them.
func differences(sources []Source) (t *plain, hardware bool) {
	t = &plain{Label: "What differs", Columns: texts("property")}
	for i := range sources {
		t.Columns = append(t.Columns, texts(letter(i))...)
	}
	add := func(name string, of func(*result.Result) string) bool {
		row, alike := []string{name}, true
		for i, s := range sources {
			row = append(row, orDash(table.Clean(of(s.Result))))
			alike = alike && row[i+1] == row[1]
		}
		if !alike {
			t.Rows = append(t.Rows, row)
		}
		return !alike
	}
	devices := func(of func(result.Device) string) func(*result.Result) string {
		return func(r *result.Result) string {
			var all []string
			for _, d := range r.Devices {
				all = append(all, of(d))
			}
			slices.Sort(all)
			return strings.Join(slices.Compact(all), ", ")
		}
	}
	hardware = add("devices", devices(func(d result.Device) string { return d.Name }))
	hardware = add("driver", devices(func(d result.Device) string { return d.Driver })) || hardware
	add("number of devices", func(r *result.Result) string { return strconv.Itoa(len(r.Devices)) })
	add("kernel", func(r *result.Result) string { return r.Host.Kernel })
	add("processor", func(r *result.Result) string { return r.Host.CPU })
	add("Vulkan loader", func(r *result.Result) string { return r.Host.Loader })
	add("program", func(r *result.Result) string { return strings.TrimSpace(r.Tool.Version + " " + r.Tool.Commit) })
	add("preset", func(r *result.Result) string { return r.Plan.Preset })
	add("launches per row", func(r *result.Result) string { return strconv.Itoa(r.Plan.Launches) })
	add("strategy", func(r *result.Result) string { return r.Plan.Strategy })
	add("own kernel", func(r *result.Result) string { return r.Plan.Shader })
	add("seed", func(r *result.Result) string { return strconv.FormatUint(r.Plan.Seed, 10) })
	if len(t.Rows) == 0 {
		return nil, hardware
	}
	return t, hardware
}

// identity is what makes rows of two results the same row; device is -1 unless solo.
type identity struct {
	result.Key
	count, device int
}

// sideBySide is one line per row that any result has: time and efficiency of each
// result, and the time of each further one over that of the first with its interval.
func sideBySide(sources []Source) *plain {
	t := &plain{Label: "Rows side by side", Columns: append(texts("row"), numbers("GPUs")...)}
	rows := make([]map[identity]stat.Row, len(sources))
	var order []identity
	for i, s := range sources {
		rows[i] = map[identity]stat.Row{}
		for _, r := range stat.Rows(s.Result) {
			id := identity{r.Key, r.Count, r.Device}
			if !slices.ContainsFunc(rows[:i], func(m map[identity]stat.Row) bool { _, ok := m[id]; return ok }) {
				order = append(order, id)
			}
			rows[i][id] = r
		}
		t.Columns = append(t.Columns, numbers("time "+letter(i))...)
		if i > 0 {
			t.Columns = append(t.Columns, numbers(letter(i)+"\u00a0/\u00a0"+letter(0)+" (95\u00a0%\u00a0CI)")...)
		}
	}
	for i := range sources {
		t.Columns = append(t.Columns, numbers("efficiency "+letter(i))...)
	}
	for _, id := range order {
		line := []string{rowName(id), strconv.Itoa(id.count)}
		var efficiencies []string
		base := rows[0][id]
		for i := range sources {
			r, known := rows[i][id]
			line = append(line, timeOf(r, known))
			if i > 0 {
				line = append(line, ratio(r.Times, base.Times))
			}
			efficiencies = append(efficiencies, table.Estimate(r.Efficiency, 3))
		}
		t.Rows = append(t.Rows, append(line, efficiencies...))
	}
	return t
}

func rowName(id identity) string {
	name := table.Clean(strings.TrimSpace(fmt.Sprintf("%s %s %s", id.Workload, id.Mode, id.Size.Label)))
	if id.device >= 0 {
		name += fmt.Sprintf(" on GPU %d", id.device)
	}
	for _, x := range []string{id.Strategy, id.Split, id.Transport, id.Algorithm} {
		if x != "" && x != "none" && x != "equal" && x != "auto" && id.Mode != "solo" {
			name += " " + table.Clean(x)
		}
	}
	return name
}

func timeOf(r stat.Row, known bool) string {
	switch {
	case !known:
		return "-"
	case r.Seconds == nil:
		return table.Clean(r.Status)
	}
	return table.Seconds(r.Seconds.Median)
}

// ratio is that of two sets of launch medians.
func ratio(num, den []float64) string {
	v, ok := stat.Ratio(num, den)
	if !ok {
		return "-"
	}
	return table.Interval(v.Value, v.Low, v.High, 3)
}
