package vk

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// The least used files go first, old ones and those of killed processes always, and
// files of others never.
func TestTrim(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{
		"a.pipeline": 1 * time.Hour, "b.pipeline": 2 * time.Hour, "c.pipeline": 3 * time.Hour,
		"old.pipeline": cacheAge + time.Hour, "pipeline-1": 2 * tempAge, "pipeline-2": 0, "links.json": 2 * cacheAge,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	trim(dir, 250, now)
	if got, want := names(t, dir), []string{"a.pipeline", "b.pipeline", "links.json", "pipeline-2"}; !slices.Equal(got, want) {
		t.Errorf("left %v, want %v", got, want)
	}
	touch(filepath.Join(dir, "a.pipeline")) // used an hour ago: new enough
	trim(dir, 100, now)
	if got, want := names(t, dir), []string{"a.pipeline", "links.json", "pipeline-2"}; !slices.Equal(got, want) {
		t.Errorf("left %v, want %v", got, want)
	}
	trim(filepath.Join(dir, "none"), 0, now)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

// A file that was used long ago and now again is new.
func TestTouch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.pipeline")
	if err := os.WriteFile(path, []byte(fmt.Sprint(1)), 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-2 * touchAge)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	touch(path)
	if info, err := os.Stat(path); err != nil || time.Since(info.ModTime()) > time.Hour {
		t.Errorf("%v %v", info, err)
	}
}
