package near

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	known := []string{"triad", "vector-add", "matmul", "Life"}
	for name, want := range map[string]string{
		"traid": "triad", "MATMUL": "matmul", "vectoradd": "vector-add", "life": "Life", "l": "", "quicksort": "", "": "",
		strings.Repeat("x", 1<<20): "",
	} {
		if got := Name(name, known); got != want {
			t.Errorf("%.20q: %q, want %q", name, got, want)
		}
	}
	if got := Hint("traid", known); got != ": did you mean triad?" {
		t.Error(got)
	}
	if got := Hint("quicksort", known); got != "" {
		t.Error(got)
	}
	if got := HintOrAll("quicksort", known[:2]); got != ": there is triad, vector-add" {
		t.Error(got)
	}
	if got := HintOrAll("quicksort", nil); got != "" {
		t.Error(got)
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"abc", "abc", 0}, {"flaw", "lawn", 2}} {
		if got, back := Edits(c.a, c.b), Edits(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q %q: %d and %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}
