package result

import (
	"os"
	"path/filepath"
	"testing"
)

// A result is told from other files, also a truncated one and that of a newer amgpu.
func TestHolds(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]bool{
		`{"schema": "amgpu/v1", "trials": []}`:      true,
		`{"created": "2026", "schema": "amgpu/v1",`: true,
		`{"schema": "amgpu/v2"`:                     true,
		`{"schema": "amgpu/gate/v1"}`:               false,
		`{"traceEvents":[`:                          false,
		`[]`:                                        false,
		`text`:                                      false,
		``:                                          false,
	} {
		path := filepath.Join(dir, "f")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := Holds(path); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "none"), "/dev/zero"} {
		if Holds(path) {
			t.Errorf("%s holds a result", path)
		}
	}
}
