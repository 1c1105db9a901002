package docs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/suites"
)

// The table of docs/tuning.md holds the defaults of all classes that differ from the
// measured ones, with their reasons; every default is one of the values.
func TestDefaultsOfClasses(t *testing.T) {
	var want, have []string
	for _, w := range suites.All() {
		for _, k := range w.Info().Tunables {
			for _, class := range suites.Classes() {
				if !slices.Contains(k.Values, k.For(class)) {
					t.Errorf("%s: the default %s=%d of %s is none of %v", w.Info().ID, k.Name, k.For(class), class, k.Values)
				}
			}
			for _, e := range k.Else {
				want = append(want, fmt.Sprintf("| %s | %s | %s | %d | %d | %s |", w.Info().ID, k.Name, e.Class, e.Value, k.Default, e.Why))
			}
		}
	}
	for line := range strings.Lines(read(t, "docs/tuning.md")) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "| ") && strings.Contains(line, "/") {
			have = append(have, line)
		}
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("docs/tuning.md (-want, +have):\n%s", diff)
	}
}
