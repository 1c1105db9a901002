package cmd

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// Widths of the list's second column, and the least of its last one.
const (
	leastColumn = 16
	mostColumn  = 40
)

// printWorkloads lists one workload a line. width is that of the terminal, into which
// lines are cut; 0: there is none, and what is computed is not cut. What is communicated
// is told in a few words: `amgpu suites WORKLOAD` says all.
func printWorkloads(w io.Writer, infos []workloadJSON, width int) error {
	names := 0
	for _, i := range infos {
		names = max(names, len(i.ID))
	}
	words, rest := mostColumn, 0
	if width > 0 {
		words = min(max((width-names-4)/3, leastColumn), mostColumn)
		rest = max(width-names-words-4, leastColumn)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "WORKLOAD\tCOMMUNICATION\tWHAT IT COMPUTES") // errors show at Flush
	for _, i := range infos {
		doc := i.Doc
		if rest > 0 {
			doc = shorten(doc, rest)
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\n", i.ID, shorten(i.Communication, words), doc)
	}
	return t.Flush()
}

// shorten cuts a text between words to at most n characters, dots included.
func shorten(text string, n int) string {
	const dots = " ..."
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	kept, count := "", 0
	for word := range strings.FieldsSeq(text) {
		if count += utf8.RuneCountInString(word) + 1; count-1+len(dots) > n {
			break
		}
		kept += " " + word
	}
	kept = strings.TrimRight(strings.TrimSpace(kept), ",;:")
	if kept == "" { // one long word
		return string([]rune(text)[:n-len(dots)]) + dots[1:]
	}
	return kept + dots
}
