package table

import (
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Text prints d for a terminal: no colour, no escape sequences, the same whether
// piped or not.
func Text(w io.Writer, d Doc) error {
	p := &printer{w: w}
	if len(d.Sections) == 0 {
		p.printf("no rows: the result holds no trial\n")
	}
	for i, s := range d.Sections {
		if i > 0 {
			p.printf("\n")
		}
		p.printf("%s\n", strings.Join(append([]string{s.Title}, s.Traits...), "  "))
		p.table(s, plain, gap)
		if s.Factors != nil && d.WithFactors {
			p.printf("\n")
			p.table(s.Factors.section("  "), plain, gap)
			p.printf("\n")
		}
		for _, l := range s.Laws {
			p.printf("%s\n", l)
		}
		for i, n := range s.Notes {
			p.printf("  [%d] %s\n", i+1, n)
		}
	}
	if len(d.Warnings) > 0 || d.Noise != "" || len(d.Job) > 0 {
		p.printf("\n")
	}
	for _, f := range d.Job {
		p.printf("%s: %s\n", f.Name, f.Value)
	}
	if d.Noise != "" {
		p.printf("noise floor (A/A) %s\n", d.Noise)
	}
	for _, x := range d.Warnings {
		p.printf("note: %s\n", Clean(x.Text))
	}
	return p.err
}

// section lays the factors out as a table; indent is put before what is inside.
func (f *Factors) section(indent string) Section {
	s := Section{Columns: []Column{{Name: "factor"}}}
	for _, c := range f.Counts {
		s.Columns = append(s.Columns, Column{Name: c, Number: true})
	}
	for _, l := range f.Lines {
		cells := []string{strings.Repeat(indent, l.Depth) + l.Name}
		for _, c := range l.Cells {
			text := c.Text
			switch {
			case text == "":
				text = none
			case c.Interval != "":
				text += " [" + c.Interval + "]"
			}
			cells = append(cells, text)
		}
		s.Rows = append(s.Rows, Row{Cells: cells})
	}
	return s
}

// printer keeps the first error of writing.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// plain has no lines and two spaces between columns.
func plain() tw.Renderer {
	return renderer.NewBlueprint(tw.Rendition{
		Borders: tw.BorderNone,
		Settings: tw.Settings{
			Separators: tw.SeparatorsNone,
			Lines:      tw.LinesNone,
		},
	})
}

// gap is the space between columns of plain.
var gap = tw.Padding{Right: "  ", Overwrite: true}

// table prints the rows of s with a renderer; cells may be escaped first.
func (p *printer) table(s Section, look func() tw.Renderer, pad tw.Padding, escape ...func(string) string) {
	if p.err != nil {
		return
	}
	clean := func(text string) string {
		for _, f := range escape {
			text = f(text)
		}
		return text
	}
	noted := false
	for _, r := range s.Rows {
		noted = noted || len(r.Notes) > 0
	}
	head, align := []string{}, []tw.Align{}
	for _, c := range s.Columns {
		head = append(head, clean(c.Name))
		if c.Number {
			align = append(align, tw.AlignRight)
		} else {
			align = append(align, tw.AlignLeft)
		}
	}
	if noted {
		head, align = append(head, ""), append(align, tw.AlignLeft)
	}
	cell := tw.CellConfig{
		Alignment:  tw.CellAlignment{PerColumn: align},
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Padding:    tw.CellPadding{Global: pad},
	}
	var out strings.Builder
	t := tablewriter.NewTable(&out, tablewriter.WithRenderer(look()), tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell}))
	t.Header(head)
	for _, r := range s.Rows {
		cells := make([]string, 0, len(head))
		for _, c := range r.Cells {
			cells = append(cells, clean(c))
		}
		if noted {
			cells = append(cells, clean(noteMarks(r.Notes)))
		}
		if p.err = t.Append(cells); p.err != nil {
			return
		}
	}
	if p.err = t.Render(); p.err != nil {
		return
	}
	for line := range strings.Lines(out.String()) {
		p.printf("%s\n", strings.TrimRight(line, " \n"))
	}
}

// noteMarks is how a row names its footnotes: [1][3].
func noteMarks(notes []int) string {
	var b strings.Builder
	for _, n := range notes {
		fmt.Fprintf(&b, "[%d]", n)
	}
	return b.String()
}
