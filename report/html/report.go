package html

import (
	"fmt"
	"strconv"

	"github.com/amgpu/amgpu/report/plot"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/report/table"
)

// report is one result on the page.
type report struct {
	Letter    string // A, B, ...; empty if there is one only
	Name      string
	ID        string // prefix of its anchors
	Doc       table.Doc
	Result    *result.Result
	Imported  bool
	Headline  string
	Badges    []string
	Workloads []workload
	Roofs     []figure
	Sensors   []figure
	Links     *links // nil: none known
	Nodes     *plain // nil: one process measured
	Downloads []download
}

// workload is all series that differ in mode only.
type workload struct {
	ID        string // anchor
	Name      string
	Variant   string // size and the like, to tell namesakes apart
	Verdicts  []verdict
	Figures   []figure
	Sections  []table.Section
	Losses    bars
	Timelines []figure
	Outcomes  []figure
}

// letter names result i: A to Z, then R27.
func letter(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return "R" + strconv.Itoa(i+1)
}

// mostTimelines is with how many workloads a report still draws timelines: with more
// it would take a browser too long to open.
const mostTimelines = 40

// Untimed tells whether there were too many workloads for timelines.
func (r *report) Untimed() bool { return len(r.Workloads) > mostTimelines }

// build lays out result i of n.
func build(s Source, i, n int) (*report, error) {
	r := &report{Name: table.Clean(s.Name), Doc: table.Layout(s.Result, s.Rows, s.Laws, s.Warnings), Result: s.Result,
		Badges: badges(s.Result), Imported: s.Result.Plan.Preset == stat.Imported, Headline: headline(s.Result, s.Rows)}
	if n > 1 {
		r.Letter = letter(i)
		r.ID = r.Letter + "-"
	}
	charts := plot.Charts(s.Rows, s.Laws)
	shown := picked(s.Result)
	packed := make(chan error, 1) // packing a large result takes as long as all of the rest
	go func() {
		var err error
		r.Downloads, err = downloads(s, r.Letter, shown)
		packed <- err
	}()
	for _, section := range r.Doc.Sections {
		if err := r.add(section, charts); err != nil {
			return nil, err
		}
	}
	for k := range r.Workloads {
		w := &r.Workloads[k]
		for _, section := range w.Sections {
			w.Verdicts = append(w.Verdicts, judge(section))
		}
		w.Losses = lossBars(w.Sections)
		var err error
		if len(r.Workloads) <= mostTimelines {
			if w.Timelines, err = timelines(w, shown); err != nil {
				return nil, err
			}
		}
		if w.Outcomes, err = outcomes(w, shown); err != nil {
			return nil, err
		}
	}
	var err error
	if r.Roofs, err = rooflines(s.Result, s.Rows); err != nil {
		return nil, err
	}
	if r.Sensors, err = sensors(s.Result); err != nil {
		return nil, err
	}
	r.Links, r.Nodes = linksOf(s.Result), nodeTable(s.Result)
	return r, <-packed
}

// add files a section under its workload.
func (r *report) add(s table.Section, charts []plot.Chart) error {
	for i := range r.Workloads {
		if (plot.Chart{Key: r.Workloads[i].Sections[0].Key}).Same(s.Key) {
			r.Workloads[i].Sections = append(r.Workloads[i].Sections, s)
			return nil
		}
	}
	w := workload{ID: r.ID + "w" + strconv.Itoa(len(r.Workloads)+1), Name: s.Title, Sections: []table.Section{s}}
	if s.Key.Size.Label != "" {
		w.Variant = table.Clean(s.Key.Size.Label)
	}
	for _, c := range charts {
		if !c.Same(s.Key) {
			continue
		}
		for _, kind := range plot.Kinds() {
			d, err := c.Inline(kind, fmt.Sprintf("%s: %s over the number of GPUs", table.Clean(s.Title), kind))
			if err != nil {
				return err
			}
			caption := captions[kind]
			if c.Student() {
				caption += " " + student
			}
			w.Figures = append(w.Figures, draw(d, caption))
		}
	}
	r.Workloads = append(r.Workloads, w)
	return nil
}

var captions = map[plot.Kind]string{
	plot.Speedup:    "Speedup, with 95\u00a0% intervals.",
	plot.Efficiency: "Efficiency, with 95\u00a0% intervals. The axis need not begin at 0.",
}

// student says of a plot which of its intervals no verdict rests on.
const student = "Some are Student's over few launches (t in the table), which assumes that these are log-normal."

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
