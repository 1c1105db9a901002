package gate

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"
)

// text is one line per row for a terminal, then "compared k of n".
func text(r *Report) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintln(&b, r.method())
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(cells ...string) error {
		_, err := fmt.Fprintln(w, strings.Join(cells, "\t"))
		return err
	}
	if err := line("VERDICT", "ROW", "METRIC", "CHANGE OR VALUE (95 %)", "P", "WHY"); err != nil {
		return nil, err
	}
	for i, name := range names(r.Rows) {
		row := &r.Rows[i]
		if err := line(strings.ToUpper(string(row.Verdict)), name, row.Metric, effectText(row.Effect), pText(row), why(row)); err != nil {
			return nil, err
		}
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	for _, d := range r.doubts() {
		fmt.Fprintln(&b, "warning:", d)
	}
	fmt.Fprintln(&b, r.Headline())
	return b.Bytes(), nil
}

// markdown is a table for the summary of a CI job.
func markdown(r *Report) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "### amgpu gate: %s\n\n%s. %s.\n\n", r.Verdict, sentence(r.counted()), sentence(r.method()))
	b.WriteString("| verdict | row | metric | change or value (95 %) | p | why |\n|---|---|---|---|---|---|\n")
	for i, name := range names(r.Rows) {
		row := &r.Rows[i]
		v := string(row.Verdict)
		if grave(row) {
			v = "**" + v + "**"
		}
		cells := []string{v, escape(name), escape(row.Metric), escape(effectText(row.Effect)), escape(pText(row)), escape(why(row))}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	if doubts := r.doubts(); len(doubts) > 0 {
		b.WriteString("\nWarnings:\n\n")
		for _, d := range doubts {
			fmt.Fprintf(&b, "- %s\n", escape(d))
		}
	}
	return b.Bytes(), nil
}

func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// escape keeps names in a file from becoming Markdown or HTML.
func escape(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "*", `\*`, "`", "\\`", "_", `\_`, "[", `\[`, "]", `\]`).Replace(text)
}

// grave tells whether the row fails the gate.
func grave(r *Row) bool {
	switch r.Verdict {
	case WrongResult, DeviceLost, Incomparable, Regressed, Unmet:
		return true
	case Missing:
		return !r.Tolerated
	}
	return false
}
