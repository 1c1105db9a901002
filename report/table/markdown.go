package table

import (
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Markdown prints d for a CI job summary or an issue (GitHub flavour).
func Markdown(w io.Writer, d Doc) error {
	p := &printer{w: w}
	p.printf("# amgpu report\n\n%s\n", escapeMarkdown(d.Title))
	if len(d.Sections) == 0 {
		p.printf("\nNo rows: the result holds no trial.\n")
	}
	for _, s := range d.Sections {
		p.printf("\n## %s\n\n", escapeMarkdown(s.Title))
		for i, t := range s.Traits {
			if i > 0 {
				p.printf(" · ")
			}
			p.printf("%s", escapeMarkdown(t))
		}
		p.printf("\n\n")
		p.table(s, func() tw.Renderer { return renderer.NewMarkdown() }, tw.PaddingDefault, escapeMarkdown)
		if s.Factors != nil && d.WithFactors {
			p.printf("\n")
			p.table(s.Factors.section("\u2003"), func() tw.Renderer { return renderer.NewMarkdown() }, tw.PaddingDefault, escapeMarkdown)
		}
		for _, l := range s.Laws {
			p.printf("\n%s\n", escapeMarkdown(l))
		}
		for i, n := range s.Notes {
			if i == 0 {
				p.printf("\n")
			}
			p.printf("- \\[%d\\] %s\n", i+1, escapeMarkdown(n))
		}
	}
	if len(d.Warnings) > 0 || d.Noise != "" || len(d.Job) > 0 {
		p.printf("\n## Notes\n\n")
	}
	for _, f := range d.Job {
		p.printf("- %s: %s\n", f.Name, escapeMarkdown(f.Value))
	}
	if d.Noise != "" {
		p.printf("- noise floor (A/A) %s\n", escapeMarkdown(d.Noise))
	}
	for _, x := range d.Warnings {
		p.printf("- %s\n", escapeMarkdown(Clean(x.Text)))
	}
	return p.err
}

// markdownMarks are the characters that would mean something in running text or
// end a table cell.
var markdownMarks = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "*", `\*`, "_", `\_`,
	"`", "\\`", "[", `\[`, "]", `\]`, "#", `\#`, "~", `\~`, "@", "&#64;")

func escapeMarkdown(s string) string { return markdownMarks.Replace(s) }
