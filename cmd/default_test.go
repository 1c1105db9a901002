package cmd

import (
	"os"
	"testing"
	"time"
)

// A result begun in the same folder in the same second, of which there is no more than the
// journal yet, keeps its name: the next command takes another.
func TestDefaultOutputLeavesBegunOnes(t *testing.T) {
	t.Chdir(t.TempDir())
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, taken := range []string{"amgpu-20260102-030405.json.journal", "amgpu-20260102-030405-2.json", "amgpu-20260102-030405-3.json.journal"} {
		if err := os.WriteFile(taken, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := defaultOutput(at), "amgpu-20260102-030405-4.json"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
