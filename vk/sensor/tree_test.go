package sensor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// tree unpacks a recorded sysfs tree. It is kept in one text file because file names
// with colons and symbolic links do not survive in a module's archive; an entry
// "name -> target" is a link.
func tree(t *testing.T, name string) System {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for _, f := range archive.Files {
		path, target, link := strings.Cut(f.Name, " -> ")
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if link {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, f.Data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return System{Root: root, nvml: absent{}}
}

// expect compares all quantities of a reading; those not listed must be absent.
func expect(t *testing.T, r Reading, want map[Quantity]float64) {
	t.Helper()
	for _, q := range Quantities() {
		got, ok := r.Value(q)
		value, wanted := want[q]
		switch {
		case ok != wanted:
			t.Errorf("%s: known %v, want %v (value %g)", q, ok, wanted, got)
		case ok && (got < value*(1-1e-12) || got > value*(1+1e-12)):
			t.Errorf("%s = %.15g %s, want %g", q, got, q.Unit(), value)
		}
	}
}
