// Package html renders results as one self-contained page: nothing is loaded from
// anywhere, light and dark, for a phone as for paper. Everything can be read and
// downloaded without scripts; the page's own, the only one its policy lets run, sorts
// tables, shows the values of plots to pointer and keyboard and unpacks the data.
package html

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/amgpu/amgpu/report/plot"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/report/table"
)

//go:embed parts style.css script
var files embed.FS

// page is parsed when the first page is written: most commands write none.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page.gohtml").Funcs(template.FuncMap{
		"percent": percent,
		"clamp":   func(share float64) float64 { return 100 * min(max(share, 0), 1) },
		"seconds": seconds,
		"bytes":   table.Bytes,
		"clean":   table.Clean,
		"join":    strings.Join,
	}).ParseFS(files, "parts/*.gohtml"))
})

// script is the text between the tags, exactly: its hash is in the policy.
var script = sync.OnceValue(func() string {
	var b strings.Builder
	for _, name := range []string{"sort", "marks", "data", "print"} {
		b.WriteString(text("script/" + name + ".js"))
	}
	return b.String()
})

// text is an embedded file.
func text(name string) string {
	raw, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is compiled in
	}
	return string(raw)
}

// policy lets nothing be loaded and no script run but the page's own.
func policy() string {
	sum := sha256.Sum256([]byte(script()))
	return fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-%s'; base-uri 'none'; form-action 'none'",
		base64.StdEncoding.EncodeToString(sum[:]))
}

// Source is a result with what stat.Summary gave for it.
type Source struct {
	Name     string // such as its file; shown where several are compared
	Result   *result.Result
	Rows     []result.Summary
	Laws     []result.Law
	Warnings []result.Warning
}

// data is what the template sees.
type data struct {
	Style    template.CSS
	Script   template.JS
	Policy   string
	Title    string
	Headline string
	Compared *comparison // nil: one result
	Trend    *trend      // nil: no history
	Reports  []*report
	Imported bool // all of it
	Terms    []term
}

// Write writes the page of one result, or of several with a comparison. history may
// be nil. Errors are those of w and of drawing.
func Write(w io.Writer, sources []Source, history *History) error {
	d := data{Style: template.CSS(text("style.css")), Script: template.JS(script()), Policy: policy(), Imported: true, Terms: glossary}
	for i, s := range sources {
		r, err := build(s, i, len(sources))
		if err != nil {
			return err
		}
		d.Reports = append(d.Reports, r)
		d.Imported = d.Imported && r.Imported
	}
	var err error
	if len(sources) > 1 {
		if d.Compared, err = compare(sources); err != nil {
			return err
		}
	}
	if history != nil {
		if d.Trend, err = trendOf(history); err != nil {
			return err
		}
	}
	d.Title, d.Headline = headings(d.Reports, history)
	return page().Execute(w, d)
}

// Page is Write for one result. rows, laws and warnings are stat.Summary's.
func Page(w io.Writer, res *result.Result, rows []result.Summary, laws []result.Law, warnings []result.Warning) error {
	return Write(w, []Source{{Result: res, Rows: rows, Laws: laws, Warnings: warnings}}, nil)
}

// Render is Page for a result that was not summed up yet.
func Render(w io.Writer, res *result.Result) error {
	rows, laws, warnings := stat.Summary(res)
	return Page(w, res, rows, laws, warnings)
}

// headings are the title of the window and the first sentence of the page.
func headings(reports []*report, history *History) (title, headline string) {
	var names []string
	for _, r := range reports {
		for _, w := range r.Workloads {
			names = append(names, w.Name)
		}
	}
	title = "amgpu report"
	if len(names) > 0 {
		title += ": " + strings.Join(names[:min(3, len(names))], ", ")
	}
	switch {
	case len(reports) > 1:
		return title, fmt.Sprintf("%d results compared.", len(reports))
	case len(reports) == 1:
		return title, reports[0].Headline
	case history != nil:
		return title, fmt.Sprintf("%d results over time.", history.Results)
	}
	return title, "No result."
}

// figure is a drawing with its legend and caption. Table, if there is one, says the
// same in numbers.
type figure struct {
	Caption string
	SVG     template.HTML
	Wide    bool
	Keys    []plot.Key
	Table   *plain
}

// draw makes a figure. Drawings hold no text from outside that is not escaped.
func draw(d plot.Drawing, caption string) figure {
	return figure{Caption: caption, SVG: template.HTML(d.SVG), Wide: d.Wide, Keys: d.Keys}
}

// plain is a table of text.
type plain struct {
	Label   string // what it shows
	Columns []table.Column
	Rows    [][]string // the first cell of each is its heading
}

func numbers(names ...string) []table.Column {
	var out []table.Column
	for _, n := range names {
		out = append(out, table.Column{Name: n, Number: true})
	}
	return out
}

func texts(names ...string) []table.Column {
	var out []table.Column
	for _, n := range names {
		out = append(out, table.Column{Name: n})
	}
	return out
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
