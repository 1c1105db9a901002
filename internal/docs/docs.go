// Package docs holds the tests that keep the project's documents true: commands
// that exist, links that lead somewhere.
package docs

import (
	"regexp"
	"strings"
)

// Commands returns the command lines of the blocks marked "console" in a Markdown
// text, without comments.
func Commands(markdown string) []string {
	var out []string
	inside := false
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		switch {
		case line == "```console":
			inside = true
		case strings.HasPrefix(line, "```"):
			inside = false
		case inside:
			command, _, _ := strings.Cut(line, " #")
			if command = strings.TrimSpace(strings.TrimPrefix(command, "$ ")); command != "" {
				out = append(out, command)
			}
		}
	}
	return out
}

// Link is the target of a Markdown link: a file, a heading in it, or both.
type Link struct{ File, Heading string }

var linkPattern = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Links returns the links of a Markdown text that point into the repository.
func Links(markdown string) []Link {
	var out []Link
	for _, m := range linkPattern.FindAllStringSubmatch(markdown, -1) {
		if strings.Contains(m[1], "://") {
			continue
		}
		file, heading, _ := strings.Cut(m[1], "#")
		out = append(out, Link{file, heading})
	}
	return out
}

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)

// Anchors returns the anchors that code hosts make of a text's headings: lower
// case, punctuation dropped, blanks as hyphens.
func Anchors(markdown string) map[string]bool {
	out := map[string]bool{}
	fenced := false
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		level := strings.TrimLeft(line, "#")
		if fenced || level == line || !strings.HasPrefix(level, " ") {
			continue
		}
		text := notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(level)), "")
		out[strings.ReplaceAll(text, " ", "-")] = true
	}
	return out
}
