// Package html renders a result as one self-contained page: no script, nothing
// loaded from anywhere, light and dark, for a phone as for paper.
package html

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"

	"github.com/amgpu/amgpu/report/export"
	"github.com/amgpu/amgpu/report/plot"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/report/table"
)

var (
	//go:embed page.gohtml
	pageText string
	//go:embed style.css
	styleText string

	page = template.Must(template.New("page").Funcs(template.FuncMap{
		"percent": percent,
		"clamp":   func(share float64) float64 { return 100 * min(max(share, 0), 1) },
		"seconds": seconds,
		"bytes":   table.Bytes,
		"clean":   table.Clean,
		"join":    strings.Join,
	}).Parse(pageText))
)

// data is what the template sees.
type data struct {
	Style     template.CSS
	Doc       table.Doc
	Result    *result.Result
	Imported  bool
	Headline  string
	Badges    []string
	Workloads []workload
	Downloads []download
}

// workload is all series that differ in mode only.
type workload struct {
	ID       string // anchor
	Name     string
	Variant  string // size and the like, to tell namesakes apart
	Verdicts []verdict
	Figures  []figure
	Sections []table.Section
	Losses   []loss
}

type figure struct {
	Caption string
	SVG     template.HTML
}

type download struct {
	Name, Text string
	URL        template.URL
}

// Page writes the page. rows, laws and warnings are stat.Summary's.
func Page(w io.Writer, res *result.Result, rows []result.Summary, laws []result.Law, warnings []result.Warning) error {
	d := data{Style: template.CSS(styleText), Doc: table.Layout(res, rows, laws, warnings), Result: res, Badges: badges(res),
		Imported: res.Plan.Preset == stat.Imported}
	charts := plot.Charts(rows, laws)
	for _, s := range d.Doc.Sections {
		if err := d.add(s, charts); err != nil {
			return err
		}
	}
	d.Headline = headline(res, rows)
	for i := range d.Workloads {
		wl := &d.Workloads[i]
		for _, s := range wl.Sections {
			wl.Verdicts = append(wl.Verdicts, judge(s))
			wl.Losses = append(wl.Losses, losses(s)...)
		}
	}
	var err error
	if d.Downloads, err = downloads(res, rows, laws, warnings); err != nil {
		return err
	}
	return page.Execute(w, d)
}

// Render is Page for a result that was not summed up yet.
func Render(w io.Writer, res *result.Result) error {
	rows, laws, warnings := stat.Summary(res)
	return Page(w, res, rows, laws, warnings)
}

// add files a section under its workload.
func (d *data) add(s table.Section, charts []plot.Chart) error {
	for i := range d.Workloads {
		if (plot.Chart{Key: d.Workloads[i].Sections[0].Key}).Same(s.Key) {
			d.Workloads[i].Sections = append(d.Workloads[i].Sections, s)
			return nil
		}
	}
	wl := workload{ID: anchor(len(d.Workloads)), Name: s.Title, Sections: []table.Section{s}}
	if s.Key.Size.Label != "" {
		wl.Variant = table.Clean(s.Key.Size.Label)
	}
	for _, c := range charts {
		if !c.Same(s.Key) {
			continue
		}
		for _, kind := range plot.Kinds() {
			caption := captions[kind]
			svg, err := c.Inline(kind, table.Clean(s.Title)+": "+caption)
			if err != nil {
				return err
			}
			// Drawn here, with no name from outside in it but the escaped label.
			wl.Figures = append(wl.Figures, figure{caption, template.HTML(svg)})
		}
	}
	d.Workloads = append(d.Workloads, wl)
	return nil
}

var captions = map[plot.Kind]string{
	plot.Speedup:    "Speedup, with 95\u00a0% intervals. Dashed: ideal; thin: fitted law.",
	plot.Efficiency: "Efficiency, with 95\u00a0% intervals. The axis need not begin at 0.",
}

func badges(res *result.Result) []string {
	var out []string
	switch res.Plan.Preset {
	case "":
	case stat.Imported:
		out = append(out, "imported")
	default:
		out = append(out, table.Clean(res.Plan.Preset)+" preset")
	}
	for _, d := range res.Devices {
		if d.Software {
			return append(out, "software devices")
		}
	}
	return out
}

// bigJSON is the size from which the raw data is compressed.
const bigJSON = 1 << 20

// downloads puts the raw data into the page itself.
func downloads(res *result.Result, rows []result.Summary, laws []result.Law, warnings []result.Warning) ([]download, error) {
	var raw bytes.Buffer
	if err := export.JSON(&raw, res, rows, laws, warnings); err != nil {
		return nil, err
	}
	name, kind, text := "results.json", "application/json", "everything: every sample of every launch, in base units"
	if raw.Len() > bigJSON {
		var small bytes.Buffer
		z := gzip.NewWriter(&small)
		if _, err := raw.WriteTo(z); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
		name, kind, raw = name+".gz", "application/gzip", small
	}
	var csv bytes.Buffer
	if err := export.CSV(&csv, rows); err != nil {
		return nil, err
	}
	return []download{
		{name, text, link(kind, raw.Bytes())},
		{"summary.csv", "one line per row, full precision, units in the headings", link("text/csv;charset=utf-8", csv.Bytes())},
	}, nil
}

func link(kind string, content []byte) template.URL {
	return template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(content))
}

// seconds formats a time given as a value or a pointer to one.
func seconds(v any) string {
	switch v := v.(type) {
	case float64:
		return table.Seconds(v)
	case *float64:
		return table.Seconds(*v)
	}
	return "-"
}
