package soft

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestPrepareSweepsWhatKilledProcessesLeft(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	old := time.Now().Add(-time.Hour)
	folder := func(name string, when time.Time) string {
		dir := filepath.Join(tmp, name)
		if err := os.MkdirAll(filepath.Join(dir, "inside"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, when, when); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	dead, young, foreign := folder(folderPrefix+"dead", old), folder(folderPrefix+"young", time.Now()), folder("other", old)
	live := folder(folderPrefix+"live", old)
	mark := hold(live)
	if mark == nil {
		t.Fatal("a folder cannot be locked here")
	}
	defer func() { _ = mark.Close() }()
	cleanup, err := prepare(Spec{Lavapipe: 1}, driver(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Dir(os.Getenv("VK_DRIVER_FILES"))
	if f := hold(own); f != nil {
		t.Error("the folder in use has no lock: another process would sweep it")
	}
	cleanup()
	for dir, want := range map[string]bool{dead: false, young: true, foreign: true, live: true, own: false} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(dir), err == nil, want)
		}
	}
}

func TestPrepareWithRelativeTemporaryFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", ".")
	cleanup, err := prepare(Spec{Lavapipe: 1}, driver(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer cleanup()
	if list := os.Getenv("VK_DRIVER_FILES"); !filepath.IsAbs(list) {
		t.Errorf("the loader would not find %s", list)
	}
}
