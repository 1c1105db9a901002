package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	pathPattern  = regexp.MustCompile("`([\\w./-]+(?:/[\\w.-]+|\\.yaml|Makefile))`|`(Makefile)`")
	provePattern = regexp.MustCompile(`\b(?:Test|Benchmark|Fuzz)[A-Z]\w*`)
	rangePattern = regexp.MustCompile(`([CT])(\d+)(?: to [CT](\d+))?`)
)

// TestCapabilities: docs/capabilities.md lists C1 to C62 and T1 to T32 once each, and
// names only files, folders and tests that exist, each test in the file before it.
func TestCapabilities(t *testing.T) {
	seen := map[string]int{}
	for line := range strings.Lines(read(t, "docs/capabilities.md")) {
		if !strings.HasPrefix(line, "| C") && !strings.HasPrefix(line, "| T") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for _, m := range rangePattern.FindAllStringSubmatch(cells[0], -1) {
			from, to := number(t, m[2]), number(t, m[2])
			if m[3] != "" {
				to = number(t, m[3])
			}
			for n := from; n <= to; n++ {
				seen[fmt.Sprint(m[1], n)]++
			}
		}
		proofs(t, cells[0], strings.Join(cells[1:], "|"))
		if open := strings.Contains(line, "not built") || strings.Contains(line, "open"); !open && strings.TrimSpace(cells[len(cells)-1]) == "" {
			t.Errorf("%s: nothing shows it, and it is not said to be open", cells[0])
		}
	}
	for kind, most := range map[string]int{"C": 62, "T": 32} {
		for n := 1; n <= most; n++ {
			if id := fmt.Sprint(kind, n); seen[id] != 1 {
				t.Errorf("%s is listed %d times", id, seen[id])
			}
		}
	}
}

// proofs looks for the files and tests that a row names.
func proofs(t *testing.T, item, text string) {
	t.Helper()
	for text != "" {
		at := pathPattern.FindStringSubmatchIndex(text)
		if at == nil {
			return
		}
		path := strings.Trim(text[at[0]:at[1]], "`")
		text = text[at[1]:]
		info, err := os.Stat(filepath.Join(root, path))
		if err != nil {
			t.Errorf("%s: %v", item, err)
			continue
		}
		end := len(text)
		if next := pathPattern.FindStringIndex(text); next != nil {
			end = next[0]
		}
		names := provePattern.FindAllString(text[:end], -1)
		if len(names) > 0 && info.IsDir() {
			t.Errorf("%s: name the file of %s", item, names[0])
			continue
		}
		for _, name := range names {
			if !strings.Contains(read(t, path), "func "+name+"(") {
				t.Errorf("%s: no %s in %s", item, name, path)
			}
		}
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
