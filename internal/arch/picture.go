// Package arch holds the test that compares the imports of every package with
// the picture in docs/architecture.md.
package arch

import (
	"fmt"
	"slices"
	"strings"
)

// family stands for every package below suites without a line of its own.
const family = "suites/<family>"

// Picture is what docs/architecture.md allows. Package names are relative to the
// module; the module's root package is "main".
type Picture struct {
	// Arrows maps a package to the packages of this module it may import.
	Arrows map[string][]string
	// OnlyIn maps an import path from outside (a prefix of it) to the packages
	// that may import it.
	OnlyIn map[string][]string
	// Standard lists the packages that import the standard library only.
	Standard []string
}

// ReadPicture finds the fenced blocks "arrows", "imports" and "standard" in the
// Markdown text.
func ReadPicture(markdown string) (*Picture, error) {
	p := &Picture{Arrows: map[string][]string{}, OnlyIn: map[string][]string{}}
	arrows, err := block(markdown, "arrows")
	if err != nil {
		return nil, err
	}
	for _, line := range joinContinued(arrows) {
		left, right, ok := cutLast(line, "->")
		if !ok {
			return nil, fmt.Errorf("arrows: no -> in %q", line)
		}
		name, _, _ := strings.Cut(left, " ")
		if _, dup := p.Arrows[name]; dup {
			return nil, fmt.Errorf("arrows: %s has two lines", name)
		}
		p.Arrows[name] = list(right)
	}
	imports, err := block(markdown, "imports")
	if err != nil {
		return nil, err
	}
	for _, line := range imports {
		path, where, ok := strings.Cut(line, " only in ")
		if !ok {
			return nil, fmt.Errorf("imports: no \"only in\" in %q", line)
		}
		p.OnlyIn[strings.TrimSpace(path)] = list(where)
	}
	if p.Standard, err = block(markdown, "standard"); err != nil {
		return nil, err
	}
	return p, nil
}

// line returns the name of the line that speaks about a package: its own, or the
// one for families.
func (p *Picture) line(name string) (string, bool) {
	if _, ok := p.Arrows[name]; ok {
		return name, true
	}
	rest, ok := strings.CutPrefix(name, "suites/")
	if ok && !strings.Contains(rest, "/") {
		_, ok = p.Arrows[family]
		return family, ok
	}
	return "", false
}

// Allows reports whether package from may import package to.
func (p *Picture) Allows(from, to string) bool {
	line, ok := p.line(from)
	if !ok {
		return false
	}
	target, _ := p.line(to)
	return slices.ContainsFunc(p.Arrows[line], func(allowed string) bool {
		switch parent, star := strings.CutSuffix(allowed, "/*"); {
		case allowed == "everything":
			return to != "main"
		case star:
			rest, below := strings.CutPrefix(to, parent+"/")
			return below && !strings.Contains(rest, "/")
		default:
			return allowed == to || allowed == family && target == family
		}
	})
}

// MayImport reports whether package name may import a path from outside the
// module, and if not, why.
func (p *Picture) MayImport(name, path string, standard bool) error {
	for prefix, where := range p.OnlyIn {
		if (path == prefix || strings.HasPrefix(path, prefix+"/")) && !slices.Contains(where, name) {
			return fmt.Errorf("%s imports %s, which is only in %s", name, path, strings.Join(where, ", "))
		}
	}
	if !standard && slices.Contains(p.Standard, name) {
		return fmt.Errorf("%s imports %s, but is on the standard library only", name, path)
	}
	return nil
}

// block returns the non-empty lines of the fenced block with that info string.
func block(markdown, info string) ([]string, error) {
	_, rest, ok := strings.Cut(markdown, "\n```"+info+"\n")
	if !ok {
		return nil, fmt.Errorf("no block ```%s", info)
	}
	text, _, ok := strings.Cut(rest, "\n```\n")
	if !ok {
		return nil, fmt.Errorf("block ```%s is not closed", info)
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// joinContinued appends indented lines to the line before them.
func joinContinued(lines []string) []string {
	var out []string
	for _, line := range lines {
		if strings.HasPrefix(line, " ") && len(out) > 0 {
			out[len(out)-1] += " " + strings.TrimSpace(line)
			continue
		}
		out = append(out, line)
	}
	return out
}

// cutLast cuts around the last separator, so that a description may hold one.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// list splits "a, b"; "nothing" is the empty list.
func list(s string) []string {
	var out []string
	for item := range strings.SplitSeq(s, ",") {
		if item = strings.TrimSpace(item); item != "" && item != "nothing" {
			out = append(out, item)
		}
	}
	return out
}
