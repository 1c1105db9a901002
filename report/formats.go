package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/export"
	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/report/html"
	"github.com/amgpu/amgpu/report/plot"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/report/table"
)

// input is a result with its numbers recomputed once for all formats.
type input struct {
	res      *result.Result
	factors  bool
	history  *gate.History
	summary  []result.Summary
	laws     []result.Law
	warnings []result.Warning
	launches []stat.Row // see rows
}

// rows are the rows with their launches, computed when a format first needs them.
func (in *input) rows() []stat.Row {
	if in.launches == nil {
		in.launches = stat.Rows(in.res)
	}
	return in.launches
}

func (in *input) doc() table.Doc {
	d := table.Layout(in.res, in.summary, in.laws, in.warnings)
	d.WithFactors = in.factors
	return d
}

// file is one rendered file.
type file struct {
	name    string
	content []byte
}

// format is one way to render. To add one, write its function and a line here.
type format struct {
	name   string
	many   bool   // several files: needs a folder
	file   string // its name, if there is one
	render func(*input) ([]file, error)
}

var formats = []format{
	single("text", "report.txt", func(w io.Writer, in *input) error { return table.Text(w, in.doc()) }),
	single("html", "report.html", func(w io.Writer, in *input) error {
		return html.Write(w, []html.Source{{Result: in.res, Rows: in.summary, Laws: in.laws, Warnings: in.warnings}}, trend(in.history))
	}),
	{"png", true, "", charts("png", plot.Chart.PNG, plot.Graph.PNG)},
	{"svg", true, "", charts("svg", plot.Chart.SVG, plot.Graph.SVG)},
	single("md", "report.md", func(w io.Writer, in *input) error { return table.Markdown(w, in.doc()) }),
	single("csv", "report.csv", func(w io.Writer, in *input) error { return export.CSV(w, in.summary) }),
	single("json", "report.json", func(w io.Writer, in *input) error {
		return export.JSON(w, in.res, in.summary, in.laws, in.warnings)
	}),
	single("junit", "report.junit.xml", func(w io.Writer, in *input) error { return export.JUnit(w, in.res, in.summary) }),
	single("benchfmt", "report.bench.txt", func(w io.Writer, in *input) error { return export.Benchfmt(w, in.res, in.rows()) }),
	single("bmf", "report.bmf.json", func(w io.Writer, in *input) error { return export.BMF(w, in.summary) }),
	single("openmetrics", "report.prom", func(w io.Writer, in *input) error { return export.OpenMetrics(w, in.res, in.summary) }),
	single("trace", "report.trace.json", func(w io.Writer, in *input) error { return export.Trace(w, in.res, in.rows()) }),
}

// Files are the names of the files that formats make in a folder, of those that make one
// and name it the same for every result.
func Files(names []string) (files []string) {
	for _, f := range formats {
		if !f.many && slices.Contains(names, f.name) {
			files = append(files, f.file)
		}
	}
	return files
}

// single is a format of one file.
func single(name, to string, write func(io.Writer, *input) error) format {
	return format{name, false, to, func(in *input) ([]file, error) {
		var b bytes.Buffer
		if err := write(&b, in); err != nil {
			return nil, err
		}
		return []file{{to, b.Bytes()}}, nil
	}}
}

// charts draws each workload's charts and training curves into files named after it, and
// the roofline of each team into one named after its devices.
func charts(suffix string, draw func(plot.Chart, plot.Kind) ([]byte, error), graph func(plot.Graph, string) ([]byte, error)) func(*input) ([]file, error) {
	return func(in *input) ([]file, error) {
		var out []file
		used := map[string]int{}
		for _, c := range plot.Charts(in.summary, in.laws) {
			c.Title = table.Clean(c.Title)
			base := fileName(c.Key.Workload)
			if used[base]++; used[base] > 1 { // another size or strategy of the same
				base = fmt.Sprintf("%s-%d", base, used[base])
			}
			for _, kind := range plot.Kinds() {
				content, err := draw(c, kind)
				if err != nil {
					return nil, err
				}
				out = append(out, file{base + "-" + string(kind) + "." + suffix, content})
			}
		}
		for _, group := range plot.Trainings(in.res) {
			name := group[0].Workload
			g, _ := plot.Losses(group, table.Clean)
			if g.Empty() {
				continue
			}
			content, err := graph(g, table.Clean(name)+": loss over the steps of the training")
			if err != nil {
				return nil, err
			}
			base := fileName(name) + "-training"
			if used[base]++; used[base] > 1 { // names that differ in signs only
				base = fmt.Sprintf("%s-%d", base, used[base])
			}
			out = append(out, file{base + "." + suffix, content})
		}
		for _, l := range plot.Rooflines(in.res, in.summary, plot.Words{Quantity: table.Quantity, Clean: table.Clean}) {
			team := strings.Trim(strings.ReplaceAll(fmt.Sprint(l.Team), " ", "+"), "[]")
			content, err := graph(l.Graph, "roofline, device "+team)
			if err != nil {
				return nil, err
			}
			out = append(out, file{"roofline-" + strings.ReplaceAll(team, "+", "-") + "." + suffix, content})
		}
		return out, nil
	}
}

// fileName keeps letters and digits of a workload's name, which may come from
// anyone's file: no path, no hidden file, no endless name.
func fileName(workload string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '-'
	}, workload)
	name = strings.Trim(name, "-")
	if len(name) > 60 {
		name = name[:60]
	}
	if name == "" {
		return "workload"
	}
	return name
}
