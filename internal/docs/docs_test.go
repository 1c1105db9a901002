package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

// documents returns the Markdown files of the repository with their texts, by
// path relative to the root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = read(t, name)
		}
	}
	if len(out) < 5 {
		t.Fatalf("only %d documents found", len(out))
	}
	return out
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCommands(t *testing.T) {
	text := "```console\n$ make test # all\n\n./amgpu run  a/b\n```\nx\n```go\nmake no\n```\n"
	if diff := cmp.Diff([]string{"make test", "./amgpu run  a/b"}, Commands(text)); diff != "" {
		t.Error(diff)
	}
}

func TestLinksAndAnchors(t *testing.T) {
	text := "# Two words, here\n[a](b.md#c-d) [e](https://example.com/x) [f](#two-words-here)\n```\n# not one\n```\n"
	if diff := cmp.Diff([]Link{{"b.md", "c-d"}, {"", "two-words-here"}}, Links(text)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]bool{"two-words-here": true}, Anchors(text)); diff != "" {
		t.Error(diff)
	}
}

// Links inside the repository lead to a file and to a heading in it.
func TestLinksLeadSomewhere(t *testing.T) {
	for name, text := range documents(t) {
		for _, link := range Links(text) {
			target := name
			if link.File != "" {
				target = filepath.Join(filepath.Dir(name), link.File)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, target)
				continue
			}
			if link.Heading != "" && !Anchors(read(t, target))[link.Heading] {
				t.Errorf("%s links to %s#%s: no such heading", name, target, link.Heading)
			}
		}
	}
}

var (
	target  = regexp.MustCompile(`(?m)^([a-z-]+):`)
	mention = regexp.MustCompile("`make\\s+([a-z-]+)")
)

// Every make target that a document names, in a block or in running text, exists.
func TestMakeTargetsExist(t *testing.T) {
	var known []string
	for _, m := range target.FindAllStringSubmatch(read(t, "Makefile"), -1) {
		known = append(known, m[1])
	}
	for name, text := range documents(t) {
		var named []string
		for _, command := range Commands(text) {
			if words := strings.Fields(command); words[0] == "make" {
				named = append(named, words[1])
			}
		}
		for _, m := range mention.FindAllStringSubmatch(text, -1) {
			named = append(named, m[1])
		}
		for _, goal := range named {
			if !slices.Contains(known, goal) {
				t.Errorf("%s names make %s: no such target", name, goal)
			}
		}
	}
}
